/// The k-mers of a model: how frequent k-mers are around the start site or the bin, and for each output a logit that is
/// linear in that. The network that it is added to has a weight beside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/bin.h"
#include "dataset/task.h"
#include "genome/kmer_frequencies.h"
#include "model_folder/model_folder.h"
#include "models/kernel_model.h"

namespace bigdna::models {

/// Which k-mers are counted, and where.
struct KmerCounts {
  /// Bases `from` to `to` (half-open, in bp from the site along the strand), as far as they lie in the interval.
  struct Window {
    static constexpr int64_t kAll = int64_t{1} << 40;
    int64_t from = -kAll, to = kAll;
    int longest = 1;            // k-mers of 1 base up to this length
    bool both_strands = false;  // a k-mer and its reverse complement count as one
  };
  std::vector<Window> windows;
  /// Square roots of the frequencies: the spread of a k-mer's count then does not grow with its mean.
  bool square_roots = false;

  /// The counts for intervals of `length` bp whose site is at the fraction `anchor`. On either side of a start site
  /// they are counted apart; around a bin (of `bin` bp), both strands together. Chosen on training rows of human chr20
  /// (docs/benchmarks.md).
  static KmerCounts of_interval(int64_t length, double anchor, dataset::Task::Site site, int64_t bin = dataset::kBin);
  int64_t columns() const;
  static int64_t columns(const Window& window);
  /// Whether a window has the same values of a sequence of `length` bases and of its reverse complement: both strands
  /// are counted, in the same bases.
  static bool same_on_both_strands(const Window& window, size_t length, double anchor);
  /// Whether every window counts both strands, as around a bin.
  bool count_both_strands() const { return std::ranges::all_of(windows, &Window::both_strands); }
  /// Of each window the frequencies (genome::kmer_frequencies) or their roots, concatenated. KmerReader gives the same
  /// of many sequences, faster where they overlap.
  std::vector<float> values(std::string_view bases, double anchor) const;
  /// The part of the bases that a window covers: first base and length.
  static std::pair<size_t, size_t> part_of(const Window& window, size_t length, double anchor);
};

/// KmerCounts::values() of one sequence after another. For one thread; the counts must outlive it.
class KmerReader {
 public:
  explicit KmerReader(const KmerCounts& counts);
  /// `reverse`: if not empty, the values of the reverse complement, at 1 - anchor: what must be the same is taken from
  /// there.
  std::vector<float> values(std::string_view bases, double anchor, std::span<const float> reverse = {});

 private:
  const KmerCounts& counts_;
  std::vector<genome::KmerCounter> counters_;  // of each window
};

/// logit = bias + weight x the counts' values + base_weight x the network's logit + the kernel model's logit.
struct KmerModel {
  KmerCounts counts;
  std::vector<float> weight;          // [labels, columns]
  std::vector<float> bias;            // [labels]
  std::vector<float> base_weight;     // [labels], >= 0; 0 for the k-mers alone
  std::optional<KernelModel> kernel;  // as it was fitted, with its place in the sum; none where its weight is 0

  size_t labels() const { return bias.size(); }
  /// bias + weight x these values, [labels].
  std::vector<float> linear_logits(std::span<const float> values) const;
  /// The same of one sequence.
  std::vector<float> logits(std::string_view bases, double anchor) const {
    return linear_logits(counts.values(bases, anchor));
  }
  /// Multiplies a feature's part of the logits by `scale` and adds `shift`. base_weight stays.
  void rescale(size_t label, double scale, double shift);

  /// Error, which begins with `path`, if a kernel model does not read so many numbers of the model's encoder.
  void check_kernel(const std::string& path, int64_t states) const;

  void save(const std::string& path) const;
  static KmerModel load(const std::string& path);
  /// The k-mers in the folder (model_folder::kKmersFile), or its k-mers (kKmerBaselineFile); nullopt if its bigdna.json
  /// lists none. Error if the file is missing, is not the one that is listed, or does not fit the model.
  static std::optional<KmerModel> of(const model_folder::ModelFolder& folder,
                                     const std::string& file = model_folder::kKmersFile);
};

}  // namespace bigdna::models
