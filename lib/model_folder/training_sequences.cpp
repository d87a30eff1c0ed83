#include "model_folder/training_sequences.h"

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "genome/alphabet.h"
#include "io/safetensors.h"

namespace bigdna::model_folder {

namespace {
constexpr const char* kFile = "training_sequences.safetensors";
constexpr const char* kHashes = "hashes";

/// Of the letters in order, eight at a time, upper and lower case alike.
uint64_t hash_of_strand(std::string_view bases) {
  uint64_t hash = bases.size();
  for (size_t at = 0; at < bases.size(); at += 8) {
    uint64_t letters = 0;
    for (const char base : bases.substr(at, 8)) letters = letters << 8 | static_cast<uint8_t>(base & ~0x20);
    hash = mix({hash, letters});
  }
  return hash;
}
}  // namespace

uint64_t TrainingSequences::hash_of(std::string_view bases) {
  return std::min(hash_of_strand(bases), hash_of_strand(genome::reverse_complement(bases)));
}

TrainingSequences TrainingSequences::of(const std::string& folder, const io::Manifest& manifest) {
  TrainingSequences sequences;
  if (!file_entry(manifest, kFile)) return sequences;
  const std::string path = folder + "/" + kFile;
  const io::SafetensorsFile file(path);
  const auto hashes = file.at(kHashes).as<uint64_t>(path);
  sequences.hashes_.insert(hashes.begin(), hashes.end());
  return sequences;
}

void TrainingSequences::save(const std::string& folder, io::Manifest& manifest) const {
  if (empty()) return;
  const std::vector<uint64_t> hashes(hashes_.begin(), hashes_.end());
  io::write_safetensors(folder + "/" + kFile,
                        {io::array<uint64_t>(kHashes, hashes, {static_cast<int64_t>(hashes.size())})});
  manifest.add_file(folder, kFile);
}

}  // namespace bigdna::model_folder
