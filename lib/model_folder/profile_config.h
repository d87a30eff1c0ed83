/// Profile models: BPNet (Avsec et al. 2021) and ChromBPNet (Pampari et al. 2025), which predict how many reads a
/// region has, and how they spread over its bases. Their folder holds config.json, model.safetensors and bigdna.json.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "genome/interval_set.h"
#include "io/manifest.h"

namespace bigdna::model_folder {

inline constexpr const char* kProfileType = "bigdna-bpnet";  // model_type in config.json

/// One BPNet: a convolution of kFirstWidth bases, residual convolutions of three positions with dilations 2, 4, 8 ...,
/// a profile head of kProfileWidth positions, and a count head on the mean over positions. No position reads beyond the
/// sequence.
struct ProfileHalf {
  static constexpr int64_t kFirstWidth = 21, kDilatedWidth = 3, kProfileWidth = 75;
  std::string name;  // begins the names of its parameters
  int64_t filters = 64, layers = 8;
  int64_t averaged = 0;  // positions in the middle that the count head reads
  int64_t dilation(int64_t layer) const { return int64_t{2} << layer; }
  /// Positions that the last convolution has of a window.
  int64_t positions(int64_t window) const { return window - (kFirstWidth - 1) - 4 * ((int64_t{1} << layers) - 1); }
  bool operator==(const ProfileHalf&) const = default;
};

struct ProfileConfig {
  int64_t window = 2114;  // bp that are read
  int64_t output = 1000;  // bp in the middle of it that have a profile
  int64_t strands = 1;    // 2: a profile for each strand
  int64_t controls = 0;   // tracks that are read beside the bases
  /// The model and, of a ChromBPNet, its model of the enzyme's bias: their profile logits are added, and the counts,
  /// too.
  std::vector<ProfileHalf> halves;
  bool has_bias() const { return halves.size() == 2; }
  int64_t margin() const { return (window - output) / 2; }
  bool operator==(const ProfileConfig&) const = default;
};
inline constexpr const char *kModelHalf = "model", *kBiasHalf = "bias";

/// Error naming `where` if the numbers do not fit together.
void check(const ProfileConfig& config, const std::string& where);
nlohmann::ordered_json to_json(const ProfileConfig& config);
ProfileConfig profile_config_from_json(const nlohmann::json& json, const std::string& file);
std::map<std::string, std::vector<int64_t>> parameter_shapes(const ProfileConfig& config);
int64_t parameter_count(const ProfileConfig& config);

/// Whether a config.json is a profile model's.
bool is_profile(const nlohmann::json& config);
/// The folder of a profile model, opened for reading.
struct ProfileFolder {
  std::string path;
  ProfileConfig config;
  io::Manifest manifest;
  std::string weights_path() const { return path + "/model.safetensors"; }
  /// What the model was trained on; empty if another program trained it.
  genome::IntervalSet training_intervals() const;
  /// Error if it is another model's.
  static ProfileFolder open(const std::string& path);
};
/// Whether the folder holds a profile model. False for what is no model folder.
bool is_profile_model(const std::string& path);
/// Writes config.json and, last, bigdna.json. The folder must hold the weights.
void write_profile_folder(const std::string& path, const ProfileConfig& config, io::Manifest manifest);

}  // namespace bigdna::model_folder
