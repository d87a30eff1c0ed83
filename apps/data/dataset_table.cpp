#include "apps/options/dataset_table.h"

namespace bigdna::apps {

void run(const DatasetTableOptions& options) {
  auto settings = options.dataset;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.threads = options.common.threads;
  settings.split = options.split.split;
  settings.split.seed = options.common.seed;
  settings.held_out = options.split.held_out(settings.genome);
  dataset::build_table_dataset(settings);
}

}  // namespace bigdna::apps
