#include "apps/options/dataset_chromatin.h"

namespace bigdna::apps {

void run(const DatasetChromatinOptions& options) {
  auto settings = options.dataset;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.threads = options.common.threads;
  settings.split = options.split.split;
  settings.split.seed = options.common.seed;
  settings.held_out = options.split.held_out(settings.genome);
  dataset::build_chromatin_dataset(settings);
}

}  // namespace bigdna::apps
