#include "session/session.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/threads.h"
#include "model/cuda_launch.h"
#include "model/parallel.h"
#include "session/length_batches.h"
#include "session/weights.h"

namespace bigdna::session {

namespace {
std::vector<corpus::Example> examples_at(std::span<const size_t> indices,
                                         const std::vector<corpus::Example>& examples) {
  std::vector<corpus::Example> chosen;
  for (const size_t i : indices) chosen.push_back(examples[i]);
  return chosen;
}
}  // namespace

Session::Session(const model_folder::ModelConfig& config, const model::Parameters& parameters,
                 const Placement& placement, std::string name)
    : name_(std::move(name)),
      config_(config),
      placement_(placement),
      parameters_(placed(config, parameters, placement)) {}

Session::Session(const model_folder::ModelFolder& folder, const Placement& placement)
    : Session(folder.config, model::load_weights(folder.config, folder.weights_path()), placement, folder.path) {}

void Session::check(std::span<const float> values) const { require_finite(values, name_); }

std::vector<std::vector<size_t>> Session::batches(const std::vector<corpus::Example>& examples) const {
  std::vector<int64_t> lengths;
  for (const auto& example : examples) lengths.push_back(static_cast<int64_t>(example.ids.size()));
  // Matrix products with another number of rows add in another order. On a CPU, one example at a time loses no speed.
  return length_batches(lengths, config_, placement_.device.is_cpu() ? 0 : placement_.batch_tokens);
}

at::Tensor Session::run(const std::vector<corpus::Example>& examples, const Compute& compute) const {
  c10::NoGradGuard no_grad;
  std::unique_lock lock(*queue_, std::defer_lock);
  if (!placement_.device.is_cpu()) lock.lock();
  const auto batch = model::make_batch(examples, config_.pattern.block, config_.pad_id, placement_.device);
  model::ToHost result(compute(batch).to(at::kFloat));
  if (lock) lock.unlock();
  return result.get();
}

std::vector<float> Session::rows(std::vector<corpus::Example> examples, int64_t columns, const Compute& compute) const {
  std::vector<float> all(examples.size() * static_cast<size_t>(columns));
  for (const auto& indices : batches(examples)) {
    std::vector<corpus::Example> chosen;
    for (const size_t i : indices) chosen.push_back(std::move(examples[i]));
    const at::Tensor values = run(chosen, compute);
    for (size_t i = 0; i < indices.size(); ++i)
      std::copy_n(values.const_data_ptr<float>() + static_cast<int64_t>(i) * columns, columns,
                  all.begin() + static_cast<int64_t>(indices[i]) * columns);
  }
  check(all);
  return all;
}

std::vector<float> Session::logits(std::vector<corpus::Example> examples) const {
  const auto options = placement_.forward();
  return rows(std::move(examples), config_.labels, [&](const model::Batch& batch) {
    const at::Tensor hidden = model::encode_for_head(config_, parameters_, batch, options);
    return model::task_logits(config_, parameters_, hidden, batch, options);
  });
}

std::vector<float> Session::pooled(std::vector<corpus::Example> examples) const {
  return rows(std::move(examples), config_.pooled_size(), [&](const model::Batch& batch) {
    return model::pooled(config_, model::encode_for_head(config_, parameters_, batch, placement_.forward()), batch);
  });
}

std::vector<float> Session::text_means(std::vector<corpus::Example> examples) const {
  return rows(std::move(examples), config_.hidden, [&](const model::Batch& batch) {
    const at::Tensor hidden = model::encode(config_, parameters_, batch, placement_.forward());
    std::vector<at::Tensor> means;
    for (size_t b = 0; b < batch.lengths.size(); ++b)
      means.push_back(hidden[static_cast<int64_t>(b)]
                          .narrow(0, 1, std::max<int64_t>(1, batch.lengths[b] - 2))
                          .to(at::kFloat)
                          .mean(0));
    return at::stack(means);
  });
}

std::vector<at::Tensor> Session::hidden(std::vector<corpus::Example> examples, int64_t layer) const {
  auto options = placement_.forward();
  options.layers = layer;
  std::vector<at::Tensor> states(examples.size());
  for (const auto& indices : batches(examples)) {
    std::vector<corpus::Example> chosen;
    for (const size_t i : indices) chosen.push_back(std::move(examples[i]));
    const at::Tensor values =
        run(chosen, [&](const model::Batch& batch) { return model::encode(config_, parameters_, batch, options); });
    for (size_t i = 0; i < indices.size(); ++i) {
      auto& own = states[indices[i]];  // without the padding
      own = values[static_cast<int64_t>(i)].narrow(0, 0, static_cast<int64_t>(chosen[i].ids.size())).clone();
      check({own.const_data_ptr<float>(), static_cast<size_t>(own.numel())});
    }
  }
  return states;
}

at::Tensor Session::masked_batch(const std::vector<corpus::Example>& examples, std::span<const size_t> indices,
                                 model::HaltingSteps* halting) const {
  constexpr int64_t kPositions = 1024;  // masked tokens whose logits are computed together, which bounds the memory
  auto options = placement_.forward();
  options.halting = halting;
  at::Tensor values = run(examples_at(indices, examples), [&](const model::Batch& batch) {
    const auto rows = model::encode_pretraining(config_, parameters_, batch, options);
    std::vector<at::Tensor> nats, correct;
    for (int64_t first = 0; first < batch.masked.numel(); first += kPositions) {
      const int64_t count = std::min(kPositions, batch.masked.numel() - first);
      const auto scores = model::mlm_scores(config_, parameters_, rows.masked.narrow(0, first, count),
                                            batch.masked_labels.narrow(0, first, count), options);
      nats.push_back(scores.nats);
      correct.push_back(scores.right.to(at::kFloat));
    }
    std::vector<at::Tensor> parts;
    if (!nats.empty()) parts = {at::cat(nats), at::cat(correct)};
    if (rows.first.defined()) {
      const at::Tensor logits = model::nsp_logits(config_, parameters_, rows.first).to(at::kFloat);
      const at::Tensor right = logits.argmax(1).eq(batch.targets.select(1, 0).to(at::kLong)).to(at::kFloat);
      parts.push_back(right + 0 * logits.sum(1));  // NaN where a logit is none
    }
    return parts.empty() ? rows.masked.flatten() : at::cat(parts);
  });
  check({values.const_data_ptr<float>(), static_cast<size_t>(values.numel())});
  return values;
}

std::vector<std::vector<float>> Session::masked_logits(const std::vector<corpus::Example>& examples) const {
  std::vector<std::vector<float>> all(examples.size());
  for (const auto& indices : batches(examples)) {
    const auto chosen = examples_at(indices, examples);
    const at::Tensor values = run(chosen, [&](const model::Batch& batch) {
      const auto rows = model::encode_pretraining(config_, parameters_, batch, placement_.forward()).masked;
      return model::mlm_logits(config_, parameters_, rows, at::arange(rows.size(0), batch.ids.options()),
                               placement_.forward());
    });
    const float* next = values.const_data_ptr<float>();
    check({next, static_cast<size_t>(values.numel())});
    for (size_t k = 0; k < indices.size(); ++k) {
      const auto count = static_cast<int64_t>(chosen[k].masked.size()) * config_.vocab_size;
      all[indices[k]].assign(next, next + count);
      next += count;
    }
  }
  return all;
}

std::vector<std::vector<float>> Session::masked_nats(const std::vector<corpus::Example>& examples) const {
  std::vector<std::vector<float>> all(examples.size());
  for (const auto& indices : batches(examples)) {
    const at::Tensor values = masked_batch(examples, indices);
    const float* nats = values.const_data_ptr<float>();
    for (const size_t i : indices) {
      all[i].assign(nats, nats + examples[i].masked.size());
      nats += examples[i].masked.size();
    }
  }
  return all;
}

MaskedScores Session::masked(const std::vector<corpus::Example>& examples) const {
  MaskedScores scores;
  std::vector<size_t> first_masked{0};
  for (const auto& example : examples) first_masked.push_back(first_masked.back() + example.masked.size());
  scores.nats.resize(first_masked.back());
  scores.correct.resize(first_masked.back());
  if (!examples.empty() && !examples.front().targets.empty()) scores.pairs.resize(examples.size());
  const auto batches = this->batches(examples);
  const model::OneThreadPerOperation guard;
  log::Progress progress("masked tokens", examples.size(), "examples");
  std::mutex counting;
  parallel_for(static_cast<int64_t>(batches.size()), placement_.streams(), [&](int64_t b) {
    const auto& indices = batches[static_cast<size_t>(b)];
    size_t count = 0;
    for (const size_t i : indices) count += examples[i].masked.size();
    model::HaltingSteps halting;
    const at::Tensor values = masked_batch(examples, indices, &halting);
    {
      const std::scoped_lock lock(counting);
      scores.halting.add(halting);
    }
    const float *nats = values.const_data_ptr<float>(), *correct = nats + count;
    for (const size_t i : indices)
      for (size_t k = first_masked[i]; k < first_masked[i + 1]; ++k) {
        scores.nats[k] = *nats++;
        scores.correct[k] = *correct++ != 0;
      }
    if (!scores.pairs.empty())
      for (const size_t i : indices) scores.pairs[i] = *correct++ != 0;
    progress.add(indices.size());
  });
  return scores;
}

}  // namespace bigdna::session
