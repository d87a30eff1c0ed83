#include "model_folder/architecture.h"

#include <array>
#include <cstdlib>

namespace bigdna::model_folder {
namespace {

constexpr std::array kArchitectures{&kBigBird, &kModern};

}  // namespace

std::span<const ArchitectureRow* const> architectures() { return kArchitectures; }

const ArchitectureRow& architecture(Architecture architecture) {
  return *kArchitectures[static_cast<size_t>(architecture)];
}

bool is_of_head(const ArchitectureRow& row, std::string_view name) {
  return !name.starts_with("bigdna.") && !name.starts_with(row.encoder);
}

bool is_gain(std::string_view name) { return name.ends_with("Norm.weight") || name.ends_with("norm.weight"); }

int64_t depth_of(const ModelConfig& config, const std::string& name) {
  const auto& row = architecture(config);
  if (name.starts_with(row.layer)) return std::atoll(name.c_str() + row.layer.size());
  if (name == row.last) return config.layers - 1;
  return is_of_head(row, name) ? config.layers : -1;
}

}  // namespace bigdna::model_folder
