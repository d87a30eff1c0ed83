// bench_corpus_loader CORPUS TOKENS WORKERS [SECONDS]: how many examples and tokens a second the loader
// supplies.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "corpus/examples.h"
#include "train/loader.h"

int main(int argc, char** argv) try {
  using namespace bigdna;
  if (argc < 4) fail("usage: bench_corpus_loader CORPUS TOKENS WORKERS [SECONDS]");
  const auto corpus = std::make_shared<const corpus::Corpus>(argv[1], corpus::Corpus::Split::training);
  corpus::ExampleOptions options;
  options.max_length = std::atoll(argv[2]);
  const corpus::ExampleSource source(corpus, tokenizer::Vocabulary::load(corpus->vocabulary_path()), options);
  if (source.size() == 0) fail(argv[1], ": no examples");
  constexpr int64_t kBatch = 16;
  train::Loader loader(
      [&](int64_t batch) {
        std::vector<corpus::Example> examples;
        for (int64_t i = batch * kBatch; i < (batch + 1) * kBatch; ++i)
          examples.push_back(source.make(i / source.size(), i % source.size()));
        return examples;
      },
      0, std::atoi(argv[3]));
  const double limit = argc > 4 ? std::atof(argv[4]) : 5;
  for (int i = 0; i < 8; ++i) loader.next();  // warm
  const auto start = std::chrono::steady_clock::now();
  int64_t examples = 0, tokens = 0;
  double seconds = 0;
  while (seconds < limit) {
    for (const auto& example : loader.next()) {
      ++examples;
      tokens += static_cast<int64_t>(example.ids.size());
    }
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::printf("%s\t%s\t%.0f\t%.2f\t%.0f\n", argv[2], argv[3], static_cast<double>(examples) / seconds,
              static_cast<double>(tokens) / seconds / 1e6, static_cast<double>(log::peak_memory()) / 1e6);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_corpus_loader: %s\n", error.what());
  return 1;
}
