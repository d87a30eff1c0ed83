// Compares the encoding speed of bigdna and SentencePiece on one thread, and their ids.
//   encode MODEL TEXT REPETITIONS      a row for pieces of 750 bp, 30 kbp and 1 Mbp of the text (one line, no line
//   ends)
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tokenizer/encoder.h"

namespace {

double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Encode>
double median_rate(size_t bases, int repetitions, const Encode& encode) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double start = cpu_seconds();
    encode();
    seconds.push_back(cpu_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return static_cast<double>(bases) / seconds[seconds.size() / 2] / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "encode MODEL TEXT REPETITIONS\n"), 2;
  const bigdna::tokenizer::Encoder encoder(bigdna::tokenizer::Vocabulary::load(argv[1]));
  sentencepiece::SentencePieceProcessor reference;
  if (!reference.Load(argv[1]).ok()) return 1;
  std::ifstream file(argv[2]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const int repetitions = std::atoi(argv[3]);
  std::printf("#piece_bp\tbigdna_MB/s\tsentencepiece_MB/s\tratio\tpieces_that_differ\n");
  for (const size_t length : {size_t{750}, size_t{30'000}, size_t{1'000'000}}) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size(); at += length) pieces.push_back(text.substr(at, length));
    size_t different = 0;
    std::vector<bigdna::tokenizer::TokenId> ours;
    const double rate = median_rate(text.size(), repetitions, [&] {
      for (const std::string& piece : pieces) ours.clear(), encoder.encode_ids(piece, ours);
    });
    const double theirs = median_rate(text.size(), 1, [&] {
      for (const std::string& piece : pieces) {
        std::vector<int> ids;
        reference.Encode(piece, &ids).IgnoreError();
      }
    });
    for (const std::string& piece : pieces) {
      std::vector<int> ids;
      reference.Encode(piece, &ids).IgnoreError();
      different += encoder.encode(piece).ids != std::vector<bigdna::tokenizer::TokenId>(ids.begin(), ids.end());
    }
    std::printf("%zu\t%.1f\t%.2f\t%.1f\t%zu\n", length, rate, theirs, rate / theirs, different);
    std::fflush(stdout);
  }
}
