#include "models/frozen_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "genome/alphabet.h"
#include "io/safetensors.h"
#include "model/parameters.h"
#include "models/sum.h"
#include "session/small_model.h"
#include "support.h"

namespace bigdna::models {
namespace {

using session::Strands;

/// Two labels, two columns.
EncoderHead head_of_two() {
  return {.weight = {1, 2, -1, 0}, .bias = {0.5f, 3}, .scale = {2, 0}, .shift = {1, 0}, .base_weight = {0.25f, 1}};
}

TEST(EncoderHead, IsLinearAndHasAPlaceInTheSum) {
  const auto head = head_of_two();
  EXPECT_EQ(head.columns(), 2);
  const auto logits = head.logits(std::vector<float>{1, 1, 10, 0});
  EXPECT_EQ(logits, (std::vector<float>{3.5, 2, 10.5, -7}));
  EXPECT_EQ(head.in_sum(logits), (std::vector<float>{8, 0, 22, 0}));
}

TEST(EncoderHead, IsReadAsItWasWritten) {
  test::TempDir folder;
  const std::string path = folder / "head.safetensors";
  const auto head = head_of_two();
  head.save(path);
  const auto read = EncoderHead::load(path);
  EXPECT_EQ(read.weight, head.weight);
  EXPECT_EQ(read.bias, head.bias);
  EXPECT_EQ(read.scale, head.scale);
  EXPECT_EQ(read.shift, head.shift);
  EXPECT_EQ(read.base_weight, head.base_weight);
}

TEST(EncoderHead, RefusesArraysThatDoNotFitOrAreDamaged) {
  test::TempDir folder;
  const std::string path = folder / "head.safetensors";
  const auto message_of = [&](const EncoderHead& head) -> std::string {
    head.save(path);
    try {
      EncoderHead::load(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  auto head = head_of_two();
  head.weight[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message_of(head), path + ": weight holds values that are not finite numbers: damaged");
  const std::vector<float> one{1}, two{1, 2};
  io::write_safetensors(path, {io::array<float>("weight", two, {2, 1}), io::array<float>("bias", two, {2}),
                               io::array<float>("scale", one, {1}), io::array<float>("shift", two, {2}),
                               io::array<float>("base_weight", two, {2})});
  EXPECT_THROW(EncoderHead::load(path), Error);
}

class FrozenEncoderTest : public ::testing::Test {
 protected:
  FrozenEncoderTest() {
    auto config = test::small_promoter_model();
    config.head = "pretraining";
    config.labels = 0;
    config.max_length = 1600;
    model::save_weights(model::initialise(config, 1), folder_ / "model.safetensors");
    model_folder::write_model_folder(folder_.path(), config, test::letters(), {});
    session::RunOptions options;
    options.device = "cpu";
    options.precision = "fp32";
    placement_.emplace(options);
  }

  FrozenEncoder opened(double anchor) const {
    return {model_folder::ModelFolder::open(folder_.path()), anchor, *placement_};
  }
  EncoderHead head_of(int64_t columns) const {
    EncoderHead head{{}, {0.5f}, {2}, {1}, {0.5f}};
    for (int64_t j = 0; j < columns; ++j) head.weight.push_back(std::sin(static_cast<float>(j)));
    return head;
  }

  test::TempDir folder_;
  std::optional<session::Placement> placement_;
};

TEST_F(FrozenEncoderTest, TheTermIsTheHeadOfTheStatesOfEitherStrand) {
  const auto encoder = opened(0.8);
  const auto columns = FrozenEncoder::columns(model_folder::ModelFolder::open(folder_.path()));
  EXPECT_EQ(columns, 3 * 16);
  const auto head = head_of(columns);
  const std::vector<std::string> bases{test::random_bases(1500, 1), test::random_bases(40, 2)};
  std::vector<std::string> reverse;
  for (const auto& sequence : bases) reverse.push_back(genome::reverse_complement(sequence));
  const auto forward = head.logits(all_pooled(encoder.reader(), encoder.session(), bases)),
             backward = head.logits(all_pooled(encoder.reader(), encoder.session(), reverse, /*reversed=*/true));
  Sum alone(1), beside(1);
  alone.add(std::make_unique<FrozenEncoderTerm>(encoder, head, /*alone=*/true));
  beside.add(std::make_unique<FrozenEncoderTerm>(encoder, head));
  EXPECT_EQ(alone.logits(bases, Strands::forward), forward);
  EXPECT_EQ(beside.logits(bases, Strands::forward), head.in_sum(forward));
  const auto mean = alone.logits(bases, Strands::average);
  for (size_t i = 0; i < bases.size(); ++i) EXPECT_EQ(mean[i], (forward[i] + backward[i]) / 2);
  // the site lies elsewhere in the reverse complement, so a reading of the wrong strand has other states
  EXPECT_NE(head.logits(all_pooled(encoder.reader(), encoder.session(), reverse)), backward);
  EXPECT_EQ(alone.all_logits(bases, Strands::average, 2), mean);
}

TEST_F(FrozenEncoderTest, AnEditHasTheLogitOfTheEditedSequence) {
  const auto encoder = opened(0.5);
  const auto head = head_of(3 * 16);
  const FrozenEncoderTerm term(encoder, head);
  std::vector<std::string> bases{test::random_bases(300, 1), ""};
  bases[1] = bases[0];
  bases[1][150] = bases[1][150] == 'A' ? 'C' : 'A';
  auto readings = readings_of(bases);
  readings[1].original = 0;
  const auto logits = term.logits(readings);
  auto alone = readings_of(std::span(bases).subspan(1));
  EXPECT_EQ(logits[1], term.logits(alone)[0]);
  EXPECT_NE(logits[1], logits[0]);
}

}  // namespace
}  // namespace bigdna::models
