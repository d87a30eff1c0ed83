#include "linear/kmer_fit.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluation/baseline_methods.h"
#include "rows/small_rows.h"
#include "genome/alphabet.h"

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

FittedKmers fit_kmers(const rows::TaskRows& data, bool reversed = false) {
  return linear::fit_kmers(data, kmer_counts(data), 1, reversed);
}

/// Out-of-fold logits that lie on the label's side of 0.
double share_right(const FittedKmers& kmers, const rows::TaskRows& data, int64_t feature) {
  double right = 0;
  for (size_t i = 0; i < kmers.fitted.size(); ++i)
    right += (kmers.out_of_fold[static_cast<int64_t>(i)][feature].item<float>() > 0) ==
             (data.label(kmers.fitted[i], feature) > 0);
  return right / static_cast<double>(kmers.fitted.size());
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
  const auto one = fit_kmers(data), both = fit_kmers(data, /*reversed=*/true);
  EXPECT_GT(share_right(one, data, 0), 0.95);
  EXPECT_GT(share_right(both, data, 0), 0.8);
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
  const auto fit = fit_kmers(data, /*reversed=*/true);
  EXPECT_FALSE(fit.model.counts.count_both_strands());
  for (const int64_t feature : {0, 1}) EXPECT_GT(share_right(fit, data, feature), 0.95);
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
  EXPECT_TRUE(fit_kmers(data, /*reversed=*/true).model.counts.count_both_strands());
}

TEST(FitKmers, AreThoseOfAllRowsWithOutOfFoldLogitsOfEach) {
  const rows::TaskRows data = stranded_rows();
  for (const bool reversed : {false, true}) {
    const auto kmers = fit_kmers(data, reversed);
    EXPECT_EQ(kmers.rows, std::ssize(data.of(dataset::Split::train)));
    ASSERT_EQ(std::ssize(kmers.fitted), kmers.rows);
    EXPECT_GT(share_right(kmers, data, 0), 0.9);
    float most = 0;
    for (const int64_t row : data.of(dataset::Split::validation))
      most = std::max(most, std::abs(kmers.model.logits(data.bases(row), data.anchor())[0]));
    EXPECT_GT(most, 3);
  }
}

}  // namespace
}  // namespace bigdna::linear
