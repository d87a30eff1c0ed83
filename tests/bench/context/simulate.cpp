// The positive control of long context: a genome where a base far away says what no base nearby can.
//   simulate OUT.fa WORDS.txt LOCI SEED [COPIES=6] [WORD=250] [UNIT=16] [POOL=64]
// Everything is made of words of WORD bp, an A and then C, G, T, so that each is one token of a vocabulary trained on
// WORDS.txt (each word twice, a line each): no piece crosses from one word into the next. A locus draws UNIT words at
// random from a pool of POOL and holds COPIES copies of them, one after the other: 4000 bp apart by default, so 4 to 20
// kb. Nothing within a copy tells one of its words (log2(POOL) bits); the copy before or after it tells all. Contigs:
// "training" with 9/10 of the loci, "held_out" with the rest; each locus draws its own alleles. The same arguments give
// the same bytes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "../split_mix.h"

int main(int argc, char** argv) {
  if (argc < 5) return std::cerr << "simulate OUT.fa WORDS.txt LOCI SEED [COPIES] [WORD] [UNIT] [POOL]\n", 2;
  const auto number = [&](int i, size_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const size_t loci = number(3, 0), copies = number(5, 6), word_length = number(6, 250), unit_words = number(7, 16),
               pool_size = number(8, 64);
  SplitMix random{number(4, 1)};
  std::vector<std::string> pool;
  while (pool.size() < pool_size) {
    std::string word = "A";
    while (word.size() < word_length) word += "CGT"[random.below(3)];
    if (std::find(pool.begin(), pool.end(), word) == pool.end()) pool.push_back(word);
  }
  std::ofstream words(argv[2]);
  // twice: a pair that occurs once is never merged
  for (const auto& word : pool) words << word << '\n' << word << '\n';
  if (!words.flush()) return std::cerr << argv[2] << ": cannot be written\n", 1;
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) return std::perror(argv[1]), 1;
  const auto write_contig = [&](const char* name, size_t count) {
    std::fprintf(out, ">%s\n", name);
    for (size_t locus = 0; locus < count; ++locus) {
      std::string unit;
      for (size_t k = 0; k < unit_words; ++k) unit += pool[random.below(pool_size)];
      for (size_t copy = 0; copy < copies; ++copy) std::fprintf(out, "%s\n", unit.c_str());
    }
  };
  write_contig("training", loci - loci / 10);
  write_contig("held_out", loci / 10);
  return std::fclose(out) == 0 ? 0 : (std::perror(argv[1]), 1);
}
