/// Effects of random single-base variants of the same genome: what an effect is compared with (--null).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "variants/allele.h"

namespace bigdna::variants {

/// Draws variants: a base A, C, G or T of the genome, replaced by one of the three others, each equally likely. Where a base lies
/// is drawn evenly from `places` (whole contigs, or the intervals of start sites). The i-th is a function of (seed, i) alone.
class BackgroundDraw {
 public:
  BackgroundDraw(std::vector<genome::Region> places, uint64_t seed);
  /// The i-th; those that `usable` refuses are drawn again. Error where none is found in 1000 draws.
  Allele draw(int64_t i, GenomeWindow& window, const std::function<bool(const Allele&)>& usable) const;

 private:
  std::vector<genome::Region> places_;
  std::vector<int64_t> ends_;  // running sums of the places' lengths
  uint64_t seed_;
};

/// G and C among the bases A, C, G, T of the 201 bp around a position; 0.5 where there are none.
double gc_around(GenomeWindow& window, const std::string& contig, int64_t position);

class Background {
 public:
  struct Site {
    std::string contig;
    int64_t position = 0;  // 0-based
    double gc = 0;         // gc_around()
  };
  /// `values`: row-major [sites.size(), columns].
  Background(std::vector<Site> sites, std::vector<float> values, size_t columns);

  /// Where `effect` stands among the absolute values of the background's, in per cent: 100 (below + (equal + 1) / 2) / (n + 1),
  /// which is uniform where the effect is itself one of a random variant. Compared with are the quarter of the background with
  /// the most similar GC, without what lies less than 200 bp from the variant. NaN for NaN.
  float percentile(size_t column, float effect, const Site& at) const;
  int64_t size() const { return static_cast<int64_t>(sites_.size()); }

  /// A file of the model's folder (docs/formats.md). `identity`: all that decides the values.
  void save(const std::string& path, const nlohmann::ordered_json& identity) const;
  /// nullopt where the file is not there or is of something else.
  static std::optional<Background> load(const std::string& path, const nlohmann::ordered_json& identity);
  /// The file's name for an identity: background-HASH.safetensors.
  static std::string file_name(const nlohmann::ordered_json& identity);

 private:
  std::vector<Site> sites_;
  std::vector<float> values_;
  size_t columns_;
  std::vector<double> borders_;                             // between the strata of GC
  std::vector<size_t> stratum_;                             // of each site
  std::vector<std::vector<float>> sorted_;                  // absolute values, by stratum * columns_ + column
  std::map<std::string, std::vector<size_t>> by_position_;  // sites of a contig, sorted
};

}  // namespace bigdna::variants
