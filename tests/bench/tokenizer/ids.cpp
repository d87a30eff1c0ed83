// Are the encoder's ids SentencePiece's own? Exit 1 where any sequence differs.
//   ids MODEL CONTIGS [RANDOM]     CONTIGS: a contig a line, of ACGTN; RANDOM random strings, default 100000
#include <sentencepiece_processor.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/encoder.h"

namespace {

class Comparison {
 public:
  explicit Comparison(const char* model) : encoder_(bigdna::tokenizer::Vocabulary::load(model)) {
    if (!reference_.Load(model).ok()) std::exit(1);
  }
  void add(std::string_view bases) {
    ours_.clear();
    encoder_.encode_ids(bases, ours_);
    reference_.Encode(absl::string_view(bases.data(), bases.size()), &theirs_).IgnoreError();
    ++sequences_;
    bases_ += bases.size();
    tokens_ += ours_.size();
    different_ += ours_ != theirs_;
  }
  void report(const char* what) {
    std::printf("%s\t%zu\t%zu\t%zu\t%zu\n", what, sequences_, bases_, tokens_, different_);
    std::fflush(stdout);
    any_ |= different_ > 0;
    sequences_ = bases_ = tokens_ = different_ = 0;
  }
  bool any() const { return any_; }

 private:
  bigdna::tokenizer::Encoder encoder_;
  sentencepiece::SentencePieceProcessor reference_;
  std::vector<bigdna::tokenizer::TokenId> ours_;
  std::vector<int> theirs_;
  size_t sequences_ = 0, bases_ = 0, tokens_ = 0, different_ = 0;
  bool any_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "ids MODEL CONTIGS [RANDOM]\n"), 2;
  Comparison compare(argv[1]);
  std::printf("#what\tsequences\tbp\ttokens\tdiffer\n");

  std::mt19937_64 random(1);
  for (const char* letters : {"ACGTN", "AACCGGTTAACCGGTTAACCGGTTN"}) {
    const std::string_view alphabet = letters;
    std::string text;
    for (long left = (argc > 3 ? std::atol(argv[3]) : 100'000) / 2; left > 0; --left) {
      text.resize(random() % 5001);
      for (char& c : text) c = alphabet[random() % alphabet.size()];
      compare.add(text);
    }
    compare.report(alphabet.size() == 5 ? "random, a fifth N" : "random, 4 % N");
  }

  for (const char c : std::string_view("ACGTN")) compare.add({&c, 1});
  compare.report("single bases");
  for (size_t length = 0; length < 3000; length += length < 200 ? 1 : 37) compare.add(std::string(length, 'N'));
  compare.report("all N");
  for (size_t unit = 1; unit <= 5; ++unit) {
    size_t kinds = 1;
    for (size_t i = 0; i < unit; ++i) kinds *= 5;
    for (size_t kind = 0; kind < kinds; ++kind) {
      std::string repeat;
      for (size_t i = 0, k = kind; i < unit; ++i, k /= 5) repeat += "ACGTN"[k % 5];
      std::string text;
      for (const size_t most = unit < 4 ? 1000 : 250; text.size() < most; text += repeat)
        if (text.size() % 3 != 1) compare.add(text);
    }
  }
  compare.report("pure repeats, units of 1 to 5");

  std::ifstream file(argv[2]);
  size_t turn = 0;
  for (std::string contig; std::getline(file, contig);) {
    for (size_t at = 0, length; at < contig.size(); at += length, ++turn) {
      length = turn < 2 ? 1'000'000 : turn % 41 == 0 ? 30'000 : 750;
      compare.add(std::string_view(contig).substr(at, length));
    }
  }
  compare.report("real sequence");
  return compare.any() ? 1 : 0;
}
