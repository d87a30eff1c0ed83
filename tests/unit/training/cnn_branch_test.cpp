#include "training/cnn_branch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "linear/calibration_fit.h"
#include "model/cnn.h"
#include "model_folder/architecture.h"
#include "session/small_model.h"

namespace bigdna::training {
namespace {

TEST(BaseBranch, FiltersAreOfTrainingRowsAndTheBranchAddsNothing) {
  auto config = test::small_promoter_model();
  config.cnn_filters = 6;
  rows::TaskRows data;
  data.task = &dataset::task_of("promoter");
  data.features.resize(1);
  for (int64_t i = 0; i < 90; ++i) {
    data.regions.push_back({"chr1", i * 100, i * 100 + 80, '+'});
    data.splits.push_back(i % 3 == 2 ? dataset::Split::test : dataset::Split::train);
  }
  data.bases = [](int64_t row) {
    return row % 3 == 2 ? std::string(80, 'T') : test::random_bases(80, static_cast<uint64_t>(row));
  };
  data.label = [](int64_t row, int64_t) { return static_cast<float>(row % 2); };
  const session::SequenceReader reader(test::letters(), config.max_length);
  const auto started = [&](uint64_t seed) {
    auto parameters = model::initialise(config, 1);
    initialise_cnn(parameters, config, reader, data, seed);
    return parameters;
  };
  const auto parameters = started(1);
  EXPECT_TRUE(parameters.at("bigdna.cnn.filter.weight").equal(started(1).at("bigdna.cnn.filter.weight")));
  EXPECT_FALSE(parameters.at("bigdna.cnn.filter.weight").equal(started(2).at("bigdna.cnn.filter.weight")));
  for (const auto& [name, value] : model::initialise(config, 1))
    EXPECT_EQ(parameters.at(name).equal(value), !name.starts_with("bigdna.cnn.") || name == "bigdna.cnn.filter.bias")
        << name;

  const at::Tensor filters = parameters.at("bigdna.cnn.filter.weight");
  EXPECT_LT((filters.square().sum({1, 2}) - 1).abs().max().item<double>(), 1e-5);
  EXPECT_LT(filters.sum(1).abs().max().item<double>(), 1e-5);
  EXPECT_EQ(parameters.at("bigdna.cnn.output.weight").abs().max().item<double>(), 0);

  // a filter finds the bases that it was made of: of norm 1, chance alone would give it 1.3 or so
  std::vector<at::Tensor> all;
  for (const int64_t row : data.of(dataset::Split::train)) {
    const std::vector<corpus::Example> examples{reader.example(data.bases(row))};
    all.push_back(
        model::cnn_features(config, parameters, model::cnn_window(model::make_batch(examples, 1, 0, at::kCPU))));
  }
  const at::Tensor features = at::cat(all),
                   scaled = (features - parameters.at("bigdna.cnn.mean")) * parameters.at("bigdna.cnn.scale");
  EXPECT_GT(features.narrow(1, 0, 6).amax(0).min().item<double>(), 2.2);
  EXPECT_LT(scaled.mean(0).abs().max().item<double>(), 1e-5);
  EXPECT_NEAR(scaled.narrow(1, 0, 6).square().mean().item<double>(), 0.01, 1e-5);  // a tenth squared
}

TEST(BaseBranch, LogitsThatAreTooBoldOrOffAreCorrectedButForTheWeightOfLabels) {
  auto config = test::small_promoter_model();
  config.cnn_filters = 4;
  rows::TaskRows data;
  data.task = &dataset::task_of("promoter");
  data.features.resize(1);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < 200; ++i) {
    data.regions.push_back({"chr1", i * 100, i * 100 + 80, '+'});
    data.splits.push_back(i < 20 ? dataset::Split::train : dataset::Split::validation);
    rows.push_back(i);
  }
  data.bases = [](int64_t row) { return test::random_bases(80, static_cast<uint64_t>(row)); };
  data.label = [](int64_t row, int64_t) { return static_cast<float>(row % 2); };  // nothing tells it
  const session::SequenceReader reader(test::letters(), config.max_length);
  auto parameters = model::initialise(config, 1);
  initialise_cnn(parameters, config, reader, data, 1);
  const std::string head(model_folder::architecture(config).task_output);
  parameters.at(head + ".weight") = parameters.at(head + ".weight") * 100;
  parameters.at(head + ".bias").fill_(std::log(4.0));
  const at::Tensor weight = parameters.at(head + ".weight").clone();
  models::KmerModel kmers;
  kmers.counts = {{{}}, false};
  kmers.weight = {1, 2, 3, 4};
  kmers.bias = {0};
  kmers.base_weight = {1};
  parameters.at("bigdna.cnn.output.weight").fill_(0.01f);
  const session::Placement placement;
  const std::vector<double> weights{4};
  const auto chosen = choose_cnn_weights({config, reader, placement, data, weights, &kmers, nullptr}, parameters, rows);
  apply_cnn_weights(chosen.of_feature, parameters, data);
  const auto of_rows = [&] {
    const session::Session session(config, parameters, session::Placement());
    return models::encoder_sum(reader, session, &kmers).all_logits(data.bases_of(rows), session::Strands::forward, 1);
  };
  const auto kept = of_rows();
  ASSERT_EQ(chosen.logits.size(), kept.size());
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(chosen.logits[i], kept[i], 1e-3) << i;

  const at::Tensor z = at::tensor(kept).unsqueeze(1) - std::log(4.0);
  linear::fold(linear::fit_calibration(z, data.label_matrix(rows), data.groups(), data.type), {4}, parameters, config,
               &kmers);
  const double scale = kmers.weight[3] / 4;
  EXPECT_LT(scale, 0.3);
  EXPECT_LT((parameters.at(head + ".weight") - weight * scale).abs().max().item<double>(), 1e-5);
  // right on average, but for the weight
  double mean = 0;
  for (const float logit : of_rows())
    mean += 1 / (1 + std::exp(std::log(4.0) - logit)) / static_cast<double>(rows.size());
  EXPECT_NEAR(mean, 0.5, 1e-4);
}

}  // namespace
}  // namespace bigdna::training
