#include "models/network_term.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "support.h"

namespace bigdna::models {
namespace {

class NetworkTest : public testing::Test {
 protected:
  NetworkTest() {
    config_.stages = {{6, 5, 2}, {9, 3, 5}};
    config_.dilations = {1, 2};
    config_.window = 160;
    config_.labels = 2;
    config_.networks = 2;
    Rng rng(1);
    for (int i = 0; i < 2000; ++i) genome_ += "ACGT"[rng.below(4)];
  }
  Network model() const { return {config_, model::initialise(config_, 3), session::Placement(), "folder"}; }
  std::string around(const Network& model, size_t bin) const {
    return genome_.substr(10 * bin - static_cast<size_t>(model.margin() * 10), static_cast<size_t>(model.context()));
  }
  static double difference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) largest = std::max<double>(largest, std::abs(a[i] - b[i]));
    return largest;
  }

  model_folder::NetworkConfig config_;
  std::string genome_;
};

TEST_F(NetworkTest, SequencesThatOverlapGiveWhatEachGivesAlone) {
  const auto model = this->model();
  const auto most = static_cast<size_t>(2 * model.margin());  // further on, two of them do not overlap
  for (const auto strands : {session::Strands::forward, session::Strands::average}) {
    std::vector<std::string> sequences;
    std::vector<float> alone;
    for (const size_t bin :
         {size_t{20}, size_t{21}, size_t{22}, size_t{24}, size_t{24}, 24 + most, 25 + 2 * most, size_t{7}}) {
      sequences.push_back(around(model, bin));
      const auto logits = model.middle_logits({&sequences.back(), 1}, strands);
      alone.insert(alone.end(), logits.begin(), logits.end());
    }
    EXPECT_LT(difference(model.middle_logits(sequences, strands), alone), 1e-6);
  }
}

TEST_F(NetworkTest, SeriesThatTakeTurnsGiveWhatEachGivesAlone) {
  const auto model = this->model();
  std::vector<std::string> sequences;
  std::vector<float> alone;
  for (size_t start = 0; start < 100; start += 4) {  // bins of 10 bp: five series
    sequences.push_back(genome_.substr(start, static_cast<size_t>(model.context())));
    const auto logits = model.middle_logits({&sequences.back(), 1}, session::Strands::forward);
    alone.insert(alone.end(), logits.begin(), logits.end());
  }
  EXPECT_LT(difference(model.middle_logits(sequences, session::Strands::forward), alone), 1e-6);
}

TEST_F(NetworkTest, TheMeanOfStrandsIsTheSameForTheReverseComplement) {
  auto model = this->model();
  std::vector<std::string> sequences{around(model, 30)}, reversed{genome::reverse_complement(sequences[0])};
  const auto changed = [&](session::Strands strands) {
    return difference(model.middle_logits(sequences, strands), model.middle_logits(reversed, strands));
  };
  EXPECT_LT(changed(session::Strands::average), 1e-6);
  EXPECT_GT(changed(session::Strands::forward), 1e-4);
  config_.reversed = {1, 0};  // labels of a strand
  const auto stranded = this->model();
  auto logits = stranded.middle_logits(sequences, session::Strands::average);
  std::swap(logits[0], logits[1]);
  EXPECT_LT(difference(logits, stranded.middle_logits(reversed, session::Strands::average)), 1e-6);
}

TEST_F(NetworkTest, OtherLengthsAreCutOrSurroundedByN) {
  const auto model = this->model();
  const std::string exact = around(model, 30);
  const std::vector<std::string> longer{"ACG" + exact + "TTT"}, shorter{exact.substr(20, exact.size() - 40)},
      padded{std::string(20, 'N') + shorter[0] + std::string(20, 'N')}, whole{exact};
  EXPECT_EQ(model.middle_logits(longer, session::Strands::forward),
            model.middle_logits(whole, session::Strands::forward));
  EXPECT_EQ(model.middle_logits(shorter, session::Strands::forward),
            model.middle_logits(padded, session::Strands::forward));
}

TEST_F(NetworkTest, SubstitutedLogitsAreThoseOfTheEditedSequence) {
  config_.labels = 3;
  config_.reversed = {0, 2, 1};
  const auto model = this->model();
  const std::string bases = genome_.substr(0, 150);
  const int64_t bin = 7, labels = 3;
  for (const auto strands : {session::Strands::forward, session::Strands::average}) {
    const auto all = model.substituted_logits(bases, {bin, 0, 150}, strands);
    ASSERT_EQ(all.size(), 150u * 4 * 3);
    std::vector<float> expected, part;
    for (size_t i = 0; i < bases.size(); ++i)
      for (const char base : {'A', 'C', 'G', 'T'}) {
        std::string edited = bases;
        edited[i] = base;
        const auto logits = model.logits(edited, strands);
        expected.insert(expected.end(), logits.begin() + bin * labels, logits.begin() + (bin + 1) * labels);
      }
    EXPECT_LT(difference(all, expected), 1e-5);
    EXPECT_GT(difference(all, std::vector<float>(all.size(), all[0])), 1e-2) << "changes change nothing";
    part.assign(all.begin() + 40 * 12, all.begin() + 75 * 12);
    EXPECT_LT(difference(model.substituted_logits(bases, {bin, 40, 35}, strands), part), 1e-5);
  }
}

