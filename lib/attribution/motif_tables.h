/// What `bigdna motifs` writes of motifs, whether of filters or de novo.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attribution/motif_options.h"
#include "io/provenance.h"
#include "motif/comparison.h"
#include "motif/motif.h"

namespace bigdna::attribution {

/// Motifs with an E-value up to this are written as matches.
inline constexpr double kLargestE = 0.1;

/// motif::matches() of each motif.
std::vector<std::vector<motif::Match>> matches_of(const std::vector<motif::Motif>& motifs,
                                                  const std::vector<motif::Motif>& known, int threads);

/// Writes `options.matches`, and logs how many motifs of how many have one: `resemble` is the words for one and for
/// several, as "filter resembles" and "filters resemble".
void write_matches(const MotifOptions& options, const std::vector<motif::Motif>& motifs,
                   const std::vector<motif::Motif>& known, const std::vector<std::vector<motif::Match>>& matches,
                   const io::Provenance& provenance, const std::pair<std::string, std::string>& resemble);

/// NAME.svg for each motif; nothing for a folder "".
void write_logos(const std::string& folder, const std::vector<motif::Motif>& motifs);

/// MEME's text format.
void write_meme(const std::string& path, const std::vector<motif::Motif>& motifs,
                const motif::BaseProbabilities& background);

}  // namespace bigdna::attribution
