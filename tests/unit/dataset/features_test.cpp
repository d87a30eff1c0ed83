#include "dataset/features.h"

#include "base/error.h"
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

TEST(Features, AWordOfAFeatureComesBeforePatterns) {
  using Indices = std::vector<int64_t>;
  const std::vector<Feature> features{{"TF[1]", "-", "-", "TF"},
                                      {"TF1", "-", "-", "TF"},
                                      {"A,B", "K562", "-", "HM"},
                                      {"A", "K56?", "-", "HM"},
                                      {"B", "-", "-", "HM"}};
  EXPECT_EQ(choose_features(features, "TF[1]"), (Indices{0}));
  EXPECT_EQ(choose_features(features, "TF1"), (Indices{1}));
  EXPECT_EQ(choose_features(features, "TF[12]"), (Indices{1}));  // no feature's name: a pattern
  EXPECT_EQ(choose_features(features, "TF*,4"), (Indices{0, 1, 4}));
  EXPECT_EQ(choose_features(features, "A,B"), (Indices{2}));
  EXPECT_EQ(choose_features(features, "B,A,B"), (Indices{2, 4}));
  EXPECT_EQ(choose_features(features, "B,A"), (Indices{3, 4}));
  EXPECT_EQ(choose_features(features, "K56?"), (Indices{3}));
  const std::vector<Feature> numbers{{"1", "-", "-", "class"}, {"2", "-", "-", "class"}, {"4", "-", "-", "class"}};
  EXPECT_EQ(choose_features(numbers, "1"), (Indices{0}));  // a name, not the index of another one
  EXPECT_EQ(choose_features(numbers, "0,2"), (Indices{0, 1}));
  EXPECT_EQ(choose_features(features, "A,B|K562"), (Indices{2}));  // a column
  EXPECT_EQ(choose_features(features, ""), (Indices{0, 1, 2, 3, 4}));
  EXPECT_NE(test::error_of([&] { choose_features(features, "TF[1],X"); }).find("--features X: matches none of the 5"),
            std::string::npos);
}

TEST(PeakTable, FieldsAreCountedAndUnquoted) {
  const test::TempDir dir;
  for (const char* name : {"a.bed", "b.bed", "s.BG.gz", "s.bdg"}) io::write_file(dir / name, "");
  const auto read = [&](const std::string& text) {
    io::write_file(dir / "t.tsv", text);
    return read_peak_table(dir / "t.tsv");
  };
  const auto error = [&](const std::string& text) {
    const std::string message = test::error_of([&] { read(text); });
    return message.substr(message.find("t.tsv") + 5);
  };
  const auto quoted = read("\"file\"\tName\tgroup\na.bed\t\"JUN, \"\"1\"\"\"\t\"TF \"\n\"b.bed\"\tX\t\n");
  ASSERT_EQ(quoted.size(), 2);
  EXPECT_EQ(quoted[0].feature, (Feature{"JUN, \"1\"", "-", "-", "TF"}));
  EXPECT_EQ(quoted[1].path, dir / "b.bed");
  EXPECT_EQ(read("file,name\na.bed,\"x,y\"\n").front().feature.name, "x,y");
  EXPECT_EQ(error("file\tname\tcell\na.bed\tX\n"), ":2: 2 fields, but the header has 3");
  EXPECT_EQ(error("file\tname\na.bed\tX\tK562\n"), ":2: 3 fields, but the header has 2");
  EXPECT_NE(error("file\tname\na.bed\t\"X\tY\"\n").find(":2: the name 'X\tY' contains a tab"), std::string::npos);
  EXPECT_NE(error("file\tname\nb.bed\tY\ns.BG.gz\tX\n").find("s.BG.gz: bedGraph holds a signal"), std::string::npos);
  EXPECT_NE(error("file\tname\ns.bdg\tX\n").find("s.bdg: bedGraph holds a signal"), std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(read("file\tname\na.bed\tX\n#b.bed\tY\n").size(), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("1 row that begins with # is left out"), std::string::npos);
}

TEST(Features, NamesWithQuotesComeBack) {
  const test::TempDir dir;
  const std::vector<Feature> features{{"\"5'\" end", "\"K562", "-", "TF"}};
  write_features(dir / "features.tsv", features);
  EXPECT_EQ(read_features(dir / "features.tsv"), features);
  io::write_file(dir / "short.tsv", "#index\tname\tcell\n0\tX\n");
  EXPECT_NE(
      test::error_of([&] { read_features(dir / "short.tsv"); }).find("short.tsv:2: 2 fields, but the header has 3"),
      std::string::npos);
}

}  // namespace
}  // namespace bigdna::dataset