TEST_F(NetworkTest, SubstitutionsForUnknownBases) {
  const auto model = this->model();
  std::string bases = genome_.substr(0, 100);
  bases[52] = 'N';
  const auto all = model.substituted_logits(bases, {5, 52, 1}, session::Strands::forward);
  for (size_t b = 0; b < 4; ++b) {
    bases[52] = "ACGT"[b];
    const auto logits = model.logits(bases, session::Strands::forward);
    for (size_t label = 0; label < 2; ++label) EXPECT_NEAR(all[b * 2 + label], logits[5 * 2 + label], 1e-5);
  }
}

TEST_F(NetworkTest, TheTermComputesEditsAsTheEditedSequences) {
  config_.labels = 3;
  config_.reversed = {0, 2, 1};
  const auto model = std::make_shared<const Network>(this->model());
  const std::string bases = genome_.substr(0, static_cast<size_t>(model->context()));
  std::vector<std::string> all(4, bases);
  all[1].replace(all[1].size() / 2, 3, "GAT");
  all[2].replace(8, 12, genome_.substr(500, 12));
  all[3] += "ACG";  // of another length: read by itself
  for (const bool reversed : {false, true}) {
    auto edited = readings_of(all, reversed), alone = readings_of(all, reversed);
    for (size_t i = 1; i < edited.size(); ++i) edited[i].original = 0;
    const NetworkTerm term(model);
    EXPECT_LT(difference(term.logits(edited), term.logits(alone)), 1e-5);
    EXPECT_GT(difference({term.logits(edited)[0]}, {term.logits(edited)[3]}), 0) << "an edit changes nothing";
  }
  all.pop_back();  // where it is cut depends on the strand
  auto forward = readings_of(all), reverse = forward;
  std::vector<std::string> complements;
  for (const auto& sequence : all) complements.push_back(genome::reverse_complement(sequence));
  reverse = readings_of(complements, /*reversed=*/true);
  const NetworkTerm term(model);
  EXPECT_LT(difference(term.mean_of_strands(forward, reverse), term.Term::mean_of_strands(forward, reverse)), 1e-5);
}

TEST_F(NetworkTest, FilterMaximaAreThoseOfTheWeights) {
  const auto parameters = model::initialise(config_, 3);
  const Network model(config_, parameters, session::Placement(), "folder");
  const std::vector<std::string> sequences{genome_.substr(0, 24), genome_.substr(100, 24)};
  const auto maxima = model.filter_maxima(sequences);
  EXPECT_EQ(maxima.count, 2 * 10);
  for (int64_t network = 0; network < 2; ++network)
    for (int64_t filter = 0; filter < 6; ++filter) {
      const std::string prefix = "networks." + std::to_string(network) + ".stages.0.";
      const at::Tensor weight = parameters.at(prefix + "weight")[filter];
      double pooled = 0;
      for (size_t s = 0; s < 2; ++s) {
        std::vector<double> outputs;
        for (size_t at = 0; at < 20; ++at) {
          double sum = parameters.at(prefix + "bias")[filter].item<double>();
          for (size_t i = 0; i < 5; ++i)
            sum += weight[static_cast<int64_t>(std::string("ACGT").find(sequences[s][at + i]))][static_cast<int64_t>(i)]
                       .item<double>();
          outputs.push_back(sum);
        }
        const auto most = std::ranges::max_element(outputs);
        const size_t column = s * 12 + static_cast<size_t>(network * 6 + filter);
        EXPECT_NEAR(maxima.outputs[column], *most, 1e-5);
        EXPECT_EQ(maxima.positions[column], most - outputs.begin());
        for (size_t at = 0; at < 20; at += 2) pooled += std::max(outputs[at], outputs[at + 1]);
      }
      EXPECT_NEAR(maxima.pooled[static_cast<size_t>(network * 6 + filter)], pooled, 1e-4);
    }
}

