#include "prediction/explain.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/cnn.h"
#include "model/parameters.h"
#include "session/small_model.h"

namespace bigdna::prediction {
namespace {

constexpr const char* kWords = "bert.embeddings.word_embeddings.weight";

session::RunOptions on_cpu() {
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  return options;
}

/// As initialised, with weights large enough that single bases matter.
model::Parameters strong(const model_folder::ModelConfig& config, uint64_t seed) {
  auto parameters = model::initialise(config, seed);
  for (auto& [name, tensor] : parameters)
    if (name.ends_with("weight") && (name.starts_with("classifier.") || name.find("self.value") != std::string::npos ||
                                     name.find("attention.output.dense") != std::string::npos))
      tensor.mul_(15);
  return parameters;
}

/// A model whose logit is, to first order, a count of G: [CLS] attends evenly to all, and all embeddings are the same
/// but G's, which stands at right angles to them (LayerNorm takes out what merely is longer).
model::Parameters counts_g(const model_folder::ModelConfig& config) {
  auto parameters = strong(config, 5);
  for (const char* part : {"query", "key"})
    parameters["bert.encoder.layer.0.attention.self." + std::string(part) + ".weight"].zero_();
  at::Tensor& kmers = parameters[kWords];
  for (int64_t i = 0; i < kmers.size(1); ++i) {
    kmers.select(1, i).fill_(i % 4 < 2 ? 0.5 : -0.5);
    kmers[7][i] = i % 2 ? 0.5 : -0.5;
  }
  return parameters;
}

TEST(Explain, FindsTheOnlyLetterThatMatters) {
  const auto config = test::small_promoter_model();
  const auto parameters = counts_g(config);
  const session::Placement placement(on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length);
  const session::Session session(config, parameters, placement);
  std::string bases = test::random_bases(60, 3);
  for (char& base : bases)
    if (base == 'G') base = 'A';
  for (const size_t at : {7, 22, 23, 51}) bases[at] = 'G';
  for (const bool gradient : {true, false}) {
    const auto values =
        gradient ? gradient_importance(reader, session, bases, 0) : mutagenesis_importance(reader, session, bases, 0);
    ASSERT_EQ(values.size(), bases.size());
    double least_g = INFINITY, most_other = 0, sign = 0;
    for (size_t i = 0; i < bases.size(); ++i) {
      if (bases[i] == 'G') {
        least_g = std::min(least_g, std::abs(values[i]));
        sign += values[i] > 0 ? 1 : -1;
      } else if (gradient) {
        most_other = std::max(most_other, std::abs(values[i]));
      }
    }
    EXPECT_EQ(std::abs(sign), 4) << "all in one direction";
    if (gradient) {
      EXPECT_GT(least_g, 3 * most_other);
    }
    EXPECT_GT(least_g, 1e-4);
  }
}

TEST(Explain, GradientEqualsTheFiniteDifferenceOfTheEmbedding) {
  const auto config = test::small_promoter_model();
  auto parameters = strong(config, 9);
  parameters[kWords].sub_(parameters[kWords].mean(0));  // so that input x gradient has no other reference
  const session::Placement placement(on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length);
  const session::Session session(config, parameters, placement);
  const auto bases = test::random_bases(50, 4);
  const auto values = gradient_importance(reader, session, bases, 0);
  double of_c = 0;
  for (size_t i = 0; i < bases.size(); ++i) of_c += bases[i] == 'C' ? values[i] : 0;
  const auto logit = [&](double factor) {  // C's embedding times `factor`
    auto changed = parameters;
    changed[kWords] = parameters[kWords].clone();
    changed[kWords][6].mul_(factor);
    const double p = session::all_probabilities(reader, {config, changed, placement}, std::vector<std::string>{bases},
                                                session::Strands::forward)
                         .front();
    return std::log(p / (1 - p));
  };
  const double difference = (logit(1.05) - logit(0.95)) / 0.1;
  EXPECT_NEAR(of_c, difference, 0.02 * std::abs(difference) + 1e-5);
}

TEST(Explain, TheBranchOfBasesIsDifferentiatedByItsLetters) {
  auto config = test::small_promoter_model();
  config.cnn_filters = 4;
  auto parameters = model::initialise(config, 3);
  for (auto& [name, tensor] : parameters)
    if (name.starts_with("bigdna.cnn.")) tensor.mul_(25);
  const session::Placement placement(on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length);
  const auto bases = test::random_bases(50, 8);
  auto without = config;
  without.cnn_filters = 0;
  const auto values = gradient_importance(reader, session::Session(config, parameters, placement), bases, 0);
  const auto of_encoder = gradient_importance(reader, session::Session(without, parameters, placement), bases, 0);
  const auto window =
      model::cnn_window(model::make_batch({reader.example(bases)}, config.pattern.block, config.pad_id, at::kCPU));
  double size = 0;
  for (int64_t i = 0; i < 50; ++i) {
    // of base i with `by` more of its letter, and less of what the four have in common
    const auto logit = [&](double by) {
      auto changed = window;
      changed.letters = window.letters.clone();
      const at::Tensor letter = changed.letters.select(0, 0).select(1, i);
      letter.copy_(letter + by * (letter - 0.25));
      return model::cnn_logits(config, parameters, changed, {}).item<double>();
    };
    const auto at = static_cast<size_t>(i);
    const double difference = (logit(0.01) - logit(-0.01)) / 0.02;
    EXPECT_NEAR(values[at] - of_encoder[at], difference, 0.02 * std::abs(difference) + 0.01) << i;
    size += std::abs(difference) / 50;
  }
  EXPECT_GT(size, 0.1);
}

TEST(Explain, MutagenesisEqualsReadingEveryMutant) {
  const auto config = test::small_promoter_model();
  const auto parameters = strong(config, 9);
  const session::Placement placement(on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length);
  const session::Session session(config, parameters, placement);
  auto bases = test::random_bases(20, 6);
  bases[3] = 'N';
  const auto logit = [&](const std::string& text) {
    const double p =
        session::all_probabilities(reader, session, std::vector<std::string>{text}, session::Strands::forward).front();
    return std::log(p / (1 - p));
  };
  const auto values = mutagenesis_importance(reader, session, bases, 0);
  for (const size_t at : {0, 3, 19}) {
    double sum = 0;
    int count = 0;
    for (const char base : std::string("ACGT")) {
      if (base == bases[at]) continue;
      auto mutant = bases;
      mutant[at] = base;
      sum += logit(mutant);
      ++count;
    }
    EXPECT_NEAR(values[at], logit(bases) - sum / count, 2e-6);
  }
}

/// Importance is a difference of logits: a bias changes nothing, not even where the sigmoid is 0 or 1 in float32.
TEST(Explain, MutagenesisSeesDifferencesAtAnyLogit) {
  const auto config = test::small_promoter_model();
  auto parameters = strong(config, 9);
  const session::Placement placement(on_cpu());
  const session::SequenceReader reader(test::letters(), config.max_length);
  const auto bases = test::random_bases(20, 6);
  const auto expected = mutagenesis_importance(reader, session::Session(config, parameters, placement), bases, 0);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1e-3);
  for (const double bias : {-30.0, 14.0, 30.0}) {
    auto shifted = parameters;
    shifted["classifier.out_proj.bias"] = parameters.at("classifier.out_proj.bias") + bias;
    const auto values = mutagenesis_importance(reader, session::Session(config, shifted, placement), bases, 0);
    for (size_t i = 0; i < bases.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-5) << bias;
  }
}

}  // namespace
}  // namespace bigdna::prediction
