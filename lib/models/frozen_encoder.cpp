#include "models/frozen_encoder.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/finite.h"
#include "io/safetensors.h"
#include "model/parameters.h"
#include "model_folder/encoder_part.h"

namespace bigdna::models {

std::vector<float> EncoderHead::logits(std::span<const float> states) const {
  const auto width = static_cast<size_t>(columns());
  std::vector<float> all;
  for (size_t row = 0; row < states.size(); row += width)
    for (size_t f = 0; f < labels(); ++f) {
      double sum = bias[f];
      for (size_t j = 0; j < width; ++j) sum += static_cast<double>(weight[f * width + j]) * states[row + j];
      all.push_back(static_cast<float>(sum));
    }
  return all;
}

std::vector<float> EncoderHead::in_sum(std::vector<float> logits) const {
  for (size_t i = 0; i < logits.size(); ++i) {
    const size_t f = i % labels();
    logits[i] = scale[f] * logits[i] + shift[f];
  }
  return logits;
}

std::vector<float> FrozenEncoderTerm::logits(std::span<Reading> readings) const {
  auto logits = head_.logits(encoder_.pooled(readings));
  return alone_ ? logits : head_.in_sum(std::move(logits));
}

void EncoderHead::save(const std::string& path) const {
  const auto count = std::ssize(bias);
  io::write_safetensors(
      path, {io::array<float>("weight", weight, {count, columns()}), io::array<float>("bias", bias, {count}),
             io::array<float>("scale", scale, {count}), io::array<float>("shift", shift, {count}),
             io::array<float>("base_weight", base_weight, {count})});
}

EncoderHead EncoderHead::load(const std::string& path) {
  const io::SafetensorsFile file(path);
  const auto values = [&](const std::string& name) {
    const auto view = file.at(name).as<float>(path + ": " + name);
    std::vector<float> all(view.begin(), view.end());
    if (!all_finite(all)) fail(path, ": ", name, " holds values that are not finite numbers: damaged");
    return all;
  };
  EncoderHead head{values("weight"), values("bias"), values("scale"), values("shift"), values("base_weight")};
  const size_t count = head.labels();
  if (count == 0 || head.scale.size() != count || head.shift.size() != count || head.base_weight.size() != count ||
      head.weight.size() != count * static_cast<size_t>(head.columns()))
    fail(path, ": the shapes of its arrays disagree");
  return head;
}

std::optional<EncoderHead> EncoderHead::of(const model_folder::ModelFolder& folder) {
  if (!model_folder::file_entry(folder.manifest, model_folder::kEncoderHeadFile)) return std::nullopt;
  if (!folder.network || !folder.network->pooled)
    fail(folder.path, ": lists ", model_folder::kEncoderHeadFile,
         ", which only networks have that answer for whole sequences");
  folder.manifest.verify_file(folder.path, model_folder::kEncoderHeadFile);
  const std::string path = folder.path + "/" + model_folder::kEncoderHeadFile;
  auto head = load(path);
  if (static_cast<int64_t>(head.labels()) != folder.config.labels)
    fail(path, ": is of ", counted(head.labels(), "label"), ", but the model has ", folder.config.labels);
  return head;
}

namespace {
/// With what a head reads by default (FinetuneOptions::pool).
model_folder::ModelConfig with_scales(model_folder::ModelConfig config) {
  config.pool = "scales";
  return config;
}
}  // namespace

FrozenEncoder::FrozenEncoder(const model_folder::ModelFolder& folder, double anchor,
                             const session::Placement& placement)
    : reader_(folder.vocabulary, folder.config.max_length, anchor),
      session_(with_scales(folder.config), model::load_weights(folder.config, folder.weights_path()), placement,
               folder.path) {}

int64_t FrozenEncoder::columns(const model_folder::ModelFolder& folder) {
  return with_scales(folder.config).pooled_size();
}

model_folder::ModelFolder FrozenEncoder::open_beside(const model_folder::ModelFolder& model) {
  for (const auto& name : model_folder::encoder_files(model.manifest)) model.manifest.verify_file(model.path, name);
  auto folder = model_folder::ModelFolder::open(model.path + "/" + model_folder::kEncoderFolder);
  folder.check_reads_sequences();
  return folder;
}

}  // namespace bigdna::models
