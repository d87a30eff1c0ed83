/// The corpus that tests of examples share.
#pragma once

#include <memory>

#include "corpus/corpora.h"
#include "corpus/examples.h"

namespace bigdna::corpus {

/// A corpus in a temporary folder. Its tokens are pairs and triples of bases: 2.4 bp each, so that a document
/// has 10 000 to 40 000 of them.
struct Fixture {
  test::TempDir folder;
  tokenizer::Vocabulary vocabulary = test::small_vocabulary();
  std::shared_ptr<const Corpus> corpus, held_out;

  explicit Fixture(int64_t bases = 2'000'000, corpus::SamplerOptions sampler = {}) {
    test::write_fasta(folder / "genome.fa",
                      {{"a", test::random_bases(bases / 2, 1)}, {"b", test::random_bases(bases / 2, 2)}});
    BuildOptions options;
    options.fastas = {folder / "genome.fa"};
    options.output = folder / "corpus";
    options.sampler = sampler;
    options.file_size = 500'000;
    options.threads = 2;
    build_corpus(options, tokenizer::Encoder(vocabulary));
    corpus = std::make_shared<Corpus>(options.output, Corpus::Split::training);
    held_out = std::make_shared<Corpus>(options.output, Corpus::Split::validation);
  }
  ExampleSource source(ExampleOptions options = {}) const { return ExampleSource(corpus, vocabulary, options); }
};

inline const Fixture& fixture() {
  static const Fixture fixture;
  return fixture;
}

inline ExampleOptions with_length(int64_t max_length, Objective objective = Objective::mlm_nsp) {
  ExampleOptions options;
  options.max_length = max_length;
  options.objective = objective;
  return options;
}

/// What was under the masks.
inline std::vector<int32_t> truth(const Example& example) {
  auto ids = example.ids;
  for (size_t i = 0; i < example.masked.size(); ++i)
    ids[static_cast<size_t>(example.masked[i])] = example.masked_labels[i];
  return ids;
}

inline std::string text_of(const tokenizer::Vocabulary& vocabulary, std::span<const int32_t> ids) {
  std::string text;
  for (const auto id : ids) text += vocabulary.piece(id).text;
  return text;
}

}  // namespace bigdna::corpus
