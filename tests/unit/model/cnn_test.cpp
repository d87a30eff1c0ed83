#include "model/cnn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "genome/alphabet.h"
#include "model/model_support.h"
#include "model_folder/architecture.h"

namespace bigdna::model {
namespace {

model_folder::ModelConfig config_with_bases(int64_t filters = 5) {
  auto config = small_config();
  config.head = "chromatin";
  config.labels = 3;
  config.cnn_filters = filters;
  return config;
}

Parameters random_parameters(const model_folder::ModelConfig& config) {
  Parameters parameters;
  uint64_t seed = 1;
  for (const auto& [name, shape] : model_folder::parameter_shapes(config))
    if (name.starts_with(model_folder::kCnn)) parameters[name] = random_tensor(shape, ++seed);
  parameters.at("bigdna.cnn.filter.bias").mul_(0.1);
  return parameters;
}

std::string random_bases(size_t length, uint64_t seed) {
  std::string bases;
  Rng rng(seed);
  for (size_t i = 0; i < length; ++i) bases += "ACGTACGTACGTN"[rng.below(13)];
  return bases;
}

Batch batch_of(const std::vector<std::string>& sequences, const std::vector<int32_t>& sites) {
  std::vector<corpus::Example> examples;
  for (size_t i = 0; i < sequences.size(); ++i) {
    examples.push_back(random_example(6, i));
    examples.back().bases = sequences[i];
    examples.back().site = sites[i];
  }
  return make_batch(examples, 4, 0, at::kCPU);
}

/// What the branch adds to one logit, by loops over letters in double precision.
double logit_by_hand(const Parameters& parameters, int64_t filters, const std::string& bases, int64_t site,
                     int64_t label) {
  const auto value = [&](const char* name, int64_t i) {
    return static_cast<double>(parameters.at(std::string("bigdna.cnn.") + name).const_data_ptr<float>()[i]);
  };
  const std::string letters = "ACGT", complements = "TGCA";
  const auto length = static_cast<int64_t>(bases.size());
  std::vector<double> features;
  std::vector<std::vector<double>> found;
  for (int64_t k = 0; k < filters; ++k) {
    auto& row = found.emplace_back();
    for (int64_t i = 0; i < length; ++i) {
      double forward = 0, backward = 0;
      for (int64_t j = 0; j < 15; ++j) {
        const int64_t place = i + j - 7;
        if (place < 0 || place >= length || bases[place] == 'N') continue;
        forward += value("filter.weight", (k * 4 + static_cast<int64_t>(letters.find(bases[place]))) * 15 + j);
        backward +=
            value("filter.weight", (k * 4 + static_cast<int64_t>(complements.find(bases[place]))) * 15 + 14 - j);
      }
      row.push_back(std::max(0.0, std::max(forward, backward) + value("filter.bias", k)));
    }
  }
  for (const int64_t width : {1000, 200}) {
    const int64_t first = std::max<int64_t>(0, site - width / 2), last = std::min(length, site + width / 2);
    for (const bool mean : {false, true})
      for (const auto& row : found) {
        double sum = 0, most = 0;
        for (int64_t i = first; i < last; ++i) sum += row[i], most = std::max(most, row[i]);
        features.push_back(mean ? sum / static_cast<double>(last - first) : most);
      }
  }
  double logit = 0;
  const auto count = static_cast<int64_t>(features.size());
  for (int64_t i = 0; i < count; ++i)
    logit += (features[i] - value("mean", i)) * value("scale", i) * value("output.weight", label * count + i);
  return logit;
}

TEST(Bases, LogitsAreThoseOfAPlainLoopWhateverSharesTheBatch) {
  const auto config = config_with_bases();
  const auto parameters = random_parameters(config);
  const std::vector<std::string> sequences{random_bases(300, 1), random_bases(1000, 2), random_bases(40, 3), "G",
                                           std::string(30, 'N')};
  const std::vector<int32_t> sites{249, 500, 3, 0, 15};
  const auto together = cnn_logits(config, parameters, cnn_window(batch_of(sequences, sites)), {});
  ASSERT_EQ(together.sizes(), (std::vector<int64_t>{5, 3}));
  for (int64_t b = 0; b < 5; ++b) {
    const auto at = static_cast<size_t>(b);
    const auto alone = cnn_logits(config, parameters, cnn_window(batch_of({sequences[at]}, {sites[at]})), {});
    for (int64_t label = 0; label < 3; ++label) {
      const double expected = logit_by_hand(parameters, 5, sequences[at], sites[at], label),
                   size = 1e-4 * (1 + std::abs(expected));
      EXPECT_NEAR(together[b][label].item<double>(), expected, size);
      EXPECT_NEAR(alone[0][label].item<double>(), expected, size);
    }
  }
}

TEST(Bases, BothStrandsHaveTheSameFeatures) {
  const auto config = config_with_bases();
  const auto parameters = random_parameters(config);
  const std::string bases = random_bases(700, 4);
  const auto features = [&](const std::string& sequence, int32_t site) {
    return cnn_features(config, parameters, cnn_window(batch_of({sequence}, {site})));
  };
  const auto forward = features(bases, 250), backward = features(genome::reverse_complement(bases), 450);
  EXPECT_LT(max_difference(forward, backward), 1e-4);
  EXPECT_GT(max_difference(forward, features(genome::reverse_complement(bases), 250)), 0.1);  // another site
}

TEST(Bases, GradientsAreThoseOfFiniteDifferences) {
  const auto config = config_with_bases(2);
  auto parameters = random_parameters(config);
  const auto window = cnn_window(batch_of({random_bases(90, 5), random_bases(70, 6)}, {45, 20}));
  const auto loss = [&] { return cnn_logits(config, parameters, window, {}).select(1, 1).sum(); };
  for (const char* name : {"filter.weight", "filter.bias", "output.weight"}) {
    at::Tensor& tensor = parameters.at(std::string("bigdna.cnn.") + name);
    tensor.requires_grad_(true);
    loss().backward();
    const at::Tensor gradient = tensor.grad().flatten();
    tensor = tensor.detach();
    double size = 0;
    int agree = 0, count = 0;
    for (int64_t i = 0; i < tensor.numel(); i += 7) {
      float& value = tensor.mutable_data_ptr<float>()[i];
      const float before = value;
      const auto changed = [&](float by) {
        value = before + by;
        const double after = loss().item<double>();
        value = before;
        return after;
      };
      const double difference = (changed(0.002f) - changed(-0.002f)) / 0.004, computed = gradient[i].item<double>();
      agree += std::abs(difference - computed) < 0.05 * std::abs(computed) + 0.05;
      size += std::abs(computed);
      ++count;
    }
    EXPECT_GE(agree, count - 1) << name;  // the maximum has a kink
    EXPECT_GT(size / count, 0.05) << name;
  }
}

TEST(Bases, TheHeadAddsThemAndDropoutIsForTrainingAlone) {
  auto config = config_with_bases();
  auto parameters = initialise(config, 1);
  for (auto& [name, value] : random_parameters(config)) parameters[name] = value;
  const auto batch = batch_of({random_bases(300, 1), random_bases(200, 2)}, {249, 100});
  ForwardOptions options;
  const auto hidden = encode(config, parameters, batch, options);
  const auto added = cnn_logits(config, parameters, cnn_window(batch), options),
             with = task_logits(config, parameters, hidden, batch, options);
  options.training = true;
  EXPECT_GT(max_difference(cnn_logits(config, parameters, cnn_window(batch), options), added), 0.01);
  config.cnn_filters = 0;
  options.training = false;
  EXPECT_LT(max_difference(with, task_logits(config, parameters, hidden, batch, options) + added), 1e-5);
}

}  // namespace
}  // namespace bigdna::model
