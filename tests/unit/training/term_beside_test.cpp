#include "training/term_beside.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/rng.h"
#include "model/parameters.h"
#include "model_folder/encoder_part.h"
#include "models/kmer_terms.h"
#include "models/sum.h"
#include "rows/small_rows.h"
#include "support.h"
#include "training/encoder_beside.h"
#include "training/kernel_beside.h"
#include "training/kmers_beside.h"

namespace bigdna::training {
namespace {

using Rows = TermBeside::Rows;

/// The row's label as log-odds, and noise; of `share` 0 noise alone.
float evidence(int64_t row, double share, uint64_t seed) {
  double noise = 0;
  Rng rng(seed, static_cast<uint64_t>(row));
  for (int i = 0; i < 12; ++i) noise += static_cast<double>(rng.below(1000)) / 1000 - 0.5;
  return static_cast<float>(share * (row % 2 ? 1 : -1) + noise);
}

/// A term that knows so much.
class Given : public TermBeside {
 public:
  Given(const rows::TaskRows& rows, double share, uint64_t seed) : TermBeside(rows), share_(share), seed_(seed) {}
  std::string name() const override { return "given"; }
  std::string title() const override { return "given"; }
  std::vector<float> logits(const Rows& rows) const override {
    std::vector<float> all;
    for (const int64_t row : rows) all.push_back(evidence(row, share_, seed_));
    return all;
  }
  std::vector<float> in_sum(const Rows& rows) const override {
    auto all = logits(rows);
    for (float& value : all) value = static_cast<float>(place()->scale[0] * value + place()->shift[0]);
    return all;
  }
  OutOfFold out_of_fold() const override {
    const auto train = rows_.of(dataset::Split::train);
    return {train, at::tensor(logits(train), at::kFloat).view({-1, 1})};
  }
  bool is_kept() const override { return true; }
  void write(const std::string&, io::Manifest&) const override {}
  int times_placed = 0;

 private:
  linear::StackChoice choice() const override { return linear::StackChoice::least_loss; }
  void placed() override { ++times_placed; }
  double share_;
  uint64_t seed_;
};

class TermBesideTest : public ::testing::Test {
 protected:
  rows::TaskRows data_ = rows::small_rows("promoter", 1500, 1);
  Rows validation_ = data_.of(dataset::Split::validation);

