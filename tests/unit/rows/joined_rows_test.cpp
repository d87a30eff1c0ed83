#include "rows/joined_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "genome/contigs.h"
#include "genome/interval_set.h"
#include "support.h"

namespace bigdna::rows {
namespace {

using dataset::Feature;
using dataset::FeatureKind;
using dataset::Split;

const Feature kCtcf{"CTCF", "K562", "-", "TF"}, kDnase{"DNase", "K562", "-", "DHS"},
    kTrack{"ATAC", "-", "-", "ATAC", '.', FeatureKind::counts};

/// Two bins on chr1; label f of row r is 10 r + f, and its half 0.5.
TaskRows dataset_in(const std::string& folder, const std::vector<Feature>& features, int64_t length) {
  TaskRows data;
  data.task = &dataset::task_of("chromatin");
  data.type = dataset::LabelType::multilabel;
  data.folder = folder;
  data.features = features;
  data.contigs = {{"chr1", length}};
  data.regions = {{"chr1", 0, 200, '.'}, {"chr1", 200, 400, '.'}};
  data.splits = {Split::train, Split::test};
  data.name = [](int64_t row) { return "bin" + std::to_string(row + 1); };
  data.label = [](int64_t row, int64_t feature) { return static_cast<float>(10 * row + feature); };
  if (features.back().kind == FeatureKind::counts) data.half = [](int64_t, int64_t) { return 0.5F; };
  data.sequence = [folder](const genome::Region& region) { return folder + region.contig; };
  return data;
}

TEST(JoinedRows, HoldEachDatasetsLabelsAndNothingOfWhatItLacks) {
  std::vector<TaskRows> datasets;
  datasets.push_back(dataset_in("runs/yeast/", {kCtcf, kTrack}, 1000));
  datasets.push_back(dataset_in("runs/fly", {kDnase, kCtcf}, 2000));
  const auto joined = joined_rows(std::move(datasets));
  EXPECT_EQ(joined.features, (std::vector<Feature>{kCtcf, kDnase, kTrack}));
  ASSERT_EQ(joined.size(), 4);
  EXPECT_EQ(joined.splits, (std::vector<Split>{Split::train, Split::test, Split::train, Split::test}));
  EXPECT_EQ(joined.label(1, 0), 10);
  EXPECT_TRUE(std::isnan(joined.label(1, 1)));
  EXPECT_EQ(joined.label(1, 2), 11);
  EXPECT_EQ(joined.half(1, 2), 0.5F);
  EXPECT_EQ(joined.label(3, 0), 11);
  EXPECT_EQ(joined.label(3, 1), 10);
  EXPECT_TRUE(std::isnan(joined.label(3, 2)));
  EXPECT_TRUE(std::isnan(joined.half(3, 2)));
  EXPECT_EQ(joined.name(3), "bin2");
  EXPECT_EQ(joined.regions[2].contig, "fly:chr1");
  EXPECT_EQ(joined.sequence({"yeast:chr1", 0, 10, '+'}), "runs/yeast/chr1");
  EXPECT_EQ(joined.known_of({0, 1, 2, 3}, 1), (std::vector<int64_t>{2, 3}));
  const auto known = joined.by_known({0, 2}, {0, 1});
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[1].places, (std::vector<int64_t>{1}));
  // of contigs of one name and two lengths, what was read is known for each
  const auto read = joined.intervals_of({0});
  EXPECT_EQ(genome::in_genome(read, {{"chr1", 1000}}).intervals("chr1").size(), 1U);
  EXPECT_TRUE(genome::in_genome(read, {{"chr1", 2000}}).intervals("chr1").empty());
  EXPECT_EQ(joined.count_seen(read, {}, {0, 1, 2, 3}), 1);
  datasets = {};
  datasets.push_back(dataset_in("a", {kCtcf}, 1000));
  datasets.push_back(dataset_in("b", {kCtcf}, 1000));
  const auto same = joined_rows(std::move(datasets));
  // a test bin of one that the other trains on
  EXPECT_EQ(same.count_seen(same.intervals_of({0}), {}, {1, 2, 3}), 1);
}

TEST(JoinedRows, WhatDoesNotFitIsAnError) {
  const auto joined_with = [](const std::string& folder, const std::vector<Feature>& features, int64_t bin) {
    return test::error_of([&] {
      std::vector<TaskRows> datasets;
      datasets.push_back(dataset_in("runs/yeast", {kCtcf, kTrack}, 1000));
      datasets.push_back(dataset_in(folder, features, 1000));
      datasets.back().bin = bin;
      joined_rows(std::move(datasets));
    });
  };
  EXPECT_EQ(joined_with("fly", {kCtcf}, 200), "");
  EXPECT_EQ(joined_with("fly", {kCtcf}, 50), "fly: its bins have 50 bp, and the bins of runs/yeast have 200");
  EXPECT_EQ(joined_with("other/yeast", {kCtcf}, 200), "other/yeast: another dataset is in a folder of this name, too");
  auto label = kTrack;
  label.kind = FeatureKind::binary;
  EXPECT_NE(joined_with("fly", {label}, 200).find("ATAC is a"), std::string::npos);
}

TEST(JoinedRows, WhatOneHoldsOutIsNoTrainingBinOfAnother) {
  const auto joined_with = [](int64_t length, std::vector<Split> splits) {
    return test::error_of([&] {
      std::vector<TaskRows> datasets;
      datasets.push_back(dataset_in("a", {kCtcf}, 1000));
      datasets.push_back(dataset_in("b", {kDnase}, length));
      datasets.back().splits = std::move(splits);
      joined_rows(std::move(datasets));
    });
  };
  const std::string rest =
      ": make all datasets of a genome with the same --test and --validation, as contigs or BED files";
  EXPECT_EQ(joined_with(1000, {Split::train, Split::test}), "");
  EXPECT_EQ(joined_with(1000, {Split::train, Split::train}),
            "a: 1 of its 1 test bins overlap training bins of b" + rest);
  EXPECT_EQ(joined_with(1000, {Split::validation, Split::test}),
            "b: 1 of its 1 validation bins overlap training bins of a" + rest);
  EXPECT_EQ(joined_with(2000, {Split::test, Split::train}), "");  // another genome
}

}  // namespace
}  // namespace bigdna::rows
