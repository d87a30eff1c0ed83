#include "prediction/motifs.h"

#include "apps/options/motifs.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void run(const MotifsOptions& options) {
  auto settings = options.motifs;
  settings.run = run_options(options.common, options.run);
  settings.seed = options.common.seed;
  prediction::motifs(settings);
}

}  // namespace bigdna::apps