  std::vector<float> base(double share) const {
    std::vector<float> all;
    for (const int64_t row : validation_) all.push_back(2 * static_cast<float>(share) * evidence(row, share, 1));
    return all;
  }
  /// Mean log loss.
  double loss(const std::vector<float>& logits) const {
    double sum = 0;
    for (size_t i = 0; i < logits.size(); ++i) sum += std::log1p(std::exp(validation_[i] % 2 ? -logits[i] : logits[i]));
    return sum / static_cast<double>(logits.size());
  }
};

TEST_F(TermBesideTest, ATermThatKnowsMoreHasAShareAndTheSumLessLoss) {
  Given term(data_, 1, 2);
  const auto of_base = base(1);
  term.add_to(&of_base, validation_);
  ASSERT_TRUE(term.place());
  EXPECT_EQ(term.times_placed, 1);
  EXPECT_GT(term.place()->share.at(""), 0.2);
  EXPECT_LT(term.place()->share.at(""), 0.8);
  auto sum = term.in_sum(validation_);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<float>(term.place()->base_weight[0]) * of_base[i];
  EXPECT_LT(loss(sum), loss(of_base) - 0.05);
}

TEST_F(TermBesideTest, ATermThatSaysWhatIsKnownHasNoPlace) {
  Given term(data_, 1, 1);
  const auto of_base = base(1);
  term.add_to(&of_base, validation_);
  EXPECT_FALSE(term.place());
  EXPECT_EQ(term.times_placed, 0);
  // nor without rows to choose on, whatever was chosen before
  Given good(data_, 1, 2);
  good.add_to(&of_base, validation_);
  ASSERT_TRUE(good.place());
  const std::vector<float> none;
  good.add_to(&none, {});
  EXPECT_FALSE(good.place());
}

TEST_F(TermBesideTest, WithoutABaseTheTermIsTheSumCalibratedWhereThereAreRows) {
  Given term(data_, 3, 2);
  term.add_to(nullptr, validation_);
  ASSERT_TRUE(term.place());
  EXPECT_EQ(term.place()->share.at(""), 1);
  const auto sum = term.in_sum(validation_), own = term.logits(validation_);
  EXPECT_LT(loss(sum), loss(own) - 0.01);
  EXPECT_GT(term.place()->scale[0], 1.5);  // it is too uncertain
  term.add_to(nullptr, {});
  ASSERT_TRUE(term.place());
  EXPECT_EQ(term.in_sum(validation_), own);
}

TEST_F(TermBesideTest, WithoutABaseTwoTermsAreTheSum) {
  Given one(data_, 1, 2), other(data_, 1, 3);
  one.add_to(nullptr, validation_);
  const double alone = loss(one.in_sum(validation_));
  TermBeside::add_together(std::vector<TermBeside*>{&one, &other}, nullptr, validation_);
  ASSERT_TRUE(one.place() && other.place());
  auto sum = one.in_sum(validation_);
  const auto more = other.in_sum(validation_);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  EXPECT_LT(loss(sum), alone - 0.02);
  EXPECT_NEAR(one.place()->share.at("") + other.place()->share.at(""), 1, 1e-9);
}

TEST_F(TermBesideTest, TwoTermsAreWeighedOnTrainingRowsAndAddedTogether) {
  Given one(data_, 1, 2), other(data_, 1, 3);
  const auto of_base = base(1);
  one.add_to(&of_base, validation_);
  const auto sum_of = [&](const std::vector<const Given*>& terms) {
    std::vector<float> sum = of_base;
    for (float& value : sum) value *= static_cast<float>(terms.front()->place()->base_weight[0]);
    for (const auto* term : terms) {
      const auto values = term->in_sum(validation_);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    return sum;
  };
  const double alone = loss(sum_of({&one}));
  TermBeside::add_together(std::vector<TermBeside*>{&one, &other}, &of_base, validation_);
  ASSERT_TRUE(one.place() && other.place());
  EXPECT_LT(loss(sum_of({&one, &other})), alone - 0.02);
  EXPECT_DOUBLE_EQ(other.place()->base_weight[0], 1);
  // both know as much, and as much as the base
  EXPECT_NEAR(other.place()->scale[0] / one.place()->scale[0], 1, 0.51);
  EXPECT_GT(one.place()->share.at(""), 0.2);
  EXPECT_GT(other.place()->share.at(""), 0.2);
  EXPECT_LT(one.place()->share.at("") + other.place()->share.at(""), 0.9);
}

TEST_F(TermBesideTest, OfTwoTermsTheSecondHasNoPlaceUnlessTrainingRowsCallForIt) {
  Given alone(data_, 1, 2);
  const auto of_base = base(1);
  alone.add_to(&of_base, validation_);
  int placed = 0;
  for (uint64_t seed = 3; seed < 13; ++seed) {  // noise is better than nothing by a standard error at times
    Given one(data_, 1, 2), noise(data_, 0, seed);
    TermBeside::add_together(std::vector<TermBeside*>{&one, &noise}, &of_base, validation_);
    ASSERT_TRUE(one.place());
    placed += noise.place().has_value();
    if (noise.place()) {
      EXPECT_LT(noise.place()->scale[0], 0.2 * one.place()->scale[0]);
    } else {
      EXPECT_NEAR(one.place()->scale[0], alone.place()->scale[0], 1e-3);
    }
  }
  EXPECT_LT(placed, 5);
  // nor where the sum of both says what is known
  Given same(data_, 1, 1), noise(data_, 0, 3);
  TermBeside::add_together(std::vector<TermBeside*>{&same, &noise}, &of_base, validation_);
  EXPECT_FALSE(same.place());
  EXPECT_FALSE(noise.place());
}

class EncoderBesideTest : public ::testing::Test {
 protected:
  EncoderBesideTest() {
    auto config = test::small_promoter_model();
    config.head = "pretraining";
    config.labels = 0;
    write(config, "encoder");
    data_.bases = [](int64_t row) {  // positives are rich in C
      std::string bases = test::random_bases(40, static_cast<uint64_t>(row));
      if (row % 2)
        for (size_t i = 0; i < 40; i += 4) bases[i] = 'C';
      return bases;
    };
  }
  void write(const model_folder::ModelConfig& config, const std::string& name) const {
    std::filesystem::create_directories(folder_ / name);
    model::save_weights(model::initialise(config, 1), folder_ / name + "/model.safetensors");
    model_folder::write_model_folder(folder_ / name, config, test::letters(), {});
  }
  session::Placement placement(int threads) const {
    session::RunOptions options;
    options.device = "cpu";
    options.precision = "fp32";
    options.threads = threads;
    return session::Placement(options);
  }

  test::TempDir folder_;
  rows::TaskRows data_ = rows::small_rows("promoter", 300, 1);
};

TEST_F(EncoderBesideTest, IsTheSameForAnyThreadsAndWhatAModelComputes) {
  const auto encoder = open_encoder(folder_ / "encoder");
  const auto validation = data_.of(dataset::Split::validation);
  for (const auto strands : {session::Strands::forward, session::Strands::average}) {
    EncoderBeside one(encoder, data_, strands, placement(1), 1), two(encoder, data_, strands, placement(2), 2);
    EXPECT_EQ(one.head().weight, two.head().weight);
    EXPECT_EQ(one.logits(validation), two.logits(validation));
    int64_t right = 0;
    const auto logits = one.logits(validation);
    for (size_t i = 0; i < validation.size(); ++i) right += (logits[i] > 0) == (validation[i] % 2 == 1);
    EXPECT_GT(right, 80);  // of 100
    const std::vector<float> nothing(validation.size(), 0);
    one.add_to(&nothing, validation);
    ASSERT_TRUE(one.place());

    io::Manifest manifest;
    one.write(folder_.path(), manifest);
    EXPECT_EQ(model_folder::encoder_files(manifest).size(), 6u);  // three of the vocabulary
    const auto head = models::EncoderHead::load(folder_ / model_folder::kEncoderHeadFile);
    const models::FrozenEncoder frozen(model_folder::ModelFolder::open(folder_ / model_folder::kEncoderFolder),
                                       data_.anchor(), placement(1));
    models::Sum sum(1);
    sum.add(std::make_unique<models::FrozenEncoderTerm>(frozen, head));
    EXPECT_EQ(sum.all_logits(data_.bases_of(validation), strands, 1), one.in_sum(validation));
  }
}

TEST_F(EncoderBesideTest, AKernelModelReadsItAndIsWhatAModelComputes) {
  const auto encoder = open_encoder(folder_ / "encoder");
  const auto validation = data_.of(dataset::Split::validation);
  int placed = 0;
  for (const auto strands : {session::Strands::forward, session::Strands::average}) {
    KmersBeside kmers(data_, strands, 1);
    EncoderBeside beside(encoder, data_, strands, placement(1), 1);
    KernelBeside kernel(kmers, beside, data_, strands, 1, 1), two(kmers, beside, data_, strands, 1, 2);
    EXPECT_EQ(kernel.logits(validation), two.logits(validation));
    const auto [rows, out_of_fold] = kernel.out_of_fold();
    EXPECT_EQ(rows, data_.of(dataset::Split::train));
    EXPECT_EQ(out_of_fold.size(0), std::ssize(rows));
    int64_t right = 0;
    const auto logits = kernel.logits(validation);
    for (size_t i = 0; i < validation.size(); ++i) right += (logits[i] > 0) == (validation[i] % 2 == 1);
    EXPECT_GT(right, 80);  // of 100

    const std::vector<float> nothing(validation.size(), 0);
    TermBeside::add_together(std::vector<TermBeside*>{&kmers, &kernel}, &nothing, validation);
    if (!kernel.place()) continue;
    ++placed;
    EXPECT_TRUE(beside.is_kept());  // the kernel model needs its states
    io::Manifest manifest;
    kmers.write(folder_.path(), manifest);
    const auto model = models::KmerModel::load(folder_ / model_folder::kKmersFile);
    const models::FrozenEncoder frozen(encoder, data_.anchor(), placement(1));
    models::Sum sum(1);
    sum.add(std::make_unique<models::FrozenEncoderTerm>(frozen, beside.head()), {0});
    sum.add(std::make_unique<models::KernelTerm>(model, data_.anchor()));
    EXPECT_EQ(sum.all_logits(data_.bases_of(validation), strands, 1), kernel.in_sum(validation));
  }
  EXPECT_GT(placed, 0);
}

TEST_F(EncoderBesideTest, TakesPretrainedEncodersOnly) {
  write(test::small_promoter_model(), "promoter");
  try {
    open_encoder(folder_ / "promoter");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), folder_ / "promoter" +
                                             ": was trained for the task 'promoter'; --encoder takes "
                                             "a pretrained encoder (bigdna pretrain)");
  }
}

}  // namespace
}  // namespace bigdna::training
