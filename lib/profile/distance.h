/// How two profiles differ, as kundajelab/variant-scorer measures it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bigdna::profile {

/// The Jensen-Shannon distance of two profiles (the square root of the divergence in bits): 0 to 1. Each is
/// divided by its sum.
double profile_distance(std::span<const float> one, std::span<const float> other);

/// Two profiles without the bases that only one of the alleles has: those after the shorter allele's end are left out
/// of the longer one's profile, and as many at the end of the other's. `at`: the place of the allele's first base;
/// `ref`, `alt`: the alleles' lengths.
void align_profiles(std::vector<float>& of_ref, std::vector<float>& of_alt, int64_t strands, int64_t at, int64_t ref,
                    int64_t alt);

}  // namespace bigdna::profile
