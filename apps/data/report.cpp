#include "report/document.h"

#include "apps/options/report.h"
#include "io/output.h"
#include "report/readers.h"

namespace bigdna::apps {

void run(const ReportOptions& options) {
  io::refuse_shared_files({options.output}, options.paths);
  io::refuse_outputs_in({options.output}, options.paths);
  io::Output output(options.output);
  output << report::html(report::read_items(options.paths), {options.title, options.note});
  output.commit();
}

}  // namespace bigdna::apps
