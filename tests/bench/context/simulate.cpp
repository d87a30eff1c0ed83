// The positive control of long context: a genome where a base far away says what no base nearby can.
//   simulate OUT.fa WORDS.txt LOCI SEED [COPIES=6] [SITES=64] [ALLELES=2] [FILLERS=0]
// Everything is made of words of 64 bp, an A and 63 of C, G, T, so that each is one token of a vocabulary trained on
// WORDS.txt (each word twice, a line each): no piece crosses from one word into the next. A repeat unit has SITES sites: one
// of ALLELES words of the site's own, then FILLERS times a common word. A locus draws one allele for each site and holds
// COPIES copies of the unit with these alleles: 4096 bp apart by default (64 sites of 64 bp), so 4 to 20 kb. Its neighbours
// tell which site a word is, but nothing within the unit tells which allele stands there (log2(ALLELES) bits); another copy of
// the same locus tells it for sure.
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

constexpr size_t kWord = 64;

/// Words that have not been drawn before.
struct Words {
  SplitMix& random;
  std::vector<std::string> drawn;
  std::string operator()() {
    for (;;) {
      std::string word = "A";
      while (word.size() < kWord) word += "CGT"[random.below(3)];
      if (std::find(drawn.begin(), drawn.end(), word) == drawn.end()) return drawn.emplace_back(word);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::cerr << "simulate OUT.fa WORDS.txt LOCI SEED [COPIES] [SITES] [ALLELES] [FILLERS]\n", 2;
  const auto number = [&](int i, size_t otherwise) { return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise; };
  const size_t loci = number(3, 0), copies = number(5, 6), sites = number(6, 64), alleles = number(7, 2), fillers = number(8, 0);
  SplitMix random{number(4, 1)};
  Words word{random, {}};
  const std::string filler = word();
  std::vector<std::vector<std::string>> allele_words(sites);
  for (auto& words : allele_words)
    for (size_t a = 0; a < alleles; ++a) words.push_back(word());
  std::ofstream words(argv[2]);
  for (const auto& text : word.drawn) words << text << '\n' << text << '\n';  // twice: a pair that occurs once is never merged
  if (!words.flush()) return std::cerr << argv[2] << ": cannot be written\n", 1;
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) return std::perror(argv[1]), 1;
  const auto write_contig = [&](const char* name, size_t count) {
    std::fprintf(out, ">%s\n", name);
    for (size_t locus = 0; locus < count; ++locus) {
      std::vector<size_t> drawn;
      for (size_t k = 0; k < sites; ++k) drawn.push_back(random.below(alleles));
      for (size_t copy = 0; copy < copies; ++copy) {
        std::string unit;
        for (size_t k = 0; k < sites; ++k) {
          unit += allele_words[k][drawn[k]];
          for (size_t i = 0; i < fillers; ++i) unit += filler;
        }
        std::fprintf(out, "%s\n", unit.c_str());
      }
    }
  };
  write_contig("training", loci - loci / 10);
  write_contig("held_out", loci / 10);
  return std::fclose(out) == 0 ? 0 : (std::perror(argv[1]), 1);
}
