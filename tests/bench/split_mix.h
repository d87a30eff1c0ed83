// The random numbers of the simulators, which are compiled alone: Steele, Lea and Flood's SplitMix64.
#pragma once

#include <cstddef>
#include <cstdint>

struct SplitMix {
  uint64_t state;
  uint64_t operator()() {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  size_t below(size_t bound) { return (*this)() % bound; }
};
