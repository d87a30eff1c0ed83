#include "classification/fitted_head.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "classification/linear_models.h"

namespace bigdna::classification {

void fit_head(model::Parameters& parameters, const session::SequenceReader& reader, const session::Session& session,
              const TaskRows& data, std::span<const double> weights, int threads) {
  const int64_t columns = session.config().pooled_size();
  const auto describe = [&](const std::vector<int64_t>& rows) {
    return metrics::FeatureMatrix{static_cast<int64_t>(rows.size()), columns,
                                  session::all_pooled(reader, session, data.bases_of(rows))};
  };
  const auto models = fit_linear_models(data, describe, threads);

  const auto train = data.of(dataset::Split::train);
  at::Tensor weight = at::zeros_like(parameters.at("classifier.out_proj.weight")),
             bias = at::zeros_like(parameters.at("classifier.out_proj.bias"));
  auto* w = weight.mutable_data_ptr<float>();
  auto* b = bias.mutable_data_ptr<float>();
  for (int64_t f = 0; f < data.labels(); ++f) {
    const auto& model = models[static_cast<size_t>(f)];
    double intercept = 0;
    if (model) {
      for (int64_t j = 0; j < columns; ++j) w[f * columns + j] = static_cast<float>(model->weight(j));
      intercept = model->intercept();
    } else {
      const auto y = data.labels_of(train, f);
      const auto ones = static_cast<double>(std::count(y.begin(), y.end(), 1));
      intercept = std::log((ones + 0.5) / (static_cast<double>(y.size()) - ones + 0.5));
    }
    b[f] = static_cast<float>(intercept + std::log(weights[static_cast<size_t>(f)]));
  }
  parameters["classifier.out_proj.weight"] = weight;
  parameters["classifier.out_proj.bias"] = bias;
}

}  // namespace bigdna::classification
