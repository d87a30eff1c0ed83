// The code length of DNA by lib/context_mixing without a model: counts and copies, mixed base by base. It is what
// `bigdna likelihood --copies` has beside a model, and the null of its bits. (order_counts.cpp is another program of
// the same kind, without this library.)
//   samtools faidx GENOME REGION | bench_context_mixing HISTORY
// The first HISTORY bases are read and not scored; the others are scored and read. Prints bases and bits per base.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "context_mixing/past_mixer.h"
#include "genome/alphabet.h"

int main(int argc, char** argv) {
  using namespace bigdna;
  using tokenizer::TokenTree;
  const size_t history = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::vector<tokenizer::Piece> pieces;
  for (const char* text : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({text, 0, true});
  for (const char* text : {"A", "C", "G", "T", "N"}) pieces.push_back({text, -static_cast<float>(pieces.size())});
  const tokenizer::Encoder encoder(tokenizer::Vocabulary(std::move(pieces), {}));
  const TokenTree tree(encoder.vocabulary());
  context_mixing::PastMixer mixer(encoder, tree);

  std::string bases, line;
  while (std::getline(std::cin, line))
    if (!line.starts_with('>')) bases += line;
  genome::normalise(bases, genome::InvalidBases::n, "stdin", "sequence");
  const size_t known = std::min(history, bases.size());
  mixer.read(std::string_view(bases).substr(0, known));
  // A token is a base and its end, which is certain.
  const std::vector<TokenTree::Probabilities> uniform{{0.25F, 0.25F, 0.25F, 0.25F, 0}, {0, 0, 0, 0, 1}};
  double bits = 0;
  int64_t scored = 0;
  for (const char letter : std::string_view(bases).substr(known)) {
    const int code = genome::base_code(letter);
    if (code < 0) {
      mixer.read("N");
      continue;
    }
    bits += mixer.mix(encoder.vocabulary().find(std::string(1, genome::kBases[static_cast<size_t>(code)])), 1, uniform);
    ++scored;
  }
  std::printf("%lld\t%.4f\n", static_cast<long long>(scored), bits / static_cast<double>(scored));
}
