#include "model_folder/decoder.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/stack.h"
#include "sparsity/pattern.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array kDecoders{
    DecoderRow{.architecture = Architecture::modern,
               .model_type = "modernbert-decoder",
               .classes = "ModernBertDecoder",
               .head = "head.",
               .own_head = "lm_head.",
               .whole = "Wqkv.",
               .parts = {"q_proj.", "k_proj.", "v_proj."}},
};

/// `name` with each of the parts in the place of `old`, which begins at `at`.
std::vector<std::string> of_parts(const DecoderRow& decoder, const std::string& name, size_t at, std::string_view old) {
  std::vector<std::string> names;
  for (const auto part : decoder.parts) names.push_back(std::string(name).replace(at, old.size(), part));
  return names;
}

const DecoderRow* first_decoder(auto same) {
  const auto found = std::ranges::find_if(kDecoders, same);
  return found == kDecoders.end() ? nullptr : &*found;
}

}  // namespace

const DecoderRow* decoder_of(Architecture architecture) {
  return first_decoder([&](const DecoderRow& row) { return row.architecture == architecture; });
}

const DecoderRow* decoder_named(std::string_view model_type) {
  return first_decoder([&](const DecoderRow& row) { return row.model_type == model_type; });
}

std::string not_in_transformers(const ModelConfig& config) {
  const auto attention_type = [](std::string_view pattern) { return sparsity::pattern(pattern).attention_type; };
  if (config.attention != AttentionConfig()) return concat("attention ", config.attention.name);
  if (!stack(config).plain) return concat("stack ", config.stack.name);
  if (!config.is_causal()) return "";
  if (!decoder_of(config.architecture)) return concat("causal models of --architecture ", architecture(config).name);
  if (config.has_task()) return concat("causal models with head ", config.head);
  if (attention_type(config.pattern.name) != attention_type("full"))
    return concat("causal models with pattern ", config.pattern.name,
                  " (bigdna convert --pattern full makes it full, with the same weights)");
  return "";
}

std::vector<std::string> names_in(const DecoderRow& decoder, const std::string& name) {
  if (name.starts_with(decoder.head)) return {concat(decoder.own_head, name.substr(decoder.head.size()))};
  const size_t at = name.find(decoder.whole);
  return at == name.npos ? std::vector{name} : of_parts(decoder, name, at, decoder.whole);
}

std::vector<std::string> keys_to_write(const ModelConfig& config, const std::string& name) {
  const bool decoder = config.is_causal() && not_in_transformers(config).empty();
  return decoder ? names_in(*decoder_of(config.architecture), name) : std::vector{name};
}

std::vector<std::string> all_keys(const ModelConfig& config, const std::string& name, const std::string& first) {
  const auto* decoder = decoder_of(config.architecture);
  if (!decoder || name.find(decoder->whole) == name.npos) return {first};
  const size_t at = first.rfind(decoder->parts.front());
  return at == first.npos ? std::vector{first} : of_parts(*decoder, first, at, decoder->parts.front());
}

}  // namespace bigdna::model_folder
