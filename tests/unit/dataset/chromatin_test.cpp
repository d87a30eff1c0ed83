#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/rng.h"
#include "dataset/chromatin_dataset.h"
#include "dataset/dataset_genome.h"
#include "genome/fasta.h"
#include "io/lines.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

TEST(LabelBins, MoreThanHalfByAllPeaksTogether) {
  LabelBits labels(4, 10);
  // bin 0: 100 bp, not more than half; bin 1: 60 + 41 bp of two peaks; bin 2: 101 bp counted once though
  // peaks overlap; bin 3: 101 bp
  label_bins({{0, 100}, {200, 260}, {300, 341}, {450, 551}, {440, 500}, {480, 541}, {699, 800}}, 4, 200, 9, labels);
  EXPECT_FALSE(label_at(labels.row(0), 9));
  EXPECT_TRUE(label_at(labels.row(1), 9));
  EXPECT_TRUE(label_at(labels.row(2), 9));
  EXPECT_TRUE(label_at(labels.row(3), 9));
  EXPECT_FALSE(label_at(labels.row(1), 8));
  EXPECT_EQ(labels.row(1)[1], 2);  // bit 1 of byte 1: little bit order
}

TEST(LabelBins, EqualsCountingBases) {
  for (uint64_t number = 0; number < 30; ++number) {
    Rng rng(number);
    std::vector<genome::IntervalSet::Interval> peaks;
    std::vector<bool> covered(4000);
    for (uint64_t i = 0; i < 5 + rng.below(20); ++i) {
      const int64_t start = rng.between(0, 3900),
                    end = std::min<int64_t>(4000, start + rng.between(1, number % 2 ? 900 : 120));
      peaks.emplace_back(start, end);
      for (int64_t j = start; j < end; ++j) covered[j] = true;
    }
    for (const auto& [width, pools] : kBinWidths) {
      const int64_t bins = 4000 / width;
      LabelBits labels(bins, 1);
      label_bins(peaks, bins, width, 0, labels);
      for (int64_t bin = 0; bin < bins; ++bin)
        EXPECT_EQ(label_at(labels.row(bin), 0),
                  std::count(covered.begin() + bin * width, covered.begin() + (bin + 1) * width, true) > width / 2)
            << number << " " << width << " " << bin;
    }
  }
}

TEST(Features, OnTheOtherStrand) {
  const Feature ctcf{"CTCF", "K562", "-", "TF"}, plus{"TSS", "-", "-", "TSS", '+'}, minus{"TSS", "-", "-", "TSS", '-'};
  using Indices = std::vector<int64_t>;
  EXPECT_EQ(features_of_other_strand({ctcf, ctcf}), Indices());
  EXPECT_EQ(features_of_other_strand({plus, ctcf, minus}), (Indices{2, 1, 0}));
  EXPECT_THROW(features_of_other_strand({ctcf, plus}), Error);
  EXPECT_EQ(column_names({plus, minus}), (std::vector<std::string>{"TSS|+", "TSS|-"}));
  EXPECT_EQ(file_names({"TSS|+", "TSS|-", "CTCF|K562", "a b|+|3"}),
            (std::vector<std::string>{"TSS_plus", "TSS_minus", "CTCF_K562", "a_b_plus_3"}));
  EXPECT_EQ(file_names({"a b", "a_b", "c"}), (std::vector<std::string>{"a_b_0", "a_b_1", "c"}));
}

TEST(Features, ChosenByIndexNameCellAndGroup) {
  const std::vector<Feature> features{
      {"CTCF", "K562", "ChIP", "TF"}, {"DNase", "K562", "DNase", "DHS"}, {"CTCF", "GM12878", "ChIP", "TF"}};
  using Indices = std::vector<int64_t>;
  EXPECT_EQ(choose_features(features, ""), (Indices{0, 1, 2}));
  EXPECT_EQ(choose_features(features, "1"), (Indices{1}));
  EXPECT_EQ(choose_features(features, "CTC*"), (Indices{0, 2}));
  EXPECT_EQ(choose_features(features, "DHS,GM*"), (Indices{1, 2}));
  EXPECT_EQ(choose_features(features, "CTCF|K562,CTCF|GM12878"), (Indices{0, 2}));
  EXPECT_THROW(choose_features(features, "CTCF,nothing"), UsageError);
  EXPECT_EQ(groups_of(features), (std::vector<std::string>{"TF", "DHS"}));
}

TEST(Features, ColumnsHaveNamesOfTheirOwn) {
  const std::vector<Feature> features{
      {"CTCF", "K562", "a", "TF"}, {"CTCF", "-", "a", "TF"}, {"CTCF", "K562", "b", "TF"}};
  EXPECT_EQ(column_names(features), (std::vector<std::string>{"CTCF|K562|0", "CTCF", "CTCF|K562|2"}));
  EXPECT_EQ(choose_features(features, "CTCF|K562|2"), (std::vector<int64_t>{2}));
}

