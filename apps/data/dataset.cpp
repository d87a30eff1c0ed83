#include "apps/options/dataset_chromatin.h"
#include "apps/options/dataset_profile.h"
#include "apps/options/dataset_promoter.h"
#include "apps/options/dataset_table.h"

namespace bigdna::apps {

namespace {
/// The settings of a dataset, whatever its task, with what all such commands are told.
auto settings_of(const auto& options) {
  auto settings = options.dataset;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.threads = options.common.threads;
  settings.split = options.split.split;
  settings.split.seed = options.common.seed;
  settings.held_out = options.split.held_out(settings.genome);
  return settings;
}
}  // namespace

void run(const DatasetChromatinOptions& options) { dataset::build_chromatin_dataset(settings_of(options)); }
void run(const DatasetProfileOptions& options) { dataset::build_profile_dataset(settings_of(options)); }
void run(const DatasetPromoterOptions& options) { dataset::build_promoter_dataset(settings_of(options)); }
void run(const DatasetTableOptions& options) { dataset::build_table_dataset(settings_of(options)); }

}  // namespace bigdna::apps
