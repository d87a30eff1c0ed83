#include "training/encoder_beside.h"

#include <ATen/ops/tensor.h>

#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "genome/alphabet.h"
#include "linear/kmer_fit.h"
#include "linear/linear_fit.h"
#include "model_folder/encoder_part.h"
#include "rows/row_parts.h"

namespace bigdna::training {

model_folder::ModelFolder open_encoder(const std::string& path) {
  auto folder = model_folder::ModelFolder::open_any(path);
  const char* const needs = "; --encoder takes a pretrained encoder (bigdna pretrain)";
  if (folder.network) fail(folder.path, ": is a network on bases", needs);
  if (folder.config.has_task()) fail(folder.path, ": was trained for the task '", folder.config.head, "'", needs);
  folder.check_reads_sequences();
  return folder;
}

namespace {
/// Sequences that are read in all: training rows that are fitted, those for calibration, and the test split.
int64_t readings_of(const rows::TaskRows& rows, session::Strands strands) {
  const auto count = linear::fitted_rows(rows).size() + evaluation::calibration_rows(rows).size() +
                     rows.of(dataset::Split::test).size();
  return static_cast<int64_t>(count) * (strands == session::Strands::average ? 2 : 1);
}

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor all = tensor.contiguous();
  return {all.const_data_ptr<float>(), all.const_data_ptr<float>() + all.numel()};
}
}  // namespace

EncoderBeside::EncoderBeside(const model_folder::ModelFolder& encoder, const rows::TaskRows& rows,
                             session::Strands strands, const session::Placement& placement, int threads)
    : TermBeside(rows),
      folder_(encoder),
      strands_(strands),
      encoder_(encoder, rows.anchor(), placement),
      known_(encoder_.reader(), encoder_.session(), rows),
      keeps_states_(FrozenStates::fit(readings_of(rows, strands), models::FrozenEncoder::columns(encoder))) {
  const auto train = linear::fitted_rows(rows);
  const auto pooled = of_strands(train, [](std::vector<float> states) { return states; });
  const at::Tensor x = at::tensor(pooled, at::kFloat).view({std::ssize(train), -1});
  const auto fit = linear::fit_linear(x, rows.label_matrix(train), rows.folds_of(train), rows.type, threads);
  head_.weight = values_of(fit.models.weight);
  head_.bias = values_of(fit.models.bias);
  out_of_fold_ = {train, fit.out_of_fold};
}

std::vector<float> EncoderBeside::states(const Rows& rows, bool reversed) const {
  if (keeps_states_) {
    known_.add(rows, reversed);
    return known_.of(rows, reversed);
  }
  return rows::in_row_parts("the encoder's states", rows, [&](const Rows& part) {
    auto bases = rows_.bases_of(part);
    if (!reversed) return models::all_pooled(encoder_.reader(), encoder_.session(), bases);
    for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
    return models::all_pooled(encoder_.reader(), encoder_.session(), bases, /*reversed=*/true);
  });
}

std::vector<float> EncoderBeside::of_strands(const Rows& rows, const auto& of_states) const {
  std::vector<float> all = of_states(states(rows, false));
  if (strands_ != session::Strands::average) return all;
  const std::vector<float> other = of_states(states(rows, true));
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[i]) / 2;
  return all;
}

std::vector<float> EncoderBeside::logits(const Rows& rows) const {
  return of_strands(rows, [&](const std::vector<float>& states) { return head_.logits(states); });
}

std::vector<float> EncoderBeside::in_sum(const Rows& rows) const {
  return of_strands(rows, [&](const std::vector<float>& states) { return head_.in_sum(head_.logits(states)); });
}

void EncoderBeside::placed() {
  const auto floats = [](const std::vector<double>& values) {
    return std::vector<float>(values.begin(), values.end());
  };
  head_.scale = floats(place()->scale);
  head_.shift = floats(place()->shift);
  head_.base_weight = floats(place()->base_weight);
}

void EncoderBeside::keep() {
  if (place()) return;
  const auto outputs = static_cast<size_t>(rows_.labels());
  Place none{std::vector<double>(outputs, 0), std::vector<double>(outputs, 0), std::vector<double>(outputs, 1), {}};
  for (const auto& feature : rows_.features) none.share[feature.group] = 0;
  log::info("the kernel model reads the encoder's states, so the model keeps the encoder");
  set_place(std::move(none));
}

void EncoderBeside::write(const std::string& folder, io::Manifest& manifest) const {
  manifest.add_input(folder_.weights_path());
  if (!place()) return;
  head_.save(folder + "/" + model_folder::kEncoderHeadFile);
  manifest.add_file(folder, model_folder::kEncoderHeadFile);
  model_folder::put_encoder(folder_, folder, manifest);
  manifest.details["encoder_share"] = place()->share;
}

}  // namespace bigdna::training
