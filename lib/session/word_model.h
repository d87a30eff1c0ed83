/// The words of a fine-tuned model: how often each short word occurs around the start site or the bin, and a logit of each
/// feature that is linear in that. The encoder's logit is added to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_folder/model_folder.h"

namespace bigdna::session {

/// What is counted.
struct WordCounts {
  struct Scale {
    int64_t width;  // bp around the site; 0: all that is read
    int longest;    // words of 1 up to so many bases
  };
  std::vector<Scale> scales;
  bool both_strands = false;  // a word and its reverse complement are one

  /// For intervals of `length` bp; a width that is no less than that is left out. Along a strand: words of up to 3 bases within
  /// 20 and 60 bp, of up to 4 within 200 and 1000 bp and in all of it. Both strands as one: of up to 5 within 200 and 1000 bp
  /// and in all of it. (Chosen on training rows of human chr20: docs/benchmarks.md.)
  static WordCounts of_interval(int64_t length, bool both_strands);
  int64_t columns() const;
  /// Frequencies (metrics::kmer_frequencies) at each scale, one after the other. `anchor`: where the site lies, a fraction of
  /// the length.
  std::vector<float> frequencies(std::string_view bases, double anchor) const;
  /// The part of the bases that a scale covers: first base and length.
  static std::pair<size_t, size_t> part_of(const Scale& scale, size_t length, double anchor);
};

/// logit = bias + weight x frequencies + encoder x the encoder's logit.
struct WordModel {
  WordCounts counts;
  std::vector<float> weight;   // [labels, columns]
  std::vector<float> bias;     // [labels]; like the head's, for odds that count the positive weight of training
  std::vector<float> encoder;  // [labels], >= 0: the share of the encoder; 0: the words alone

  size_t labels() const { return bias.size(); }
  /// The words' part of the logits of one sequence, [labels].
  std::vector<float> logits(std::string_view bases, double anchor) const;
  /// Turns the encoder's logits of some sequences, row-major [sequences, labels], into the model's.
  void add_to(std::span<float> encoder_logits, std::span<const std::string> sequences, double anchor) const;

  /// What each base adds to the words' part of a feature's logit: every occurrence of a word gives its share, less that of
  /// the mean word of its length, evenly to its bases.
  std::vector<double> importance(std::string_view bases, double anchor, size_t label) const;

  void save(const std::string& path) const;
  static WordModel load(const std::string& path);
  /// The folder's (model_folder::kWordsFile); none where its bigdna.json lists none. Error where the file is missing, is not the
  /// one that is listed, or does not fit the model.
  static std::optional<WordModel> of(const model_folder::ModelFolder& folder);
};

}  // namespace bigdna::session
