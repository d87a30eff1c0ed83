#include "apps/options/explain.h"

#include "apps/options/run_options.h"
#include "prediction/attributions.h"

namespace bigdna::apps {

void run(const ExplainOptions& options) {
  auto settings = options.explain;
  settings.run = run_options(options.common, options.run);
  settings.seed = options.common.seed;
  prediction::explain(settings);
}

}  // namespace bigdna::apps
