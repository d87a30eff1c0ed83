#include "apps/options/report.h"

#include "io/output.h"
#include "report/document.h"
#include "report/measured.h"
#include "report/readers.h"

namespace bigdna::apps {

void run(const ReportOptions& options) {
  for (const auto& read : {options.paths, options.measured}) io::refuse_shared_files({options.output}, read);
  io::refuse_outputs_in({options.output}, options.paths);
  io::Output output(options.output);
  auto items = report::read_items(options.paths);
  report::add_measured(items, options.measured);
  output << report::html(items, {options.title, options.note});
  output.commit();
}

}  // namespace bigdna::apps
