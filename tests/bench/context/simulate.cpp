// The positive control of long context: a genome where a base far away says what no base nearby can.
//   simulate OUT.fa WORDS.txt LOCI SEED [COPIES=6] [WORD=128] [UNIT=32] [SITES=4] [ALLELES=16]
// Everything is made of words of WORD bp, an A and then C, G, T, so that each is one token of a vocabulary trained on WORDS.txt
// (each word twice, a line each): no piece crosses from one word into the next. A unit has UNIT words, SITES of them, evenly
// spaced, variable: one of ALLELES words of the site's own. The others are the same in every unit. A locus draws one allele for
// each site and holds COPIES copies of the unit with these alleles: 4096 bp apart by default, so 4 to 20 kb. Its neighbours tell
// which site a word is, but nothing within the unit tells which allele stands there (log2(ALLELES) bits); another copy of the
// same locus tells it for sure.
// Contigs: "training" with 9/10 of the loci, "held_out" with the rest; each locus draws its own alleles. The same arguments
// give the same bytes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "../split_mix.h"

namespace {

/// Words that have not been drawn before.
struct Words {
  SplitMix& random;
  size_t length;
  std::vector<std::string> drawn;
  std::string operator()() {
    for (;;) {
      std::string word = "A";
      while (word.size() < length) word += "CGT"[random.below(3)];
      if (std::find(drawn.begin(), drawn.end(), word) == drawn.end()) return drawn.emplace_back(word);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::cerr << "simulate OUT.fa WORDS.txt LOCI SEED [COPIES] [WORD] [UNIT] [SITES] [ALLELES]\n", 2;
  const auto number = [&](int i, size_t otherwise) { return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise; };
  const size_t loci = number(3, 0), copies = number(5, 6), word_length = number(6, 128), unit_words = number(7, 32), sites = number(8, 4),
               alleles = number(9, 16);
  if (sites == 0 || alleles == 0 || unit_words % sites != 0) return std::cerr << "simulate: UNIT must be a multiple of SITES\n", 2;
  SplitMix random{number(4, 1)};
  Words word{random, word_length, {}};
  std::vector<std::vector<std::string>> choices(unit_words);  // of each word of the unit
  for (size_t k = 0; k < unit_words; ++k)
    for (size_t a = 0; a < (k % (unit_words / sites) == 0 ? alleles : 1); ++a) choices[k].push_back(word());
  std::ofstream words(argv[2]);
  for (const auto& text : word.drawn) words << text << '\n' << text << '\n';  // twice: a pair that occurs once is never merged
  if (!words.flush()) return std::cerr << argv[2] << ": cannot be written\n", 1;
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) return std::perror(argv[1]), 1;
  const auto write_contig = [&](const char* name, size_t count) {
    std::fprintf(out, ">%s\n", name);
    for (size_t locus = 0; locus < count; ++locus) {
      std::string unit;
      for (const auto& choice : choices) unit += choice[random.below(choice.size())];
      for (size_t copy = 0; copy < copies; ++copy) std::fprintf(out, "%s\n", unit.c_str());
    }
  };
  write_contig("training", loci - loci / 10);
  write_contig("held_out", loci / 10);
  return std::fclose(out) == 0 ? 0 : (std::perror(argv[1]), 1);
}
