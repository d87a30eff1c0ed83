#include "prediction/predict.h"

#include "apps/options/predict.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void run(const PredictPromoterOptions& options) {
  auto settings = options.predict;
  settings.run = run_options(options.common, options.run);
  prediction::predict_promoter(settings);
}

void run(const ChromatinOptions& options) {
  auto settings = options.predict;
  settings.run = run_options(options.common, options.run);
  prediction::predict_outputs(settings);
}

void run(const PredictOptions& options) {
  auto settings = options.predict;
  settings.run = run_options(options.common, options.run);
  prediction::predict_outputs(settings);
}

}  // namespace bigdna::apps
