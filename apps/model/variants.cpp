#include "apps/options/variants.h"

#include "apps/options/run_options.h"
#include "prediction/predict.h"

namespace bigdna::apps {

void run(const VariantsOptions& options) {
  auto settings = options.predict;
  settings.run = run_options(options.common, options.run);
  settings.seed = options.common.seed;
  prediction::predict_variants(settings);
}

}  // namespace bigdna::apps
