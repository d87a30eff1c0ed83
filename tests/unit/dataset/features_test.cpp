#include "dataset/features.h"

#include <utility>

#include "io/output.h"
#include "io/row_writer.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

std::vector<std::string> columns_of(const std::vector<std::string>& names) {
  std::vector<Feature> features;
  for (const auto& name : names) features.push_back({name, "-", "-", "-"});
  return column_names(features);
}

TEST(Features, ColumnsAreNotCalledLikeOthersOfTheirTables) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(columns_of({"chrom", "start", "score", "seen", "base", "sites"}),
            (Names{"chrom|0", "start|1", "score|2", "seen|3", "base|4", "sites|5"}));
  EXPECT_EQ(columns_of({"column7", "columns", "kmers:x", "x"}), (Names{"column7|0", "columns", "kmers:x|2", "x"}));
  EXPECT_EQ(columns_of({"value", "DIST5", "Score", "label=1"}), (Names{"value", "DIST5", "Score", "label=1"}));
  // nor like another output
  EXPECT_EQ(columns_of({"score", "score|0"}), (Names{"score|0|0", "score|0"}));
}

TEST(Features, KindsAreReadBackAndCountsComeLast) {
  test::TempDir dir;
  std::vector<Feature> features{{"CTCF", "K562", "ChIP", "TF"}, {"cuts", "-", "ATAC", "-", '+', FeatureKind::counts}};
  const std::string path = dir / "features.tsv";
  write_features(path, features);
  EXPECT_EQ(read_features(path), features);
  EXPECT_EQ(of_kind(features, FeatureKind::counts), std::vector<Feature>(1, features[1]));
  std::swap(features[0], features[1]);
  write_features(path, features);
  EXPECT_EQ(test::error_of([&] { read_features(path); }),
            path + ":3: a feature of kind binary follows one of kind counts");
  io::write_file(path, "#index\tname\tkind\n0\ta\tcount\n");
  EXPECT_EQ(test::error_of([&] { read_features(path); }), path + ":2: kind 'count'; it must be binary or counts");
  features.pop_back();
  features[0].kind = FeatureKind::binary;  // the column is only there where it says something
  write_features(path, features);
  EXPECT_EQ(io::read_file(path), "#index\tname\tcell\tassay\tgroup\tstrand\n0\tcuts\t-\tATAC\t-\t+\n");
}

TEST(Features, ArraysSayOfTheChosenOnesAllThatTellsThemApart) {
  const std::vector<Feature> features{
      {"CTCF", "K562", "ChIP", "TF"}, {"TSS", "-", "CAGE", "TSS", '+'}, {"TSS", "-", "CAGE", "TSS", '-'}};
  const auto arrays = feature_arrays(features, std::vector<int64_t>{0, 2});
  const auto texts = [&](const std::string& name) {
    for (const auto& array : arrays)
      if (array.name == name) return std::get<std::vector<std::string>>(array.values);
    return std::vector<std::string>{"there is no " + name};
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(arrays.front().name, "feature_index");
  EXPECT_EQ(std::get<std::vector<int64_t>>(arrays.front().values), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(texts("feature_name"), (Texts{"CTCF", "TSS"}));
  EXPECT_EQ(texts("feature_cell"), (Texts{"K562", "-"}));
  EXPECT_EQ(texts("feature_assay"), (Texts{"ChIP", "CAGE"}));
  EXPECT_EQ(texts("feature_group"), (Texts{"TF", "TSS"}));
  EXPECT_EQ(texts("feature_strand"), (Texts{".", "-"}));
  EXPECT_EQ(texts("feature_column"), (Texts{"CTCF|K562", "TSS|-"}));
}

}  // namespace
}  // namespace bigdna::dataset
