#include "report/readers.h"

#include <gtest/gtest.h>

#include <map>

#include "io/output.h"
#include "report/items.h"
#include "support.h"

namespace bigdna::report {
namespace {

std::vector<double> column(const Section& section, const std::string& name) {
  std::vector<double> values;
  const auto place = static_cast<size_t>(std::ranges::find(section.columns, name) - section.columns.begin());
  for (const auto& row : section.rows) values.push_back(row.at(place).is_null() ? NAN : row[place].get<double>());
  return values;
}

TEST(Table, MissingValuesAreNaNAndWordsAnError) {
  const test::TempDir folder;
  io::write_file(folder / "t.tsv", "##a=b=c\n##d\n#x\ty\n1.5\tNA\n.\tz\n");
  Table table(folder / "t.tsv");
  EXPECT_EQ(table.facts().at(0), std::pair(std::string("a"), std::string("b=c")));
  EXPECT_EQ(table.facts().at(1).second, "");
  ASSERT_TRUE(table.next());
  EXPECT_EQ(table.number(0), 1.5);
  EXPECT_TRUE(std::isnan(table.number(1)));
  ASSERT_TRUE(table.next());
  EXPECT_EQ(test::error_of([&] { table.number(1); }), (folder / "t.tsv") + ":5: 'z' in column y is not a number");
  EXPECT_FALSE(table.next());
}

TEST(Scores, CurvesAndConfusionAreThoseOfTheRows) {
  // two of three positives above 0.5, one of three negatives
  const auto item = item_of(
      "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:y\tm:y\n"
      "1\t0\t9\ta\t.\t.\t1\t0.95\n1\t0\t9\tb\t.\t.\t0\t0.85\n1\t0\t9\tc\t.\t.\t1\t0.75\n"
      "1\t0\t9\td\t.\t.\t0\t0.35\n1\t0\t9\te\t.\t.\t1\t0.25\n1\t0\t9\tf\t.\t.\t0\t0.15\n");
  const auto& roc = section(item, "ROC");
  EXPECT_EQ(roc.rows[0][1], "m: 0.667");  // 6 of 9 pairs are in order
  EXPECT_EQ(column(roc, "recall"), (std::vector<double>{0, 0.333333, 0.333333, 0.666667, 0.666667, 1, 1, 0.666667}));
  EXPECT_EQ(column(section(item, "Confusion matrix"), "examples"), (std::vector<double>{2, 1, 1, 2}));  // 11 10 01 00
  EXPECT_EQ(section(item, "Precision and recall").options["null"]["y"], 0.5);
  EXPECT_EQ(column(section(item, "Calibration"), "examples"), (std::vector<double>(6, 1)));
}

TEST(Scores, RowsWithOneOfSeveralLabelsAreClasses) {
  const std::string header = "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:a\tlabel:b\tlabel:c\tm:a\tm:b\tm:c\n";
  const std::string classes = "1\t0\t9\tx\t.\t.\t1\t0\t0\t0.7\t0.2\t0.1\n1\t0\t9\tx\t.\t.\t0\t1\t0\t0.5\t0.4\t0.1\n";
  const auto item = item_of(header + classes);
  const auto counts = column(section(item, "Confusion matrix"), "examples");
  EXPECT_EQ(counts, (std::vector<double>{1, 0, 0, 1, 0, 0, 0, 0, 0}));
  const auto several = item_of(header + classes + "1\t0\t9\tx\t.\t.\t1\t1\t0\t0.5\t0.5\t0.1\n");
  EXPECT_EQ(section(several, "Confusion matrix").rows.size(), 12U);  // four for each label
}

TEST(Scores, NumbersAreDrawnAgainstEachOther) {
  const auto item = item_of(
      "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:y\tm:y\n1\t0\t9\ta\t.\t.\t2.5\t2\n1\t0\t9\tb\t.\t.\tNA\t1\n");
  const auto& pairs = section(item, "Predicted and measured numbers");
  EXPECT_EQ(column(pairs, "measured"), (std::vector<double>{2.5}));
  EXPECT_EQ(column(pairs, "predicted"), (std::vector<double>{2}));
}

TEST(Scores, AreCalledFromTheirRecordedThresholdOrFromHalf) {
  const std::string rows =
      "1\t0\t9\ta\t.\t.\t1\t0\t0.4\t0.1\n1\t0\t9\tb\t.\t.\t0\t1\t0.2\t0.6\n1\t0\t9\tc\t.\t.\t0\t0\t0.1\t0.7\n";
  const std::string header = "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:TSS|+\tlabel:CTCF\tm:TSS|+\tm:CTCF\n";
  const auto item = item_of("##threshold=m:TSS|+ 0.3\n" + header + rows);
  const auto& confusion = section(item, "Confusion matrix");
  EXPECT_EQ(column(confusion, "threshold"), (std::vector<double>{0.3, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(column(confusion, "examples"), (std::vector<double>{1, 0, 0, 2, 1, 0, 1, 1}));
  EXPECT_EQ(column(section(item_of(header + rows), "Confusion matrix"), "examples"),
            (std::vector<double>{0, 1, 0, 2, 1, 0, 1, 1}));
  // the dots of the captions are there, also of several outputs
  for (const char* title : {"ROC", "Precision and recall"}) {
    const auto dots = column(section(item, title), "at the threshold");
    EXPECT_EQ(std::ranges::count(dots, 1), 2) << title;
    EXPECT_NE(section(item, title).note.find("Dots: "), std::string::npos);
  }
}

TEST(Scores, RowsWithoutALabelAreNotNegative) {
  const auto item = item_of(
      "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:y\tm:y\n1\t0\t9\ta\t.\t.\t1\t0.9\n1\t0\t9\tb\t.\t.\tNA\t0.8\n"
      "1\t0\t9\tc\t.\t.\t0\t0.1\n");
  EXPECT_EQ(column(section(item, "Confusion matrix"), "examples"), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(section(item, "Precision and recall").options["null"]["y"], 0.5);
}

TEST(Scores, EachMethodHasAScoreOfEachLabel) {
  for (const char* columns : {"label:a\tlabel:b\tm:a", "label:a"})
    EXPECT_NE(test::error_of([&] {
                item_of(std::string("#chrom\tstart\tend\t") + columns + "\n");
              }).find("x.tsv:1: does not have a column of scores for each label and method"),
              std::string::npos)
        << columns;
}

TEST(Items, OfOneNameAreCalledByTheirPaths) {
  const test::TempDir folder;
  std::vector<std::string> paths;
  for (const std::string name : {"a", "b"}) {
    std::filesystem::create_directory(folder / name);
    paths.push_back(folder / name + "/m.tsv");
    io::write_file(paths.back(), "#method\tsplit\tmetric\tvalue\tlow\thigh\nbigdna\ttest\tauroc\t0.9\t0.8\t1\n");
  }
  const auto items = read_items(paths);
  EXPECT_EQ(items[0].name, paths[0]);
  EXPECT_EQ(items[1].name, paths[1]);
  EXPECT_EQ(read_items({paths[0]})[0].name, "m.tsv");
  EXPECT_NE(test::error_of([&] { read_items({paths[0], paths[0]}); }).find("is given twice"), std::string::npos);
}

TEST(Metrics, HeadlineIsOfAllRowsAndDifferencesStandApart) {
  const auto item = item_of(
      "#method\tsplit\tmetric\tvalue\tlow\thigh\n"
      "bigdna\ttest\tauroc\t0.9\t0.8\t0.95\nbigdna\ttest\tcpg_auroc\t0.7\t0.6\t0.8\n"
      "kmers\ttest\tauroc\t0.85\t0.7\t0.9\nbigdna-kmers\ttest\tauroc\t0.05\t0.01\t0.09\n");
  EXPECT_EQ(item.headline["title"], "AUROC, test examples");
  EXPECT_EQ(item.headline["rows"].size(), 2U);
  EXPECT_EQ(item.headline["rows"][0].dump(), R"(["bigdna",0.9,0.8,0.95])");
  EXPECT_EQ(item.headline["null"], 0.5);
  EXPECT_EQ(section(item, "The model minus each other method").rows.size(), 1U);
}

TEST(Metrics, FeaturesAreCalledAsTheirColumnsElsewhere) {
  const auto item = item_of(
      "#index\tname\tcell\tassay\tgroup\tstrand\trows\tpositives\tprevalence\tbigdna_auroc\tbigdna_auprc\n"
      "0\tTSS\t-\t-\tTSS\t+\t9\t30\t0.3\t0.9\t0.8\n1\tTSS\t-\t-\tTSS\t-\t9\t0\t0\tNA\tNA\n"
      "2\tCTCF\tK562\t-\tTF\t.\t9\t30\t0.3\t0.7\t0.6\n3\tCTCF\tK562\tHudson\tTF\t.\t9\t30\t0.3\t0.7\t0.5\n");
  EXPECT_EQ(section(item, "Each feature").rows.dump(),
            R"([["TSS|+","-","-","TSS",30,0.3,0.9,0.8],)"
            R"(["CTCF|K562|2","K562","-","TF",30,0.3,0.7,0.6],["CTCF|K562|3","K562","Hudson","TF",30,0.3,0.7,0.5],)"
            R"~(["TSS|- (0 positives)","-","-","TSS",0,0,null,null]])~");
}

TEST(Metrics, TheCaptionSaysWhatWasResampled) {
  const std::string table = "#method\tsplit\tmetric\tvalue\tlow\thigh\nbigdna\ttest\tauroc\t0.9\t0.8\t0.95\n";
  const auto note = [](const std::string& text, const std::string& name = "m.tsv") {
    const auto item = item_of(text, name);
    return item.sections.at(0).note.substr(item.sections[0].note.find("Bars"));
  };
  EXPECT_EQ(note("##resampled=rows\n" + table), "Bars are 95 % intervals over resampled rows.");
  EXPECT_EQ(note(table), "Bars are 95 % intervals.");
  EXPECT_EQ(note(R"({"split":"test","resampled":"groups of rows","methods":{"bigdna":{"auroc":0.9}}})", "m.json"),
            "Bars are 95 % intervals over resampled groups of rows.");
}

TEST(Predictions, ManyRowsAreBinnedAndKeepTheirHighestValue) {
  std::string text = "#chrom\tstart\tend\tname\tscore\tstrand\ta\n";
  constexpr int kRows = 200000;
  for (int i = 0; i < kRows; ++i)
    text += "chr1\t" + std::to_string(200 * i) + "\t" + std::to_string(200 * i + 200) + "\t.\t.\t.\t" +
            (i == 777 ? "0.9" : "0.1") + "\n";
  const auto item = item_of(text);
  const auto& track = section(item, "Along the genome");
  EXPECT_LE(track.rows.size(), 120000U);
  EXPECT_GE(track.rows.size(), 60000U);
  const auto values = column(track, "a"), starts = column(track, "start"), ends = column(track, "end");
  const auto highest = std::ranges::max_element(values) - values.begin();
  EXPECT_EQ(values[static_cast<size_t>(highest)], 0.9);
  EXPECT_LE(starts[static_cast<size_t>(highest)], 777 * 200);
  EXPECT_GE(ends[static_cast<size_t>(highest)], 777 * 200 + 200);
  double covered = 0;  // no base is lost
  for (size_t i = 0; i < starts.size(); ++i) covered += ends[i] - starts[i];
  EXPECT_EQ(covered, 200.0 * kRows);
  EXPECT_EQ(column(section(item, "Rows on each contig"), "rows"), (std::vector<double>{kRows}));
}

TEST(Predictions, RecordsAreATable) {
  const auto item =
      item_of("#chrom\tstart\tend\tname\tscore\tstrand\tcall\nr1\t0\t9\tr1\t0.3\t+\t0\nr2\t0\t9\tr2\t0.8\t+\t1\n");
  EXPECT_EQ(column(section(item, "Records"), "score"), (std::vector<double>{0.3, 0.8}));
}

TEST(Variants, VcfOfSeveralAllelesAndTheirPercentiles) {
  const auto item = item_of(
      "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n"
      "##bigdna_variantsCommand=bigdna variants m v.vcf\n"
      "##INFO=<ID=BIGDNA_DIFF_A_x,Number=A,Type=Float,Description=\"p(alt) - p(ref) of A|x, model m 12\">\n"
      "##INFO=<ID=BIGDNA_DIFF_PERCENTILE_A_x,Number=A,Type=Float,Description=\"percentile\">\n"
      "##INFO=<ID=BIGDNA_LOGIT_A_x,Number=A,Type=Float,Description=\"log odds of A|x, model m 12\">\n"
      "##INFO=<ID=BIGDNA_SKIPPED,Number=A,Type=String,Description=\"why\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
      "1\t10\trs1\tA\tC,*\t.\t.\tBIGDNA_DIFF_A_x=-0.5,.;BIGDNA_DIFF_PERCENTILE_A_x=99.5,.;BIGDNA_SKIPPED=.,spanning_"
      "deletion\n"
      "1\t20\trs2\tA\tG\t.\t.\tBIGDNA_DIFF_A_x=0.1;BIGDNA_DIFF_PERCENTILE_A_x=50\n",
      "v.vcf");
  const auto& alleles = section(item, "Alleles with the largest effects");
  EXPECT_EQ(alleles.rows.dump(),
            R"([["1",10,"rs1","A","C","A|x",-0.5,99.5,null],["1",20,"rs2","A","G","A|x",0.1,50,null]])");
  EXPECT_EQ(alleles.options["height"], "rarity (2: one in 100 is larger)");
  EXPECT_NE(alleles.note.find("larger effect: at 2 these are one in a hundred."), std::string::npos) << alleles.note;
  EXPECT_EQ(section(item, "Alleles without a score").rows.dump(), R"([["spanning_deletion","skipped",1]])");
  EXPECT_EQ(item.facts.at(0).second, "bigdna variants m v.vcf");
}

/// A VCF with an effect and a percentile of each of A, B and C in INFO where `alleles` has them.
std::string vcf_of(const std::string& alleles) {
  std::string text = "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n";
  for (const std::string effect : {"DIFF", "LOGIT"})
    for (const std::string feature : {"A", "B", "C"})
      for (const std::string percentile : {"", "PERCENTILE_"})
        text += "##INFO=<ID=BIGDNA_" + effect + "_" + percentile + feature +
                ",Number=A,Type=Float,Description=\"effect of " + feature + ", model m 12\">\n";
  return text + "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n" + alleles;
}

TEST(Variants, WhatAFileLeavesOutIsNoEffectOfZero) {  // variants --top 1
  const auto item = item_of(vcf_of("1\t10\t.\tA\tC\t.\t.\tBIGDNA_DIFF_A=-0.5;BIGDNA_DIFF_PERCENTILE_A=99.5\n"
                                   "1\t20\t.\tA\tG\t.\t.\tBIGDNA_DIFF_A=0.3;BIGDNA_DIFF_PERCENTILE_A=50\n"
                                   "1\t30\t.\tA\tG\t.\t.\tBIGDNA_DIFF_B=0.1\n"),
                            "v.vcf");
  const auto& features = section(item, "Effects on each feature");
  EXPECT_EQ(features.columns, (std::vector<std::string>{"name", "largest absolute effect", "mean absolute effect",
                                                        "alleles from percentile 99 on", "alleles in the file"}));
  EXPECT_EQ(features.rows.dump(), R"([["A",0.5,0.4,1,2],["B",0.1,0.1,null,1]])");  // C: of no allele
  for (const char* title : {"Effects on each feature", "Alleles with the largest effects"})
    EXPECT_NE(section(item, title)
                  .note.find("With --top 1: of each allele only the feature with the largest effect is in the file."),
              std::string::npos)
        << section(item, title).note;
  // a table with values that are missing says the same
  const auto table = item_of(
      "#chrom\tpos\tname\tref\talt\tskipped\tDIFF:A\tDIFF:B\tDIFF:C\tDIFF_percentile:A\n"
      "1\t10\t.\tA\tC\t.\t-0.5\t.\tNA\t99.5\n1\t20\t.\tA\tC\t.\t0.3\t.\t.\t50\n1\t30\t.\tA\tC\t.\t.\t0.1\t.\t.\n");
  EXPECT_EQ(section(table, "Effects on each feature").rows, features.rows);
}

TEST(Variants, APercentileOfAFeatureChosenAmongSeveralIsNoneOfTheAllele) {
  const auto item =
      item_of(vcf_of("1\t10\t.\tA\tC\t.\t.\tBIGDNA_DIFF_A=-0.5;BIGDNA_DIFF_PERCENTILE_A=99.5;BIGDNA_DIFF_B=0.1;"
                     "BIGDNA_DIFF_C=0.1\n"),
              "v.vcf");
  const auto& alleles = section(item, "Alleles with the largest effects");
  EXPECT_EQ(alleles.options["height"], "rarity on this feature (2: one in 100 is larger)");
  EXPECT_NE(alleles.note.find("chosen among 3, more than one in a hundred random variants"), std::string::npos)
      << alleles.note;
}

TEST(Variants, AllEffectsOfTheStrongestFeatureAreInTheTable) {
  const auto item = item_of(
      "#chrom\tpos\tname\tref\talt\tskipped\tP_REF:A\tP_REF:B\tDIFF:A\tDIFF:B\tLOGIT:A\tLOGIT:B\n"
      "1\t10\trs1\tA\tC\t.\t0.9\t0.5\t-0.1\t-0.4\t-3\t-2\n");
  const auto& alleles = section(item, "Alleles with the largest effects");
  EXPECT_EQ(alleles.columns, (std::vector<std::string>{"contig", "position", "name", "ref", "alt", "feature", "DIFF",
                                                       "percentile", "P_REF", "LOGIT"}));
  EXPECT_EQ(alleles.rows.dump(), R"([["1",10,"rs1","A","C","B",-0.4,null,0.5,-2]])");
  const auto vcf = item_of(
      "##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n"
      "##INFO=<ID=BIGDNA_P_REF_A,Number=A,Type=Float,Description=\"p(ref) of A, model m 12\">\n"
      "##INFO=<ID=BIGDNA_LOGIT_A,Number=A,Type=Float,Description=\"log odds of A, model m 12\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t10\trs1\tA\tC\t.\t.\tBIGDNA_P_REF_A=0.9;BIGDNA_LOGIT_A=-3\n",
      "v.vcf");
  EXPECT_EQ(section(vcf, "Alleles with the largest effects").rows.dump(),
            R"([["1",10,"rs1","A","C","A",-3,null,0.9]])");
}

TEST(Training, CurvesAreThinnedByMeansAndBaselinesMarked) {
  const test::TempDir folder;
  std::string text;
  for (int step = 1; step <= 1000; ++step)
    text += "{\"step\":" + std::to_string(step) + ",\"loss\":" + std::to_string(step % 2) + "}\n";
  text +=
      "{\"step\":500,\"held_out_bpc\":1.9,\"unigram_bpc\":2}\n{\"step\":1000,\"held_out_bpc\":1.8,\"unigram_bpc\":2}\n";
  io::write_file(folder / "metrics.jsonl", text);
  Item item;
  add_training(item, folder.path(), 500);
  const auto& loss = section(item, "Training loss");
  EXPECT_LE(loss.rows.size(), 120U);
  double mean = 0;
  for (const double value : column(loss, "loss")) mean += value / static_cast<double>(loss.rows.size());
  EXPECT_NEAR(mean, 0.5, 0.01);
  EXPECT_EQ(loss.options["kept"], 500);
  EXPECT_EQ(item.headline["rows"][0][1], 1.8);
  EXPECT_EQ(item.headline["null"], 2);
  EXPECT_EQ(column(section(item, "Held-out sequence: bits per base of masked tokens"), "baseline"),
            (std::vector<double>{0, 0, 1, 1}));
  io::write_file(folder / "metrics.jsonl", "{\"loss\":1}\n");
  EXPECT_EQ(test::error_of([&] { add_training(item, folder.path(), -1); }),
            (folder / "metrics.jsonl") + ":1: has no step");
}

}  // namespace
}  // namespace bigdna::report
