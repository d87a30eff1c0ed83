/// False-discovery rates from scores of a null.
#pragma once

#include <span>
#include <vector>

namespace bigdna::motif {

/// Of each score of `observed` its q-value: the least false-discovery rate of a threshold that it reaches. At a
/// threshold t that rate is `ratio` (1 + null scores >= t) / (observed scores >= t), at most 1: the one that is added
/// keeps the rate from being too low by chance (Barber and Candes 2015). `ratio`: what was searched for `observed` over
/// what was searched for `null`.
std::vector<double> q_values(std::span<const double> observed, std::span<const double> null, double ratio);

}  // namespace bigdna::motif
