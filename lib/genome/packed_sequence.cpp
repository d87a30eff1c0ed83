#include "genome/packed_sequence.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "genome/alphabet.h"

namespace bigdna::genome {

namespace {
/// Codes of characters; N has an arbitrary one, which unpack() overwrites.
constexpr std::array<uint8_t, 256> kCodes = [] {
  std::array<uint8_t, 256> codes{};
  for (size_t code = 0; code < 4; ++code) codes[static_cast<unsigned char>(kBases[code])] = static_cast<uint8_t>(code);
  return codes;
}();

/// The four bases of each byte of codes.
constexpr std::array<std::array<char, 4>, 256> kFourBases = [] {
  std::array<std::array<char, 4>, 256> bases{};
  for (size_t byte = 0; byte < 256; ++byte)
    for (size_t i = 0; i < 4; ++i) bases[byte][i] = kBases[byte >> 2 * i & 3];
  return bases;
}();
}  // namespace

PackedSequence::PackedSequence(std::string_view bases)
    : length_(static_cast<int64_t>(bases.size())), codes_((bases.size() + 3) / 4) {
  for (size_t i = 0; i < bases.size(); ++i)
    codes_[i / 4] = static_cast<uint8_t>(codes_[i / 4] | kCodes[static_cast<unsigned char>(bases[i])] << i % 4 * 2);
  for (size_t start = bases.find('N'); start != std::string_view::npos;) {
    const size_t end = std::min(bases.find_first_not_of('N', start), bases.size());
    n_runs_.emplace_back(start, end);
    start = bases.find('N', end);
  }
}

std::string PackedSequence::unpack() const {
  std::string bases(codes_.size() * 4, '\0');
  for (size_t i = 0; i < codes_.size(); ++i) std::memcpy(bases.data() + 4 * i, kFourBases[codes_[i]].data(), 4);
  bases.resize(static_cast<size_t>(length_));
  for (const auto& [start, end] : n_runs_) std::fill(bases.begin() + start, bases.begin() + end, 'N');
  return bases;
}

}  // namespace bigdna::genome
