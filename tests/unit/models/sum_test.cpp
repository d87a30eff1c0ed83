#include "models/sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "genome/alphabet.h"
#include "model/parameters.h"
#include "models/encoder_term.h"
#include "models/kmer_terms.h"
#include "session/small_model.h"

namespace bigdna::models {
namespace {

using session::Strands;

session::Placement on_cpu(int threads = 1) {
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  options.threads = threads;
  return session::Placement(options);
}

/// Numbers that depend on the bases alone, for sums that can be done by hand.
class Length : public Term {
 public:
  explicit Length(float unit) : unit_(unit) {}
  std::string_view name() const override { return "length"; }
  std::vector<float> logits(std::span<Reading> readings) const override {
    std::vector<float> all;
    for (const auto& reading : readings)
      for (const float output : {1.f, 2.f})
        all.push_back(unit_ * output * static_cast<float>(reading.bases->size()) * (reading.reversed ? 3.f : 1.f));
    return all;
  }

 private:
  float unit_;
};

TEST(Sum, AddsWeightedTermsAndSaysWhatEachAdds) {
  Sum sum(2);
  sum.add(std::make_unique<Length>(1.f));
  sum.add(std::make_unique<Length>(10.f), {0.5f, 0});
  const std::vector<std::string> sequences{"ACGT", "A"};
  Contributions parts;
  EXPECT_EQ(sum.logits(sequences, Strands::forward, &parts), (std::vector<float>{24, 8, 6, 2}));
  EXPECT_EQ(parts, (Contributions{{4, 8, 1, 2}, {20, 0, 5, 0}}));
  // the mean of both strands: 1 and 3 times as much
  EXPECT_EQ(sum.logits(sequences, Strands::average, &parts), (std::vector<float>{48, 16, 12, 4}));
  EXPECT_EQ(parts, (Contributions{{8, 16, 2, 4}, {40, 0, 10, 0}}));
  EXPECT_EQ(sum.names(), (std::vector<std::string>{"length", "length"}));
}

TEST(EncoderSum, DoesNotDependOnThreadsAndAveragesBothStrands) {
  const auto config = test::small_promoter_model();
  const auto parameters = model::initialise(config, 1);
  std::vector<std::string> bases, reverse;
  for (int i = 0; i < 70; ++i) {
    bases.push_back(test::random_bases(5 + i * 3 % 50, static_cast<uint64_t>(i)));
    reverse.push_back(genome::reverse_complement(bases.back()));
  }
  const session::SequenceReader reader(test::letters(), config.max_length);
  const session::Session session(config, parameters, on_cpu());
  const Sum sum = encoder_sum(reader, session);
  const auto forward = sum.all_logits(bases, Strands::forward, 1);
  EXPECT_EQ(forward, sum.all_logits(bases, Strands::forward, 2));
  const auto backward = sum.all_logits(reverse, Strands::forward, 1),
             average = sum.all_logits(bases, Strands::average, 1);
  ASSERT_EQ(average.size(), 70u);
  for (size_t i = 0; i < 70; ++i) EXPECT_EQ(average[i], (forward[i] + backward[i]) / 2);
  // a sequence's score does not depend on what shares its batch
  for (size_t i = 0; i < 70; i += 23) EXPECT_EQ(sum.logits(std::span(&bases[i], 1), Strands::forward)[0], forward[i]);
  // known states take the encoder's place
  const auto pooled = all_pooled(reader, session, bases);
  const auto of_states = sum.all_logits(bases, Strands::forward, 2, pooled);
  for (size_t i = 0; i < 70; ++i) EXPECT_NEAR(of_states[i], forward[i], 1e-6);
}

TEST(EncoderSum, BothStrandsAreReadAtTheSameSite) {
  auto config = test::small_promoter_model();
  config.pool = "scales";
  config.max_length = 1600;
  const auto parameters = model::initialise(config, 1);
  const std::vector<std::string> bases{test::random_bases(1500, 1)}, reverse{genome::reverse_complement(bases[0])};
  const session::Session session(config, parameters, on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length, 0.8);
  const session::SequenceReader mirrored(test::letters(), config.max_length, 0.2);
  const Sum sum = encoder_sum(reader, session);
  const float forward = sum.logits(bases, Strands::forward)[0],
              backward = encoder_sum(mirrored, session).logits(reverse, Strands::forward)[0];
  EXPECT_FLOAT_EQ(sum.logits(bases, Strands::average)[0], (forward + backward) / 2);
  EXPECT_GT(std::abs(sum.logits(reverse, Strands::forward)[0] - backward), 1e-6);
}

}  // namespace
}  // namespace bigdna::models
