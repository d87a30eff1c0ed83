// A corpus.json that was altered.
#include <gtest/gtest.h>

#include "base/error.h"
#include "corpus/corpora.h"
#include "io/output.h"

namespace bigdna::corpus {
namespace {

TEST(Corpus, TheNumberOfPiecesIsTheVocabularys) {  // what tokens are checked by
  const test::TempDir folder;
  const tokenizer::Encoder encoder(test::small_vocabulary());
  test::write_fasta(folder / "genome.fa", {{"one", test::random_bases(60'000, 1)}});
  BuildOptions options;
  options.fastas = {folder / "genome.fa"};
  options.output = folder / "corpus";
  build_corpus(options, encoder);
  const std::string path = options.output + "/corpus.json";
  std::string json = io::read_file(path);
  const std::string pieces = concat("\"pieces\": ", encoder.vocabulary().size());
  ASSERT_NE(json.find(pieces), std::string::npos);
  io::write_file(path, json.replace(json.find(pieces), pieces.size(), "\"pieces\": 65536"));
  EXPECT_NE(test::error_of([&] { Corpus(options.output, Corpus::Split::training); }).find("has 65536 pieces, but"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::corpus
