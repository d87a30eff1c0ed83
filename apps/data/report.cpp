#include "apps/options/report.h"

#include "genome/signals.h"
#include "io/output.h"
#include "io/source_date.h"
#include "report/document.h"
#include "report/measured.h"
#include "report/readers.h"

namespace bigdna::apps {

void run(const ReportOptions& options) {
  std::vector<std::string> measured;
  for (const auto& given : options.measured) measured.push_back(genome::path_of_named(given));
  for (const auto& read : {options.paths, measured}) io::refuse_shared_files({options.output}, read);
  io::refuse_outputs_in({options.output}, options.paths);
  io::Output output(options.output);
  auto items = report::read_items(options.paths);
  report::add_measured(items, options.measured);
  output << report::html(items, {options.title, options.note, options.author, io::date_of_today()});
  output.commit();
}

}  // namespace bigdna::apps
