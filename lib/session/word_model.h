/// The words of a fine-tuned model: how frequent short words are around the start site or the bin, and for each feature
/// a logit that is linear in that. The encoder's logit is added to it and, in most models, that of a kernel machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_folder/model_folder.h"
#include "session/kernel_model.h"

namespace bigdna::session {

/// Which words are counted, and where.
struct WordCounts {
  /// Bases `from` to `to` (half-open, in bp from the site along the strand), as far as they lie in the interval.
  struct Window {
    static constexpr int64_t kAll = int64_t{1} << 40;
    int64_t from = -kAll, to = kAll;
    int longest = 1;            // words of 1 base up to this length
    bool both_strands = false;  // a word and its reverse complement count as one
  };
  std::vector<Window> windows;
  /// Square roots of the frequencies: the spread of a word's count then does not grow with its mean.
  bool square_roots = false;

  /// The counts for intervals of `length` bp whose site is at the fraction `anchor`: a start site, to whose sides words
  /// are told apart; a bin without a strand; or the middle of a sequence of any kind. Chosen on training rows of human
  /// chr20 (docs/benchmarks.md).
  enum class Site { start, bin, middle };
  static WordCounts of_interval(int64_t length, double anchor, Site site);
  int64_t columns() const;
  /// Of each window the frequencies (metrics::kmer_frequencies) or their roots, concatenated.
  std::vector<float> values(std::string_view bases, double anchor) const;
  /// The part of the bases that a window covers: first base and length.
  static std::pair<size_t, size_t> part_of(const Window& window, size_t length, double anchor);
};

/// The parts of some logits, row-major [sequences, labels]; their sum is the logit.
struct LogitParts {
  std::vector<double> words, encoder, kernel;
};

/// logit = bias + weight x the counts' values + encoder x the encoder's logit + the kernel machine's logit.
struct WordModel {
  WordCounts counts;
  std::vector<float> weight;   // [labels, columns]
  std::vector<float> bias;     // [labels]; like the head's, it includes the positive weight of training
  std::vector<float> encoder;  // [labels], >= 0: the share of the encoder; 0 for the words alone
  std::optional<KernelModel> kernel;  // with its share in its weights; none where that is 0, and in models of before

  size_t labels() const { return bias.size(); }
  /// The words' part of the logits of one sequence, [labels].
  std::vector<float> logits(std::string_view bases, double anchor) const;
  /// The parts of words and kernel machine together. `pooled`: Session::pooled() of the sequence, which only the latter
  /// reads.
  std::vector<float> logits(std::string_view bases, double anchor, std::span<const float> pooled) const;
  /// Turns the encoder's logits of some sequences, row-major [sequences, labels], into the model's. `pooled`:
  /// Session::pooled() of these, where there is a kernel machine. Appends to `parts`, if given.
  void add_to(std::span<float> encoder_logits, std::span<const float> pooled, std::span<const std::string> sequences,
              double anchor, LogitParts* parts = nullptr) const;
  /// Multiplies a feature's part of the logits by `scale` and adds `shift`. The encoder's share stays.
  void rescale(size_t label, double scale, double shift);

  /// The contribution of each base to a logit that is linear in the counts' values, with these weights [columns]: what
  /// a word adds, less what the mean word of its length would add, is spread evenly over its occurrences and their
  /// bases.
  std::vector<double> importance(std::string_view bases, double anchor, std::span<const float> weights) const;
  std::span<const float> weights_of(size_t label) const;  // [columns]

  void save(const std::string& path) const;
  static WordModel load(const std::string& path);
  /// The words in the folder (model_folder::kWordsFile), or its k-mers (kKmersFile); nullopt if its bigdna.json lists
  /// none. Error if the file is missing, is not the one that is listed, or does not fit the model.
  static std::optional<WordModel> of(const model_folder::ModelFolder& folder,
                                     const std::string& file = model_folder::kWordsFile);
};

}  // namespace bigdna::session
