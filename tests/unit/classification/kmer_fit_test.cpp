#include "classification/kmer_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "classification/finetune.h"
#include "classification/small_rows.h"
#include "genome/alphabet.h"
#include "model/parameters.h"

namespace bigdna::classification {
namespace {

/// Rows whose label is told by the strand of their A and T, as promoters' are: a start site at a quarter of them.
TaskRows stranded_rows() {
  TaskRows data = small_rows("promoter", 90, 1);
  data.upstream = 10, data.downstream = 30;
  data.bases = [of = data.bases](int64_t row) {
    std::string bases = of(row);
    std::ranges::replace(bases, row % 2 ? 'T' : 'A', 'C');
    return bases;
  };
  return data;
}

TEST(FitKmers, AReverseComplementHasTheOutOfFoldLogitsOfItsOwnKmers) {
  const TaskRows data = stranded_rows();
  const auto both = fit_kmers(data, 1, /*reversed=*/true);
  ASSERT_EQ(both.out_of_fold.size(), 2u);
  EXPECT_TRUE(both.out_of_fold[0].equal(fit_kmers(data, 1).out_of_fold[0]));
  const auto rows = fitted_rows(data);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string read = genome::reverse_complement(data.bases(rows[i]));
    const auto values = both.model.counts.values(read, 1 - data.anchor());
    EXPECT_TRUE(both.values[1][static_cast<int64_t>(i)].equal(at::tensor(values))) << i;
  }
  EXPECT_GT((both.out_of_fold[1] - both.out_of_fold[0]).abs().max().item<float>(), 0.5);
  // a row that is its own reverse complement has one logit
  TaskRows palindromes = data;
  palindromes.upstream = palindromes.downstream = 20;
  palindromes.bases = [&data](int64_t row) {
    const std::string half = data.bases(row).substr(0, 20);
    return half + genome::reverse_complement(half);
  };
  const auto same = fit_kmers(palindromes, 1, /*reversed=*/true);
  EXPECT_LT((same.out_of_fold[1] - same.out_of_fold[0]).abs().max().item<float>(), 1e-4);
}

TEST(FinetuneTask, AReversedRowIsAddedToTheLogitsOfTheReversedRow) {
  const TaskRows data = stranded_rows();
  const auto config = test::small_promoter_model();
  const session::SequenceReader reader(test::letters(), config.max_length, data.anchor());
  const session::Placement placement;
  FinetuneOptions options;
  options.reverse_complement = true;
  FinetunePlan plan;
  plan.config = config;
  plan.weights = {1};
  plan.train.learning_rate = 1e-3;
  const StackedKmers kmers(data, fit_kmers(data, 1, /*reversed=*/true), {}, nullptr, plan.weights);
  const auto task = finetune_task({config, reader, placement, data, plan.weights, &kmers.model}, plan, options, &kmers);
  const auto sample = fitted_rows(data);
  int reversed_rows = 0;
  for (int64_t i = 0; i < 30; ++i) {
    const auto example = task.example(i);
    const bool reversed = example.bases != reader.example(data.bases(example.index)).bases;
    reversed_rows += reversed;
    const auto place = std::ranges::lower_bound(sample, example.index) - sample.begin();
    EXPECT_EQ(example.targets.at(1), kmers.row(place, reversed)[0]) << i;
    EXPECT_NE(example.targets.at(1), kmers.row(place, !reversed)[0]) << i;
  }
  EXPECT_GT(reversed_rows, 5);
}

}  // namespace
}  // namespace bigdna::classification
