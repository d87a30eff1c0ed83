#include "session/word_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "genome/alphabet.h"
#include "io/output.h"
#include "metrics/kmer_frequencies.h"
#include "session/small_model.h"
#include "support.h"

namespace bigdna::session {
namespace {

WordModel random_words(const WordCounts& counts, size_t labels) {
  WordModel model{counts, {}, {}, {}};
  Rng rng(3);
  for (size_t f = 0; f < labels; ++f) {
    for (int64_t j = 0; j < counts.columns(); ++j) model.weight.push_back(static_cast<float>(rng.uniform() - 0.5));
    model.bias.push_back(static_cast<float>(f));
    model.encoder.push_back(0.5f * static_cast<float>(f));
  }
  return model;
}

TEST(WordCounts, ScalesAreThoseNarrowerThanTheInterval) {
  EXPECT_EQ(WordCounts::of_interval(8000, false).columns(), 2 * 84 + 3 * 340);
  EXPECT_EQ(WordCounts::of_interval(300, false).columns(), 2 * 84 + 2 * 340);
  EXPECT_EQ(WordCounts::of_interval(1000, true).columns(), 2 * (2 + 10 + 32 + 136 + 512));
}

TEST(WordCounts, CountAroundTheSite) {
  const WordCounts counts{{{4, 1}, {0, 1}}, false};
  const auto x = counts.frequencies("AAAAAACCGG", 0.7);  // bases 5 to 8: ACCG
  EXPECT_EQ(x, (std::vector<float>{0.25f, 0.5f, 0.25f, 0, 0.6f, 0.2f, 0.2f, 0}));
  EXPECT_EQ(counts.frequencies("", 0.5), std::vector<float>(8, 0));
  EXPECT_EQ(counts.frequencies("CC", 0.9), (std::vector<float>{0, 1, 0, 0, 0, 1, 0, 0})) << "cut off at the ends";
}

TEST(WordCounts, BothStrandsAreOne) {
  const auto counts = WordCounts::of_interval(500, true);
  const std::string bases = test::random_bases(500, 9);
  EXPECT_EQ(counts.frequencies(bases, 0.5), counts.frequencies(genome::reverse_complement(bases), 0.5));
}

TEST(WordModel, AddsItsShareOfTheEncoder) {
  const auto model = random_words(WordCounts::of_interval(100, false), 3);
  const std::vector<std::string> sequences{test::random_bases(100, 1), test::random_bases(100, 2)};
  std::vector<float> logits{1, 2, 3, 4, 5, 6};
  model.add_to(logits, sequences, 0.5);
  for (size_t i = 0; i < 2; ++i) {
    const auto words = model.logits(sequences[i], 0.5);
    for (size_t f = 0; f < 3; ++f)
      EXPECT_FLOAT_EQ(logits[i * 3 + f], words[f] + 0.5f * static_cast<float>(f) * static_cast<float>(i * 3 + f + 1));
  }
}

TEST(WordModel, ImportanceIsWhatWordsGiveBeyondTheMeanWord) {
  const auto model = random_words({{{6, 2}, {0, 3}}, false}, 2);
  std::string bases = test::random_bases(40, 5);
  bases[20] = 'N';
  const auto importance = model.importance(bases, 0.5, 1);
  double expected = model.logits(bases, 0.5)[1] - model.bias[1];
  const float* w = model.weight.data() + model.counts.columns();
  for (const int length : {1, 2, 1, 2, 3}) {
    const int columns = 1 << (2 * length);
    expected -= std::accumulate(w, w + columns, 0.0) / columns;
    w += columns;
  }
  EXPECT_NEAR(std::accumulate(importance.begin(), importance.end(), 0.0), expected, 1e-5);
  EXPECT_EQ(importance[20], 0);
}

TEST(WordModel, IsTheSameWhenReadBack) {
  const auto model = random_words(WordCounts::of_interval(300, true), 2);
  const test::TempDir directory;
  const std::string path = directory / "words.safetensors";
  model.save(path);
  const auto read = WordModel::load(path);
  const std::string bases = test::random_bases(300, 4);
  EXPECT_EQ(read.logits(bases, 0.4), model.logits(bases, 0.4));
  EXPECT_EQ(read.encoder, model.encoder);
}

TEST(WordModel, AFolderListsItsWords) {
  const test::TempDir directory;
  const std::string folder = directory.path();
  model_folder::ModelFolder model{folder, test::small_promoter_model(), test::letters(), {}};
  model.manifest.kind = "model";
  EXPECT_FALSE(WordModel::of(model)) << "an older folder has none";
  const std::string path = folder + "/words.safetensors";
  random_words(WordCounts::of_interval(100, false), 1).save(path);
  EXPECT_FALSE(WordModel::of(model)) << "a file that is not listed is not the model's";
  model.manifest.add_file(folder, "words.safetensors");
  EXPECT_TRUE(WordModel::of(model));
  std::string bytes = io::read_file(path);
  bytes.back() ^= 1;
  io::write_file(path, bytes);
  EXPECT_NE(test::error_of([&] {
              WordModel::of(model);
            }).find("words.safetensors: its checksum differs from the recorded one"),
            std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(test::error_of([&] { WordModel::of(model); }).find("words.safetensors: is missing"), std::string::npos);
  random_words(WordCounts::of_interval(100, false), 2).save(path);
  model.manifest.details.erase("files");
  model.manifest.add_file(folder, "words.safetensors");
  EXPECT_NE(test::error_of([&] { WordModel::of(model); }).find("words of 2 features, but the model has 1"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::session
