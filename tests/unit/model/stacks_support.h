/// What the tests of the table of stacks share.
#pragma once

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "attentions_support.h"
#include "model/stack.h"
#include "model_folder/architecture.h"
#include "model_folder/stack.h"

namespace bigdna::model {

using model_folder::Architecture;

/// A small model of three layers.
inline model_folder::ModelConfig with_stack(const std::string& stack, Architecture architecture = Architecture::modern,
                                            const std::string& attention = "blocks") {
  auto config = config_with(attention, architecture);
  config.stack = model_folder::stack_from(stack);
  model_folder::check(config);
  return config;
}

/// Every row with every architecture that it takes, and every word of its settings.
inline std::vector<std::tuple<std::string, Architecture>> stack_variants() {
  std::vector<std::tuple<std::string, Architecture>> variants;
  for (const auto& row : model_folder::stacks()) {
    std::vector<std::string> texts{std::string(row.name)};
    for (const auto& setting : row.settings)
      for (double word = 0; !setting.words.empty() && word <= setting.most; ++word)
        if (word != setting.start)
          texts.push_back(concat(row.name, ":", setting.name, "=", model_folder::setting_text(setting, word)));
    for (const auto& text : texts)
      for (const auto architecture : {Architecture::bigbird, Architecture::modern})
        if (!row.branches || model_folder::architecture(architecture).branches)
          variants.emplace_back(text, architecture);
  }
  return variants;
}

/// The model's weights, moved so far that gates, spans and norms are not what they began as.
inline Parameters moved_weights(const model_folder::ModelConfig& config, at::ScalarType type = at::kFloat) {
  Parameters parameters = initialise(config, 5);
  for (auto& [name, value] : parameters) {
    value = (value.to(type) + 0.05 * random_tensor(value.sizes(), 9).to(type)).detach();
    const auto* own = model_folder::own_parameter(name);
    if (own && own->update == model_folder::Update::clamped) value.clamp_(0.1, 0.9);
    value.requires_grad_();
  }
  return parameters;
}

struct Outcome {
  at::Tensor states;
  Parameters gradients;
};

/// States [batch, n, hidden] of a pass before what follows the last layer, computed in another way.
using Formula = std::function<at::Tensor(const Pass&, const Parameters&, const Batch&)>;

/// States of the text, by encode() or a formula, and what a random loss of them gives each parameter. Rows of padding
/// have no part in it. `change`: of the weights.
inline Outcome outcome(
    const model_folder::ModelConfig& config, const std::vector<corpus::Example>& examples,
    const ForwardOptions& options, const Formula& formula = {},
    const std::function<void(Parameters&)>& change = [](Parameters&) {}) {
  Parameters parameters = moved_weights(config, options.compute == at::kDouble ? at::kDouble : at::kFloat);
  change(parameters);
  const Batch batch = make_batch(examples, config.pattern.block, config.pad_id, at::kCPU);
  at::Tensor states;
  if (formula) {
    const auto pass = functions_of(config).pass(config, parameters, batch, options, nullptr);
    states = pass->text(pass->finish(formula(*pass, parameters, batch))).to(at::kFloat);
  } else {
    states = encode(config, parameters, batch, options);
  }
  at::Tensor loss = at::zeros({}, states.options());
  for (size_t i = 0; i < examples.size(); ++i) {
    const at::Tensor mine = states[static_cast<int64_t>(i)].narrow(0, 0, batch.lengths[i]);
    loss = loss + (mine * random_tensor(mine.sizes(), 30 + i)).sum();
  }
  std::vector<at::Tensor> leaves;
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters) leaves.push_back(value), names.push_back(name);
  const auto gradients = torch::autograd::grad({loss}, leaves, {}, false, false, /*allow_unused=*/true);
  Outcome result{states.detach(), {}};
  for (size_t i = 0; i < names.size(); ++i)
    if (gradients[i].defined()) result.gradients[names[i]] = gradients[i];
  return result;
}

/// The largest difference of two outcomes, relative to the largest number of each tensor.
inline double difference(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.gradients.size(), b.gradients.size());
  double most = max_difference(a.states, b.states) / b.states.abs().max().item<double>();
  for (const auto& [name, gradient] : b.gradients) {
    if (name.ends_with("key.bias")) continue;  // nothing but rounding: softmax does not see it
    const double size = gradient.abs().max().item<double>();
    EXPECT_GT(size, 0) << name;
    most = std::max(most, max_difference(a.gradients.at(name), gradient) / size);
  }
  return most;
}

}  // namespace bigdna::model
