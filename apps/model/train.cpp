#include "profile/train.h"

#include "apps/options/run_options.h"
#include "apps/options/train.h"
#include "io/output.h"

namespace bigdna::apps {

void run(const TrainChromatinOptions& options) {
  auto settings = options.train;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.seed = options.common.seed;
  settings.baseline = !options.no_baseline;
  settings.run = run_options(options.common, options.run);
  io::Output out("-");
  out << profile::train(settings);
  out.commit();
}

}  // namespace bigdna::apps
