/// A model of counts that knows copies: it predicts a hidden token from the nearest other place of the same input where
/// the bases around it stand again, in the same direction or as reverse complement. It says what there is to be found
/// by a model that reads as far. It sees what that model sees: hidden tokens are gaps of unknown length.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "corpus/example.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::mlm {

/// A place that looks like the surroundings of a hidden token.
struct Copy {
  int32_t token = -1;     // the piece that stands there; -1: there is no such place
  bool inverted = false;  // the reverse complement stands there
  int64_t distance = 0;   // bases between the starts of the token and of its copy
  size_t matched = 0;     // bases on both sides that are equal, at most 32 on each
  bool found() const { return token >= 0; }
};

/// The nearest copies of the masked tokens of each input, in order: of inputs[i] in inputs[(i + shift) %
/// inputs.size()]. At a copy, 12 bases or more on one side are the same, and 16 on both; on the other side the nearest
/// 8 are, as far as they can be read in both places. What lies between is a piece.
std::vector<Copy> find_copies(const std::vector<corpus::Example>& inputs, size_t shift,
                              const tokenizer::Vocabulary& vocabulary, int threads);

/// How often copies are right, counted by the number of bases that match; tandem repeats, which are direct and near,
/// apart from the others.
class CopyConfidence {
 public:
  void count(const Copy& copy, int32_t label);
  /// The probability that the copy holds the hidden token; 0 without a copy.
  double operator()(const Copy& copy) const;
  /// The classes with at least one copy: {"tandem", "matched" (fewest bases), "seen", "right", "share" (the
  /// probability)}.
  nlohmann::ordered_json json() const;

 private:
  struct Count {
    int64_t seen = 0, right = 0;
  };
  static constexpr std::array<size_t, 6> kFewest{16, 20, 24, 28, 32, 48};  // matched bases of each class
  using Counts = std::array<Count, kFewest.size()>;
  static bool tandem(const Copy& copy);
  static size_t class_of(const Copy& copy);
  static double share(const Counts& counts, size_t of_class);
  std::array<Counts, 2> counts_;  // tandem repeats last
};

/// Classes of hidden tokens by their nearest copy: none, or by distance, direct and inverted.
struct CopyClass {
  std::string copy, distance;  // "direct", "1-4kb"; "none", "NA"
};
/// All classes, none last.
const std::vector<CopyClass>& copy_classes();
size_t copy_class(const Copy& copy);

}  // namespace bigdna::mlm