/// A filter without weights gives its bias everywhere. Of a sequence of one bin that is all that reads the filter.
TEST_F(NetworkTest, FilterEffectsAreThoseOfAFilterThatGivesItsLevel) {
  config_.networks = 1;
  const auto parameters = model::initialise(config_, 3);
  const Network model(config_, parameters, session::Placement(), "folder");
  const std::string bases = genome_.substr(300, 10);
  const auto original = model.original(bases, 0);
  std::vector<float> levels, expected;
  for (int64_t filter = 0; filter < 6; ++filter) {
    levels.push_back(0.1F * static_cast<float>(filter) - 0.2F);
    auto without = parameters;
    for (auto& [name, value] : without) value = value.clone();
    without.at("networks.0.stages.0.weight")[filter].fill_(0);
    without.at("networks.0.stages.0.bias")[filter].fill_(levels.back());
    const auto logits =
        Network(config_, without, session::Placement(), "folder").logits(bases, session::Strands::forward);
    for (size_t label = 0; label < 2; ++label) expected.push_back(original.logits[label] - logits[label]);
  }
  const auto effects = model.filter_effects(original, levels);
  EXPECT_LT(difference(effects, expected), 1e-5);
  EXPECT_GT(difference(effects, std::vector<float>(effects.size(), 0)), 1e-3);
}

/// The sum over positions is the change from the references, and along a straight line a network without kinks would
/// have the integral exactly.
TEST_F(NetworkTest, IntegratedGradientsAddUpToTheChangeFromTheReferences) {
  config_.labels = 3;
  config_.reversed = {0, 2, 1};
  const auto model = this->model();
  const std::string bases = genome_.substr(0, 150);
  const int64_t bin = 7, first = 50, count = 60;
  std::vector<std::string> references(3, bases);
  for (size_t i = 0; i < 3; ++i) references[i].replace(first, count, genome_.substr(400 + 100 * i, count));
  for (const auto strands : {session::Strands::forward, session::Strands::average})
    for (const int64_t label : {0, 1}) {
      const auto values = model.integrated_gradients(bases, {bin, first, count}, label, references, 200, strands);
      ASSERT_EQ(values.size(), 4u * count);
      double sum = 0, change = 0;
      for (int64_t i = 0; i < count; ++i)
        sum += values[static_cast<size_t>(4 * i) + std::string("ACGT").find(bases[static_cast<size_t>(first + i)])];
      for (const auto& reference : references)
        change +=
            (model.logits(bases, strands)[bin * 3 + label] - model.logits(reference, strands)[bin * 3 + label]) / 3;
      EXPECT_GT(std::abs(change), 0.01);
      EXPECT_NEAR(sum, change, 0.02 * std::abs(change));
    }
}

TEST_F(NetworkTest, GradientsAreDifferencesOfLogits) {
  config_.labels = 3;
  config_.reversed = {0, 2, 1};
  const auto parameters = model::initialise(config_, 3);
  const Network model(config_, parameters, session::Placement(), "folder");
  const std::string bases = genome_.substr(0, 100);
  const int64_t bin = 5, label = 1;
  const auto forward = model.gradients(bases, {bin, 30, 40}, label, session::Strands::forward);
  ASSERT_EQ(forward.size(), 40u * 4);
  at::Tensor codes = at::tensor(model::base_codes(bases), at::kLong).unsqueeze(0);
  const auto logit = [&](const at::Tensor& letters) {
    double sum = 0;
    for (int64_t network = 0; network < config_.networks; ++network) {
      const auto states = model::bin_states_of_letters(config_, parameters, network, letters, {});
      sum += model::logits_of_states(config_, parameters, network, states, {})[0][bin][label].item<double>();
    }
    return sum / static_cast<double>(config_.networks);
  };
  double largest = 0;
  int others = 0;  // where the step changes which position a pool takes
  for (int64_t i = 0; i < 40; ++i)
    for (int64_t b = 0; b < 4; ++b) {
      constexpr double kStep = 2e-3;
      at::Tensor up = model::letters_of(codes, at::kFloat), down = up.clone();
      up[0][30 + i][b] += kStep;
      down[0][30 + i][b] -= kStep;
      const double slope = (logit(up) - logit(down)) / (2 * kStep);
      largest = std::max(largest, std::abs(slope));
      others += std::abs(forward[static_cast<size_t>(i * 4 + b)] - slope) > 1e-3;
    }
  EXPECT_LE(others, 12) << "of 160";
  EXPECT_GT(largest, 0.02) << "the gradient is 0";

  // Read on the other strand, the last base and T are the first base and A, and label 1 is label 2.
  const auto other = model.gradients(genome::reverse_complement(bases), {4, 30, 40}, 2, session::Strands::forward);
  const auto mean = model.gradients(bases, {bin, 30, 40}, label, session::Strands::average);
  for (size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(mean[i], (forward[i] + other[other.size() - 1 - i]) / 2, 1e-6);
}

TEST_F(NetworkTest, ValuesThatAreNotFiniteAreAnErrorThatNamesTheModel) {
  auto parameters = model::initialise(config_, 3);
  parameters.at("networks.1.head.bias").fill_(std::numeric_limits<float>::infinity());
  const Network model(config_, parameters, session::Placement(), "folder");
  const std::vector<std::string> sequences{genome_.substr(0, static_cast<size_t>(model.context()))};
  EXPECT_NE(test::error_of([&] { model.middle_logits(sequences, session::Strands::forward); }).find("folder: "),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::models