TEST(Features, AreMatchedByName) {
  const std::vector<Feature> one{{"CTCF", "K562", "ChIP", "TF"}, {"DNase", "K562", "DNase", "DHS"}};
  const std::vector<Feature> other{{"DNase", "K562", "DNase", "open"}, {"CTCF", "K562", "ChIP", "TF"}};
  using Places = std::vector<size_t>;
  EXPECT_EQ(match_features(one, "a", one, "b"), (Places{0, 1}));
  EXPECT_EQ(match_features(one, "a", other, "b"), (Places{1, 0}));
  const auto message = [](const std::vector<Feature>& wanted, const std::vector<Feature>& given) {
    return test::error_of([&] { match_features(wanted, "the dataset d", given, "the model m"); });
  };
  auto third = one;
  third.push_back({"CTCF", "GM12878", "ChIP", "TF"});
  EXPECT_EQ(message(third, other),
            "the model m: lacks the feature CTCF (cell GM12878, assay ChIP) of the dataset d; it has DNase|K562, "
            "CTCF|K562");
  EXPECT_EQ(match_features(other, "d", third, "m").size(), other.size());  // a model may predict more
  // of the same name twice: by index in the same order, an error in another
  std::vector<Feature> twice{one[0], one[1], one[0]};
  EXPECT_EQ(match_features(twice, "a", twice, "b"), (Places{0, 1, 2}));
  std::swap(twice[1], twice[2]);
  EXPECT_NE(message({one[0], one[1], one[0]}, twice).find("CTCF (cell K562, assay ChIP) is there several times"),
            std::string::npos);
  EXPECT_NE(message(twice, one).find("CTCF (cell K562, assay ChIP) is there several times"), std::string::npos);
  // the assay says which of several it is, and may differ where there is one
  const std::vector<Feature> renamed{{"DNase", "K562", "DNase-seq", "DHS"}}, plus{{"DNase", "K562", "x", "DHS", '+'}};
  EXPECT_EQ(match_features(renamed, "d", one, "m"), (Places{1}));
  EXPECT_NE(message(plus, one).find("lacks the feature DNase"), std::string::npos);
  const std::vector<Feature> assays{{"DNase", "K562", "a", "DHS"}, {"DNase", "K562", "b", "DHS"}};
  EXPECT_EQ(message(renamed, assays),
            "the model m: lacks the feature DNase (cell K562, assay DNase-seq) of the "
            "dataset d, but has it of 2 other assays: a, b");
  EXPECT_NE(message(assays, one).find("is there several times"), std::string::npos);
  const auto deepsea = deepsea_features();
  EXPECT_EQ(match_features(deepsea, "a", deepsea, "b").back(), 918u);
}

