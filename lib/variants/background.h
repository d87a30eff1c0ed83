/// Effects of random single-base variants of a genome, with which effects are compared (--null, --model-background).
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

namespace bigdna::io {
class SafetensorsFile;
}

namespace bigdna::variants {

/// Draws variants: replaces a base A, C, G or T of the genome by one of the three others, each equally likely.
/// Positions are uniform in `places` (whole contigs, or the intervals of start sites). The i-th variant is a function
/// of (seed, i) alone.
class BackgroundDraw {
 public:
  BackgroundDraw(std::vector<genome::Region> places, uint64_t seed);
  /// The i-th variant; draws again while `usable` refuses it. Error after 1000 draws.
  Allele draw(int64_t i, GenomeWindow& window, const std::function<bool(const Allele&)>& usable) const;

 private:
  std::vector<genome::Region> places_;
  std::vector<int64_t> ends_;  // running sums of the places' lengths
  uint64_t seed_;
};

/// The share of G and C among the bases A, C, G, T in the 201 bp around a position; 0.5 if there are none.
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

  /// The percentile of |effect| among absolute effects of the background: 100 (below + (equal + 1) / 2) / (n + 1),
  /// which is uniform for random variants. Compares with the quarter of the background (it is divided at the
  /// quartiles of its GC) that the variant's own GC falls into, without variants less than 200 bp away, also where the
  /// background calls the contig with or without "chr". NaN for NaN.
  float percentile(size_t column, float effect, const Site& at) const;
  int64_t size() const { return static_cast<int64_t>(sites_.size()); }

  /// Writes a file (docs/formats.md). `identity` is everything that decides the values.
  void save(const std::string& path, const nlohmann::ordered_json& identity) const;
  /// nullopt if the file does not exist or has another identity.
  static std::optional<Background> load(const std::string& path, const nlohmann::ordered_json& identity);
  /// A background that comes with a model, with the columns of these names. `settings` are those of its identity that
  /// decide how an effect is computed. Error if the file has others, or lacks a column.
  static Background of_model(const std::string& path, const nlohmann::ordered_json& settings,
                             const std::vector<std::string>& columns);
  /// Error if the file's values are not those that were saved, which every way to read it checks.
  static void check(const std::string& path);
  /// The file's name for an identity: HASH.safetensors.
  static std::string file_name(const nlohmann::ordered_json& identity);

 private:
  static Background read(const io::SafetensorsFile& file);

  std::vector<Site> sites_;
  std::vector<float> values_;
  size_t columns_;
  std::vector<double> borders_;                             // between the strata of GC
  std::vector<size_t> stratum_;                             // of each site
  std::vector<std::vector<float>> sorted_;                  // absolute values, by stratum * columns_ + column
  std::map<std::string, std::vector<size_t>> by_position_;  // sites of a contig, sorted
};

}  // namespace bigdna::variants
