#include "prediction/explain.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "genome/alphabet.h"
#include "model/cnn.h"
#include "model/encoder.h"
#include "model_folder/architecture.h"

namespace bigdna::prediction {

std::vector<double> gradient_importance(const session::SequenceReader& reader, const session::Session& session,
                                        const std::string& bases, int64_t label,
                                        const session::KmerModel* model_kmers) {
  std::vector<int64_t> begins;
  auto example = reader.example(bases, false, &begins);
  auto config = session.config();
  auto batch = model::make_batch({example}, config.pattern.block, config.pad_id, session.placement().device);

  // each position of the sequence has its own embedding, so that gradients are per position
  const std::string name_of_embeddings(model_folder::architecture(config).words);
  const at::Tensor& embeddings = session.parameters().at(name_of_embeddings);
  auto places = session.parameters();
  at::Tensor table = at::embedding(embeddings, batch.ids.view({-1})).detach().requires_grad_(true);
  places[name_of_embeddings] = table;
  batch.ids = at::arange(table.size(0), batch.ids.options()).view_as(batch.ids);
  config.vocab_size = table.size(0);
  batch.largest_id = static_cast<int32_t>(table.size(0)) - 1;

  c10::AutoGradMode with_gradients(true);
  const auto forward = session.placement().forward();
  const at::Tensor hidden = model::encode(config, places, batch, forward);
  at::Tensor logit = model::task_logits(config, places, hidden, batch, forward).to(at::kFloat)[0][label];
  at::Tensor frequencies;  // of the k-mers that the kernel model reads
  if (model_kmers) {
    logit = logit * model_kmers->encoder[static_cast<size_t>(label)];
    if (model_kmers->kernel) {
      frequencies = at::tensor(model_kmers->counts.values(bases, reader.anchor()), at::kFloat).unsqueeze(0);
      frequencies.requires_grad_(true);
      const at::Tensor states = model::pooled(config, hidden, batch).to(at::kCPU, at::kFloat);
      logit = logit.to(at::kCPU) + model_kmers->kernel->logits(frequencies, states)[0][label];
    }
  }
  logit.backward();
  const at::Tensor values =
      (table.grad() * (table.detach() - embeddings.detach().mean(0))).sum(-1).to(at::kCPU).to(at::kDouble).contiguous();

  // of the CNN branch likewise: what a base adds that the mean of the four would not
  at::Tensor letters;
  if (config.cnn_filters > 0) {
    auto window = model::cnn_window(batch);
    letters = window.letters.requires_grad_(true);
    model::cnn_logits(config, session.parameters(), window, forward).select(0, 0).select(0, label).backward();
    letters = letters.grad() * (letters.detach() - letters.detach().sum(1, true) / 4);
    letters = letters.sum(1).to(at::kCPU).to(at::kDouble).contiguous();
  }

  std::vector<double> importance(bases.size(), 0);
  const double weight = model_kmers ? model_kmers->encoder[static_cast<size_t>(label)] : 1;
  if (model_kmers) {  // the kernel model is linear in so small a change
    const auto of_kmers = model_kmers->weights_of(static_cast<size_t>(label));
    std::vector<float> weights(of_kmers.begin(), of_kmers.end());
    if (frequencies.defined()) {
      const at::Tensor slope = frequencies.grad().contiguous();
      for (size_t j = 0; j < weights.size(); ++j) weights[j] += slope.const_data_ptr<float>()[j];
    }
    importance = model_kmers->importance(bases, reader.anchor(), weights);
  }
  for (size_t token = 0; token + 1 < begins.size(); ++token) {  // position 0 is [CLS]
    const double value = values.const_data_ptr<double>()[token + 1];
    const auto length = static_cast<double>(begins[token + 1] - begins[token]);
    for (int64_t i = begins[token]; i < begins[token + 1]; ++i) importance[static_cast<size_t>(i)] += value / length;
  }
  for (int64_t i = 0; letters.defined() && i < letters.numel(); ++i)
    importance[static_cast<size_t>(example.first_base + i)] += weight * letters.const_data_ptr<double>()[i];
  if (!std::ranges::all_of(importance, [](double value) { return std::isfinite(value); })) session.fail_not_finite();
  return importance;
}

std::vector<double> mutagenesis_importance(const session::SequenceReader& reader, const session::Session& session,
                                           const std::string& bases, int64_t label, const session::KmerModel* kmers) {
  const auto labels = static_cast<size_t>(session.config().labels);
  const auto logits_of = [&](const std::vector<std::string>& sequences) {
    const auto all = session::all_logits(reader, session, sequences, kmers);
    std::vector<double> logits;
    for (size_t i = static_cast<size_t>(label); i < all.size(); i += labels) logits.push_back(all[i]);
    return logits;
  };
  const double reference = logits_of({bases}).front();
  std::vector<double> importance(bases.size(), 0);
  constexpr size_t kBases = 256;  // bases that are mutated together, which bounds the memory
  for (size_t begin = 0; begin < bases.size(); begin += kBases) {
    const size_t end = std::min(bases.size(), begin + kBases);
    const auto logits = logits_of(genome::substitutions(bases, static_cast<int64_t>(begin), static_cast<int64_t>(end)));
    size_t at = 0;
    for (size_t i = begin; i < end; ++i) {
      const size_t count = bases[i] == 'N' ? 4 : 3;
      double sum = 0;
      for (size_t k = 0; k < count; ++k) sum += logits[at++];
      importance[i] = reference - sum / static_cast<double>(count);
    }
  }
  return importance;
}

}  // namespace bigdna::prediction
