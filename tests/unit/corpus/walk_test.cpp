// The walk over a genome: vocabularies and corpora are made from the same documents, whether the sequences are
// decoded again or were kept in memory.
#include "corpus/walk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "corpus/build.h"
#include "corpus/corpora.h"
#include "corpus/sentences.h"

namespace bigdna::corpus {
namespace {

BuildOptions options_for(const test::TempDir& folder) {
  std::string gap = test::random_bases(90'000, 3);
  gap.replace(40'000, 7'001, 7'001, 'N');
  test::write_fasta(folder / "a.fa",
                    {{"one", test::random_bases(200'000, 1)}, {"one_alt", test::random_bases(9'000, 2)}});
  test::write_fasta(folder / "b.fa", {{"HLA-A", "ACGT"}, {"two", gap}, {"short", "ACGTN"}});
  BuildOptions options;
  options.fastas = {folder / "a.fa", folder / "b.fa"};
  options.sampler.passes = 3;
  options.sampler.strands = SamplerOptions::Strands::both;
  options.hold_out = "0.2";
  return options;
}

std::vector<std::string> sentences_of(SentenceOptions options) {
  std::vector<std::string> all;
  GenomeSentences sentences(std::move(options));
  while (const auto sentence = sentences.next()) all.emplace_back(*sentence);
  return all;
}

TEST(Walk, GoesContigByContigPassByPass) {
  test::TempDir folder;
  const auto options = options_for(folder);
  const Survey found = survey(options);
  Walk walk(ContigReader(options.files(), &found), options.sampler, &found.training, &found.validation);
  std::vector<std::tuple<std::string, bool, int>> stages;
  uint64_t index = 0;
  while (const auto document = walk.next()) {
    const auto& [name, bases] = document->contig->record;
    EXPECT_EQ(found.contigs[document->contig->row].name, name);
    const std::tuple stage(name, document->training, document->pass);
    if (stages.empty() || std::get<0>(stages.back()) != name) index = 0;
    if (stages.empty() || stages.back() != stage) stages.push_back(stage);
    EXPECT_EQ(document->index, index++);
    const genome::Region region{name, document->plan.start, document->plan.ends.back()};
    EXPECT_TRUE((document->training ? found.training : found.validation).covers(region));
  }
  using Stage = std::tuple<std::string, bool, int>;
  const auto has = [&](const Stage& stage) { return std::ranges::find(stages, stage) != stages.end(); };
  for (int pass = 0; pass < 3; ++pass) EXPECT_TRUE(has({"one", true, pass}));
  EXPECT_TRUE(has({"one", false, 0}) || has({"two", false, 0}));
  EXPECT_TRUE(std::ranges::is_sorted(stages, {}, [&](const Stage& stage) {  // contigs as in the files, training first
    const auto& [name, training, pass] = stage;
    return std::tuple(name == "one" ? 0 : name == "two" ? 1 : 2, !training, pass);
  }));
  std::map<std::string, int64_t> read;
  for (const auto& [name, length] : walk.contigs().contigs()) read.emplace(name, length);
  EXPECT_EQ(read, (std::map<std::string, int64_t>{{"one", 200'000}, {"two", 90'000}, {"short", 5}}));
  EXPECT_EQ(walk.contigs().left_out(), (std::vector<std::string>{"one_alt", "HLA-A"}));
}

// pretrain's stages: once the survey has kept the sequences, no file is opened again.
TEST(Walk, OfWhatASurveyKeptNeedsNoFile) {
  test::TempDir folder;
  auto options = options_for(folder);
  options.output = folder / "read_again";
  const tokenizer::Encoder encoder(test::small_vocabulary());
  build_corpus(options, encoder);
  const Survey read = survey(options), kept = survey(options, /*keep=*/true);
  EXPECT_TRUE(read.kept.empty());
  const SentenceOptions from_files{.files = options.files(), .sampler = options.sampler, .survey = &read, .share = 0.5};
  const auto sentences = sentences_of(from_files);
  EXPECT_GT(sentences.size(), 100u);

  for (const auto& path : options.fastas) std::filesystem::remove(path);
  EXPECT_THROW(sentences_of(from_files), Error);
  auto from_memory = from_files;
  from_memory.survey = &kept;
  EXPECT_EQ(sentences_of(from_memory), sentences);
  options.output = folder / "kept";
  build_corpus(options, kept, encoder);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "read_again"))
    if (const auto path = std::filesystem::relative(entry.path(), folder / "read_again"); entry.is_regular_file()) {
      EXPECT_EQ(io::md5_of_file(entry.path()), io::md5_of_file(folder / "kept" / path)) << path;
      ++files;
    }
  EXPECT_GE(files, 4);
}

TEST(Walk, NoticesAGenomeThatChanged) {
  test::TempDir folder;
  const auto options = options_for(folder);
  const Survey found = survey(options);
  const auto walk_error = [&] {
    return test::error_of([&] {
      Walk walk(ContigReader(options.files(), &found), options.sampler, &found.training, nullptr);
      while (walk.next()) {
      }
    });
  };
  EXPECT_EQ(walk_error(), "");
  test::write_fasta(options.fastas[1], {{"two", "ACGT"}, {"short", "ACGTN"}});
  EXPECT_NE(walk_error().find("b.fa: changed while it was being read (sequence two)"), std::string::npos);
  test::write_fasta(options.fastas[1], {{"HLA-A", "ACGT"}});
  EXPECT_NE(walk_error().find("sequence two is gone"), std::string::npos);
}

// A document of the vocabulary's sample is one of the corpus's training documents.
TEST(Sentences, AreThoseOfTheTrainingDocuments) {
  test::TempDir folder;
  const auto options = options_for(folder);
  const Survey found = survey(options);
  std::string expected, text;
  Walk walk(ContigReader(options.files(), &found), options.sampler, &found.training, &found.validation);
  while (const auto document = walk.next()) {
    if (!document->training) continue;
    const auto& plan = document->plan;
    const auto bases = document->contig->record.bases.substr(static_cast<size_t>(plan.start),
                                                             static_cast<size_t>(plan.ends.back() - plan.start));
    if (plan.strand == '+') expected += bases;
  }
  SentenceOptions sentences{.files = options.files(), .sampler = options.sampler, .survey = &found};
  EXPECT_NE(sentences_of(sentences), sentences_of({.files = options.files(), .sampler = options.sampler}));
  Walk again(ContigReader(options.files(), &found), options.sampler, &found.training, nullptr);
  GenomeSentences stream(sentences);
  while (const auto document = again.next())
    for (size_t i = 0; i < document->plan.ends.size(); ++i) {
      const auto sentence = stream.next();
      ASSERT_TRUE(sentence);
      if (document->plan.strand == '+') text += *sentence;
    }
  EXPECT_FALSE(stream.next());
  EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace bigdna::corpus
