#include "training/fitted_head.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "linear/kmer_fit.h"
#include "linear/linear_fit.h"
#include "model_folder/architecture.h"

namespace bigdna::training {

at::Tensor fit_head(model::Parameters& parameters, const model_folder::ModelConfig& config,
                    const std::vector<float>& pooled, const rows::TaskRows& data, std::span<const double> weights,
                    int threads) {
  const auto rows = linear::fitted_rows(data);
  const at::Tensor x = at::tensor(pooled, at::kFloat).view({static_cast<int64_t>(rows.size()), config.pooled_size()});
  const auto fit = linear::fit_linear(x, data.label_matrix(rows), data.folds_of(rows), data.type, threads);
  const std::string head(model_folder::architecture(config).task_output);
  parameters[head + ".weight"] = fit.models.weight;
  parameters[head + ".bias"] =
      fit.models.bias + at::tensor(std::vector<double>(weights.begin(), weights.end()), at::kFloat).log();
  return fit.out_of_fold;
}

}  // namespace bigdna::training