class ChromatinFolder : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  void SetUp() override {
    std::string bases;
    Rng rng(1);
    for (int i = 0; i < 200'000; ++i) bases += "ACGT"[rng.below(4)];
    io::write_file(path("g.fa"), ">1\n" + bases + "\n");
  }
  std::string message(const ChromatinOptions& options) const {
    try {
      build_chromatin_dataset(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  ChromatinOptions options() const {
    ChromatinOptions options;
    options.peaks = path("table.tsv");
    options.genome = path("g.fa");
    options.output = path("d");
    options.upstream = options.downstream = 400;
    options.split.gap = 0;
    return options;
  }
  const test::TempDir folder_;
};

TEST_F(ChromatinFolder, RowsLabelsAndSplits) {
  std::string a, b;
  for (int i = 0; i < 200'000; i += 2000) {
    a += concat("chr1\t", i, "\t", i + 200, "\n");        // bins 0, 10, 20 ...
    b += concat("chr1\t", i + 150, "\t", i + 400, "\n");  // bins 1, 11 ...; only 50 bp of bin 0
  }
  io::write_file(path("a.bed"), a);
  io::write_file(path("b.bed"), b);
  io::write_file(path("table.tsv"), "file\tname\tgroup\na.bed\tA\tTF\nb.bed\tB\tHM\n");
  auto settings = options();
  settings.keep = "any";
  build_chromatin_dataset(settings);
  const auto dataset = ChromatinDataset::open(path("d"));
  EXPECT_EQ(dataset.features.size(), 2u);
  EXPECT_GT(dataset.rows.size(), 150u);
  for (size_t i = 0; i < dataset.rows.size(); ++i) {
    const int64_t bin = dataset.rows[i].region.start / 200;
    EXPECT_EQ(dataset.rows[i].region.contig, "1");
    EXPECT_EQ(label_at(dataset.labels(i), 0), bin % 10 == 0);
    EXPECT_EQ(label_at(dataset.labels(i), 1), bin % 10 == 1);
  }
  // bins with a TF label only, by default; with as many bins without any label
  settings = options();
  settings.existing = io::Existing::replace;
  settings.negatives = 1;
  build_chromatin_dataset(settings);
  const auto balanced = ChromatinDataset::open(path("d"));
  int64_t ones = 0;
  for (size_t i = 0; i < balanced.rows.size(); ++i) {
    ones += label_at(balanced.labels(i), 0);
    EXPECT_FALSE(label_at(balanced.labels(i), 1));
  }
  EXPECT_EQ(2 * ones, static_cast<int64_t>(balanced.rows.size()));
}

TEST_F(ChromatinFolder, RemembersItsGenome) {
  io::write_file(path("a.bed"), "chr1\t0\t1000\nchr1\t50000\t51000\n");
  io::write_file(path("table.tsv"), "file\tname\na.bed\tA\n");
  auto settings = options();
  settings.split.test = "all";
  build_chromatin_dataset(settings);
  const auto dataset = ChromatinDataset::open(path("d"));
  for (const auto& row : dataset.rows) EXPECT_EQ(row.split, Split::test);
  const auto checked = [&](const std::string& genome) { return checked_genome(path("d"), dataset.manifest, genome); };
  EXPECT_EQ(checked(""), path("g.fa"));
  std::string text = io::read_file(path("g.fa"));
  io::write_file(path("copy.fa"), text);
  EXPECT_EQ(checked(path("copy.fa")), path("copy.fa"));
  const auto message = [&](const std::string& genome) { return test::error_of([&] { checked(path(genome)); }); };
  std::reverse(text.begin() + 3, text.end() - 1);
  io::write_file(path("reversed.fa"), text);
  const auto differs = "reversed.fa: is not the file that " + path("d") + " was made from: its content differs";
  EXPECT_NE(message("reversed.fa").find(differs), std::string::npos);
  io::write_file(path("longer.fa"), text + "A\n");
  EXPECT_NE(message("longer.fa").find("it has 200006 bytes, that one had 200004"), std::string::npos);
}

TEST_F(ChromatinFolder, ErrorsNameTheirCauseAndLeaveNothing) {
  io::write_file(path("a.bed"), "chr1\t0\t200001\n");
  io::write_file(path("table.tsv"), "file\tname\na.bed\tA\n");
  EXPECT_NE(message(options()).find("a.bed:1: end 200001 is past the end of 1 (200000 bp)"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("d")));
  io::write_file(path("table.tsv"), "file\tname\na.bed\tA\na.bed\tA\n");
  EXPECT_NE(message(options()).find("table.tsv:3: feature A"), std::string::npos);
  io::write_file(path("table.tsv"), "file\tname\nb.bed\tA\n");
  EXPECT_NE(message(options()).find("b.bed: no such file"), std::string::npos);
  io::write_file(path("table.tsv"), "path\tname\nb.bed\tA\n");
  EXPECT_NE(message(options()).find("no column 'file'"), std::string::npos);
}

TEST(Features, DeepseaTable) {
  const auto features = deepsea_features();
  ASSERT_EQ(features.size(), 919u);
  std::map<std::string, int> groups;
  for (const auto& feature : features) {
    ++groups[feature.group];
    EXPECT_NE(feature.name, "");
    EXPECT_NE(feature.cell, "");
    EXPECT_EQ(feature.assay, feature.group == "DHS" ? "DNase-seq" : "ChIP-seq");
  }
  EXPECT_EQ(groups, (std::map<std::string, int>{{"TF", 690}, {"DHS", 125}, {"HM", 104}}));
  EXPECT_EQ(groups_of(features), (std::vector<std::string>{"DHS", "TF", "HM"}));
  EXPECT_EQ(features[0].cell, "8988T");
  EXPECT_EQ(features[124].group, "DHS");
  EXPECT_EQ(features[125].name, "CTCF");
  EXPECT_EQ(features[576].name, "SREBP1_insulin");  // NA_NA_NA in DeepSEA's own list of names
  EXPECT_EQ(features[815].name, "H2AK5ac");
  EXPECT_EQ(features[918].name, "H3K9me3");
  // names repeat: an index names one feature, a glob may name many
  EXPECT_EQ(choose_features(features, "125"), (std::vector<int64_t>{125}));
  EXPECT_GT(choose_features(features, "CTCF").size(), 50u);
  EXPECT_EQ(choose_features(features, "HM").size(), 104u);
  EXPECT_EQ(choose_features(features, "DNase-seq").size(), 125u);
}

}  // namespace
}  // namespace bigdna::dataset
