#include "session/decoder.h"

#include <c10/core/GradMode.h>

#include <utility>

#include "session/weights.h"

namespace bigdna::session {

Decoder::Decoder(const model_folder::ModelConfig& config, const model::Parameters& parameters,
                 const Placement& placement, std::string name)
    : name_(std::move(name)),
      config_(config),
      placement_(placement),
      parameters_(placed(config, parameters, placement)) {}

Decoder::Decoder(const model_folder::ModelFolder& folder, const Placement& placement)
    : Decoder(folder.config, model::load_weights(folder.config, folder.weights_path()), placement, folder.path) {}

std::vector<float> Decoder::next(std::span<const int32_t> ids, model::Past& past) const {
  const c10::NoGradGuard no_grad;
  std::unique_lock lock(*queue_, std::defer_lock);
  if (!placement_.device.is_cpu()) lock.lock();
  const at::Tensor logits =
      model::next_logits(config_, parameters_, ids, past, placement_.forward()).cpu().contiguous();
  const std::span values(logits.const_data_ptr<float>(), static_cast<size_t>(logits.numel()));
  require_finite(values, name_);
  return {values.begin(), values.end()};
}

}  // namespace bigdna::session
