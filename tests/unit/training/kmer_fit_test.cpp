#include "linear/kmer_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluation/baseline_methods.h"
#include "training/finetune.h"
#include "rows/small_rows.h"
#include "genome/alphabet.h"
#include "model/parameters.h"

namespace bigdna::linear {
namespace {

/// Rows whose label is told by the strand of their A and T, as promoters' are: a start site at a quarter of them.
rows::TaskRows stranded_rows() {
  rows::TaskRows data = rows::small_rows("promoter", 90, 1);
  data.upstream = 10, data.downstream = 30;
  data.bases = [of = data.bases](int64_t row) {
    std::string bases = of(row);
    std::ranges::replace(bases, row % 2 ? 'T' : 'A', 'C');
    return bases;
  };
  return data;
}

TEST(FitKmers, AReverseComplementHasTheOutOfFoldLogitsOfItsOwnKmers) {
  const rows::TaskRows data = stranded_rows();
  const auto both = fit_kmers(data, 1, /*reversed=*/true);
  ASSERT_EQ(both.out_of_fold.size(), 2u);
  const auto rows = fitted_rows(data);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string read = genome::reverse_complement(data.bases(rows[i]));
    const auto values = both.model.counts.values(read, 1 - data.anchor());
    EXPECT_TRUE(both.values[1][static_cast<int64_t>(i)].equal(at::tensor(values))) << i;
  }
  EXPECT_GT((both.out_of_fold[1] - both.out_of_fold[0]).abs().max().item<float>(), 0.1);
  // a row that is its own reverse complement has one logit
  rows::TaskRows palindromes = data;
  palindromes.upstream = palindromes.downstream = 20;
  palindromes.bases = [&data](int64_t row) {
    const std::string half = data.bases(row).substr(0, 20);
    return half + genome::reverse_complement(half);
  };
  const auto same = fit_kmers(palindromes, 1, /*reversed=*/true);
  EXPECT_LT((same.out_of_fold[1] - same.out_of_fold[0]).abs().max().item<float>(), 1e-4);
}

/// Out-of-fold logits that lie on the label's side of 0.
double share_right(const at::Tensor& logits, const rows::TaskRows& data, int64_t feature) {
  const auto rows = fitted_rows(data);
  double right = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    right += (logits[static_cast<int64_t>(i)][feature].item<float>() > 0) == (data.label(rows[i], feature) > 0);
  return right / static_cast<double>(rows.size());
}

TEST(FitKmers, AreFittedToBothStrandsWhereTrainingReadsBoth) {
  rows::TaskRows data =
      rows::small_rows("table", 120, 1);  // the label: whether A and T, on either strand, are rarer than C and G
  data.upstream = data.downstream = 20;
  data.bases = [of = data.bases](int64_t row) {
    std::string bases = of(row);
    if (row % 2) std::ranges::replace(bases, 'A', 'C');  // as given no other base tells
    return bases;
  };
  const auto one = fit_kmers(data, 1), both = fit_kmers(data, 1, /*reversed=*/true);
  EXPECT_GT(share_right(one.out_of_fold[0], data, 0), 0.95);
  for (const auto& reading : both.out_of_fold) EXPECT_GT(share_right(reading, data, 0), 0.8);
  // a model of one reading takes the reverse complements of such rows, which have no T, for the others
  const auto rows = fitted_rows(data);
  int right = 0, right_of_both = 0;
  for (const int64_t row : rows) {
    const auto read = genome::reverse_complement(data.bases(row));
    right += (one.model.logits(read, 0.5)[0] > 0) == (data.label(row, 0) > 0);
    right_of_both += (both.model.logits(read, 0.5)[0] > 0) == (data.label(row, 0) > 0);
  }
  EXPECT_GT(right_of_both, right + 10);
}

TEST(FitKmers, TellTheStrandsOfStartSitesApart) {
  rows::TaskRows data = rows::small_rows("chromatin", 120, 2);  // a site on + where A is missing, on - where T is
  data.features[0].strand = '+', data.features[1].strand = '-';
  data.label = [](int64_t row, int64_t feature) { return (row % 2 == 1) == (feature == 1); };
  data.bases = [of = data.bases](int64_t row) {
    std::string bases = of(row);
    std::ranges::replace(bases, row % 2 ? 'T' : 'A', 'C');
    return bases;
  };
  const auto fit = fit_kmers(data, 1, /*reversed=*/true);
  EXPECT_FALSE(fit.model.counts.same_on_both_strands());
  for (const int64_t feature : {0, 1}) EXPECT_GT(share_right(fit.out_of_fold[0], data, feature), 0.95);
  for (const int64_t row : fitted_rows(data)) {  // what lies on + of a sequence lies on - of its reverse complement
    const auto bases = data.bases(row);
    const float logit = fit.model.logits(bases, 0.5)[0];
    EXPECT_NEAR(fit.model.logits(genome::reverse_complement(bases), 0.5)[1] / logit, 1, 0.2);  // as near as fits end
  }
  for (const auto strands : {session::Strands::forward, session::Strands::average}) {
    const auto kmers = evaluation::refitted_kmers(data, session::Strands::average, strands, 1);
    const auto rows = data.of(dataset::Split::validation);
    const auto scores = kmers.score(rows);
    for (size_t i = 0; i < rows.size(); ++i)
      for (const size_t feature : {0, 1})
        EXPECT_EQ(scores[2 * i + feature] > 0.5, data.label(rows[i], static_cast<int64_t>(feature)) > 0) << i;
  }
  for (auto& feature : data.features) feature.strand = '.';  // without strands: one way to read a bin
  const auto plain = fit_kmers(data, 1, /*reversed=*/true);
  EXPECT_TRUE(plain.model.counts.same_on_both_strands());
  EXPECT_TRUE(plain.values[0].equal(plain.values[1]));
}

TEST(FitKmers, AloneAreThoseOfAllRows) {
  const rows::TaskRows data = stranded_rows();
  for (const bool reversed : {false, true}) {
    const auto alone = fit_kmers_alone(data, kmer_counts(data), 1, reversed);
    EXPECT_EQ(alone.rows, std::ssize(data.of(dataset::Split::train)));
    const auto beside = fit_kmers(data, 1, reversed);
    ASSERT_EQ(alone.model.weight.size(), beside.model.weight.size());
    float most = 0, apart = 0;
    for (const int64_t row : data.of(dataset::Split::validation)) {
      const float logit = alone.model.logits(data.bases(row), data.anchor())[0];
      most = std::max(most, std::abs(logit));
      apart = std::max(apart, std::abs(logit - beside.model.logits(data.bases(row), data.anchor())[0]));
    }
    EXPECT_GT(most, 3);
    EXPECT_LT(apart, 0.02 * most);  // as near as fits end
  }
}

TEST(FinetuneTask, AReversedRowIsAddedToTheLogitsOfTheReversedRow) {
  const rows::TaskRows data = stranded_rows();
  const auto config = test::small_promoter_model();
  const session::SequenceReader reader(test::letters(), config.max_length, data.anchor());
  const session::Placement placement;
  training::FinetuneOptions options;
  options.reverse_complement = true;
  training::FinetunePlan plan;
  plan.config = config;
  plan.weights = {1};
  plan.train.learning_rate = 1e-3;
  const StackedKmers kmers(data, fit_kmers(data, 1, /*reversed=*/true), {}, nullptr, plan.weights);
  const auto task =
      training::finetune_task({config, reader, placement, data, plan.weights, &kmers.model}, plan, options, &kmers);
  const auto sample = fitted_rows(data);
  int reversed_rows = 0;
  for (int64_t i = 0; i < 30; ++i) {
    const auto example = task.example(i);
    const bool reversed = example.ids != reader.example(data.bases(example.index)).ids;
    reversed_rows += reversed;
    const auto place = std::ranges::lower_bound(sample, example.index) - sample.begin();
    EXPECT_EQ(example.targets.at(1), kmers.row(place, reversed)[0]) << i;
    EXPECT_NE(example.targets.at(1), kmers.row(place, !reversed)[0]) << i;
  }
  EXPECT_GT(reversed_rows, 5);
}

}  // namespace
}  // namespace bigdna::linear
