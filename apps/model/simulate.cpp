#include "prediction/simulate.h"

#include "apps/options/run_options.h"
#include "apps/options/simulate.h"

namespace bigdna::apps {

void run(const SimulateOptions& options) {
  auto settings = options.simulate;
  settings.run = run_options(options.common, options.run);
  settings.seed = options.common.seed;
  prediction::simulate(settings);
}

}  // namespace bigdna::apps
