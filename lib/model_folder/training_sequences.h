/// Which sequences a model was trained on: rows of tables and of promoter datasets. Bins of a genome are known by their
/// position alone.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "model_folder/model_folder.h"

namespace bigdna::model_folder {

/// 64-bit hashes of sequences, a sequence and its reverse complement alike. Of a million training sequences, one in ten
/// trillion others is taken for one of them.
class TrainingSequences {
 public:
  /// Those that a model folder lists; none if it has no such file. Error for a damaged one.
  static TrainingSequences of(const ModelFolder& folder) { return of(folder.path, folder.manifest); }
  static TrainingSequences of(const std::string& folder, const io::Manifest& manifest);

  void add(std::string_view bases) { hashes_.insert(hash_of(bases)); }
  void add(const TrainingSequences& other) { hashes_.insert(other.hashes_.begin(), other.hashes_.end()); }
  bool contains(std::string_view bases) const { return hashes_.contains(hash_of(bases)); }
  bool empty() const { return hashes_.empty(); }
  /// The same for a sequence and its reverse complement, in upper or lower case.
  static uint64_t hash_of(std::string_view bases);
  /// Writes the file of a model folder and lists it in the manifest; without sequences, nothing.
  void save(const std::string& folder, io::Manifest& manifest) const;

 private:
  std::set<uint64_t> hashes_;
};

}  // namespace bigdna::model_folder
