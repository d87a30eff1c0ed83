// A genome of any size with real composition: an order-k Markov model of real sequence, sampled.
//   simulate OUT.fa BASES ORDER SEED IN.fa...      (ORDER up to 12; memory 16 bytes * 4^ORDER)
// Contigs of 50 Mbp. Contexts never seen continue uniformly. The same arguments give the same bytes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "../split_mix.h"

namespace {

int code_of(char c) {
  switch (c & ~32) {
    case 'A':
      return 0;
    case 'C':
      return 1;
    case 'G':
      return 2;
    case 'T':
      return 3;
    default:
      return -1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return std::cerr << "simulate OUT.fa BASES ORDER SEED IN.fa...\n", 2;
  const uint64_t bases = std::strtoull(argv[2], nullptr, 10);
  const int order = std::atoi(argv[3]);
  if (order < 1 || order > 12) return std::cerr << "ORDER is 1 to 12\n", 2;
  SplitMix random{std::strtoull(argv[4], nullptr, 10)};
  const uint64_t mask = (uint64_t{1} << (2 * order)) - 1;
  std::vector<std::array<uint32_t, 4>> counts(mask + 1);
  for (int i = 5; i < argc; ++i) {
    std::ifstream file(argv[i]);
    if (!file) return std::cerr << argv[i] << ": cannot be read\n", 1;
    uint64_t context = 0;
    int known = 0;
    for (std::string line; std::getline(file, line);) {
      if (!line.empty() && line[0] == '>') line.clear(), known = 0;
      for (const char c : line) {
        const int base = code_of(c);
        if (base < 0) {
          known = 0;
          continue;
        }
        if (known >= order) ++counts[context & mask][static_cast<size_t>(base)];
        context = context << 2 | static_cast<uint64_t>(base);
        ++known;
      }
    }
  }
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) return std::perror(argv[1]), 1;
  constexpr uint64_t kContig = 50'000'000, kLine = 1 << 20;
  uint64_t context = random();
  std::string line;
  for (uint64_t done = 0; done < bases;) {
    std::fprintf(out, ">sim%llu\n", static_cast<unsigned long long>(done / kContig + 1));
    for (const uint64_t end = std::min(bases, done + kContig); done < end;) {
      line.clear();
      while (line.size() < kLine && done < end) {
        const auto& next = counts[context & mask];
        const uint64_t total = uint64_t{next[0]} + next[1] + next[2] + next[3];
        uint64_t base = random() & 3;
        if (total > 0) {
          uint64_t draw = random() % total;
          for (base = 0; draw >= next[base]; ++base) draw -= next[base];
        }
        context = context << 2 | base;
        line += "ACGT"[base];
        ++done;
      }
      line += '\n';
      if (std::fwrite(line.data(), 1, line.size(), out) != line.size()) return std::perror(argv[1]), 1;
    }
  }
  return std::fclose(out) == 0 ? 0 : 1;
}
