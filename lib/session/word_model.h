/// The words of a fine-tuned model: the frequencies of short words around the start site or the bin, and for each
/// feature a logit that is linear in them. The encoder's logit is added to it.
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

/// Which words are counted, and where.
struct WordCounts {
  struct Scale {
    int64_t width;  // bp around the site; 0: the whole interval
    int longest;    // words of 1 base up to this length
  };
  std::vector<Scale> scales;
  bool both_strands = false;  // a word and its reverse complement count as one

  /// The counts for intervals of `length` bp, without widths that are not smaller. Along a strand: words of up to 3
  /// bases within 20 and 60 bp, and of up to 4 within 200 and 1000 bp and in the whole interval. With both strands as
  /// one: words of up to 5 bases within 200 and 1000 bp and in the whole interval. (Chosen on training rows of human
  /// chr20: docs/benchmarks.md.)
  static WordCounts of_interval(int64_t length, bool both_strands);
  int64_t columns() const;
  /// Frequencies (metrics::kmer_frequencies) at each scale, concatenated. `anchor`: the site's position, as a fraction
  /// of the length.
  std::vector<float> frequencies(std::string_view bases, double anchor) const;
  /// The part of the bases that a scale covers: first base and length.
  static std::pair<size_t, size_t> part_of(const Scale& scale, size_t length, double anchor);
};

/// logit = bias + weight x frequencies + encoder x the encoder's logit.
struct WordModel {
  WordCounts counts;
  std::vector<float> weight;   // [labels, columns]
  std::vector<float> bias;     // [labels]; like the head's, it includes the positive weight of training
  std::vector<float> encoder;  // [labels], >= 0: the share of the encoder; 0 for the words alone

  size_t labels() const { return bias.size(); }
  /// The words' part of the logits of one sequence, [labels].
  std::vector<float> logits(std::string_view bases, double anchor) const;
  /// Turns the encoder's logits of some sequences, row-major [sequences, labels], into the model's.
  void add_to(std::span<float> encoder_logits, std::span<const std::string> sequences, double anchor) const;

  /// The contribution of each base to the words' part of a feature's logit: every occurrence of a word spreads its
  /// weight, minus that of the mean word of its length, evenly over its bases.
  std::vector<double> importance(std::string_view bases, double anchor, size_t label) const;

  void save(const std::string& path) const;
  static WordModel load(const std::string& path);
  /// The words in the folder (model_folder::kWordsFile); nullopt if its bigdna.json lists none. Error if the file is
  /// missing, is not the one that is listed, or does not fit the model.
  static std::optional<WordModel> of(const model_folder::ModelFolder& folder);
};

}  // namespace bigdna::session
