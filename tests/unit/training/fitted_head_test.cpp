#include "training/fitted_head.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linear/kmer_fit.h"
#include "rows/small_rows.h"
#include "metrics/classification.h"
#include "models/link.h"
#include "models/encoder_term.h"
#include "models/sum.h"

namespace bigdna::training {
namespace {

/// Feature 0: rich in C; feature 1: always true; feature 2: by chance.
rows::TaskRows rows_of(int64_t count) {
  rows::TaskRows data = rows::small_rows("chromatin", count, 3);
  data.bases = [](int64_t row) {
    std::string bases = test::random_bases(40, static_cast<uint64_t>(row));
    if (row % 2)
      for (size_t i = 0; i < 40; i += 4) bases[i] = 'C';
    return bases;
  };
  data.label = [](int64_t row, int64_t feature) {
    return feature == 0 ? row % 2 == 1 : feature == 1 ? true : mix({5, static_cast<uint64_t>(row)}) % 2 == 1;
  };
  return data;
}

TEST(FittedHead, IsALogisticRegressionOnWhatTheHeadReads) {
  auto config = test::small_promoter_model();
  config.head = "chromatin";
  config.head_kind = "linear";
  config.pool = "scales";
  config.labels = 3;
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  const session::Placement placement(options);
  const session::SequenceReader reader(test::letters(), config.max_length);
  const auto data = rows_of(200);
  auto parameters = model::initialise(config, 1);
  const auto before = parameters;
  const auto pooled =
      models::all_pooled(reader, {config, parameters, placement}, data.bases_of(linear::fitted_rows(data)));
  fit_head(parameters, config, pooled, data, std::vector<double>{1, 1, 1}, 1);
  for (const auto& [name, value] : before)
    EXPECT_EQ(parameters.at(name).equal(value), !name.starts_with("classifier.")) << name;

  const auto validation = data.of(dataset::Split::validation);
  const auto column = [&](const model::Parameters& p, size_t feature) {
    const session::Session of_parameters(config, p, placement);
    const auto logits =
        models::encoder_sum(reader, of_parameters).all_logits(data.bases_of(validation), session::Strands::forward, 1);
    std::vector<double> scores(logits.begin(), logits.end());
    models::Link().apply(scores, 3);
    std::vector<float> values;
    for (size_t i = feature; i < scores.size(); i += 3) values.push_back(static_cast<float>(scores[i]));
    return values;
  };
  EXPECT_GT(metrics::Ranking(column(parameters, 0), data.labels_of(validation, 0)).auroc(), 0.95);
  for (const float value : column(parameters, 1)) EXPECT_NEAR(value, 134.5 / 135, 1e-4);  // its odds in training

  // a weight w of positives raises the odds w times
  auto weighted = before;
  fit_head(weighted, config, pooled, data, std::vector<double>{8, 1, 1}, 1);
  const auto plain = column(parameters, 0), raised = column(weighted, 0);
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(raised[i] / (raised[i] + 8 * (1 - raised[i])), plain[i], 1e-4);
}

TEST(FittedHead, DoesNotDependOnThreads) {
  auto config = test::small_promoter_model();
  config.head_kind = "linear";
  session::RunOptions options;
  options.device = "cpu";
  options.precision = "fp32";
  auto data = rows_of(100);
  data.features.resize(1);
  at::Tensor weights[2];
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const session::SequenceReader reader(test::letters(), config.max_length);
    auto parameters = model::initialise(config, 1);
    const session::Session session(config, parameters, session::Placement(options));
    fit_head(parameters, config, models::all_pooled(reader, session, data.bases_of(linear::fitted_rows(data))), data,
             std::vector<double>{1}, threads);
    weights[threads - 1] = parameters.at("classifier.out_proj.weight");
  }
  EXPECT_TRUE(weights[0].equal(weights[1]));
}

}  // namespace
}  // namespace bigdna::training
