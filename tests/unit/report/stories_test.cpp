// What a reader is told first: verdicts, warnings, and pictures of tracks, bases and variants.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/output.h"
#include "report/items.h"

namespace bigdna::report {
namespace {

const std::string kMetrics = "#method\tsplit\tmetric\tvalue\tlow\thigh\nbigdna\ttest\tauroc\t0.7\t0.6\t0.8\n";

TEST(Verdicts, AreThoseOfTheTableAndNoFactBesides) {
  const auto item = item_of("##bigdna_version=1\n##verdict=WORSE than k-mers\n" + kMetrics);
  EXPECT_EQ(item.verdicts, (std::vector<std::string>{"WORSE than k-mers"}));
  EXPECT_EQ(item.facts.size(), 1U);
  EXPECT_EQ(item_of(R"({"methods": {"bigdna": {"auroc": 0.7}}, "verdicts": [{"text": "better"}]})", "e.json").verdicts,
            (std::vector<std::string>{"better"}));
}

TEST(Verdicts, OfAFolderAreThereOnce) {
  const test::TempDir folder;
  io::write_file(folder / "metrics.tsv", "##verdict=better\n" + kMetrics);
  io::write_file(folder / "features.tsv",
                 "##verdict=better\n#index\tname\tmethod\tsplit\tmetric\tvalue\n"
                 "0\ta\tbigdna\ttest\tauroc\t0.7\n1\tb\tbigdna\ttest\tauroc\t0.6\n");
  EXPECT_EQ(read_item(folder.path()).verdicts, (std::vector<std::string>{"better"}));
}

TEST(Tracks, TheHeadlineIsTheMeanOverTracksOfAllBins) {
  std::string text = "#index\tname\tcell\tassay\tgroup\tstrand\tbins\trows\tmethod\tsplit\tmetric\tvalue\tlow\thigh\n";
  const auto add = [&](const char* index, const char* name, const char* bins, const char* method, const char* value) {
    text += std::string(index) + "\t" + name + "\t-\tATAC\t-\t.\t" + bins + "\t9\t" + method +
            "\ttest\tpearson_log1p\t" + value + "\t0.1\t0.9\n";
  };
  for (const char* method : {"bigdna", "gc"}) {
    add("0", "a", "all", method, "0.4");
    add("0", "a", "labelled", method, "0.1");
  }
  for (const char* method : {"bigdna", "gc"}) add("1", "b", "all", method, "0.6");
  const auto item = item_of(text, "tracks.tsv");
  EXPECT_TRUE(item.has_tracks);
  EXPECT_EQ(item.headline["rows"][0], Json::parse(R"(["bigdna", 0.5, null, null])"));
  const auto& each = section(item, "Each track");
  EXPECT_EQ(each.rows.size(), 2U);
  EXPECT_EQ(each.rows[1][0], "b");
  EXPECT_EQ(each.rows[1].back(), 0.6);
}

TEST(Tracks, CountsAreDrawnAsObservedBesideExpected) {
  std::string text =
      "#chrom\tstart\tend\tname\tscore\tstrand\tlabel:t\tlabel:p\tbigdna:t\tbigdna:p\tkmers:t\tkmers:p\n";
  for (const char* row : {"7\t1\t6.5\t0.9\t2\t0.5", "0\t0\t0.5\t0.1\t2\t0.5", "3\t1\t3\t0.8\t2\t0.5"})
    text += std::string("1\t0\t9\tr\t.\t.\t") + row + "\n";
  const auto item = item_of(text);
  const auto& density = section(item, "Observed and expected counts");
  int64_t bins = 0;
  for (const auto& row : density.rows) {
    EXPECT_EQ(row[0], "t");
    bins += row[6].get<int64_t>();
  }
  EXPECT_EQ(bins, 6);                                            // three of each of two methods
  EXPECT_EQ(section(item, "Confusion matrix").rows.size(), 8U);  // of the label alone
}

TEST(Leaks, WhatDiffersComesFirstAndConstantsAreLeftOut) {
  const test::TempDir folder;
  io::write_file(folder / "regions.bed.gz",
                 "#chrom\tstart\tend\tname\tscore\tstrand\tsplit\n.\t0\t9\ta\t.\t.\ttrain\n.\t0\t9\tb\t.\t.\ttest\n");
  io::write_file(folder / "leakage.tsv",
                 "#name\tchrom\tstart\tend\tsplit\tnearest\tdistance\tmost_similar\tcontainment\tidentical\n"
                 "b\t.\t0\t9\ttest\t.\t.\ta\t1\ta\nc\t.\t0\t9\ttest\t.\t.\ta\t0.5\t.\n");
  Item item;
  add_dataset(item, folder.path(), Json::parse(R"({"leaks": {"test": 14}, "dropped": {"too_short": 3},
                                                    "left_out": {"peaks_on_other_contigs": 350000}})"));
  const auto& rows = section(item, "Held-out examples most similar to a training example");
  EXPECT_EQ(rows.columns, (std::vector<std::string>{"name", "most_similar", "containment", "identical"}));
  EXPECT_EQ(rows.rows[0], Json::parse(R"(["b", "a", 1, "a"])"));
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].substr(0, 16), "14 test examples");
  EXPECT_EQ(section(item, "Examples that were left out").rows.size(), 1U);  // peaks are no rows
  EXPECT_EQ(section(item, "Peaks that were left out").rows.size(), 1U);
}

TEST(Bases, ContributionsOfExplainAreLetters) {
  const auto item = item_of("#chrom\tstart\tend\tname\tbase\tCTCF\n1\t5\t6\tr\tA\t0.25\n1\t6\t7\tr\tC\t.\n");
  const auto& letters = section(item, "What each base contributes");
  EXPECT_EQ(letters.kind, "letters");
  EXPECT_EQ(letters.rows, Json::parse(R"([["1", 5, 6, "A", 0.25], ["1", 6, 7, "C", null]])"));
}

TEST(Variants, AllelesThatTrainingHasReadAreAWarning) {
  const auto item = item_of(
      "#chrom\tpos\tname\tref\talt\tskipped\tDIFF\tseen\n"
      "1\t5\tx\tA\tC\t.\t0.5\t1\n1\t6\ty\tA\tC\t.\t0.1\t0\n1\t7\tz\tA\tC\treference_mismatch\t.\t.\n");
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(item.warnings[0].substr(0, 34), "1 of 2 alleles with a score lies i");
  const auto& alleles = section(item, "Alleles with the largest effects");
  EXPECT_EQ(alleles.columns.back(), "seen in training");
  EXPECT_EQ(alleles.rows[0].back(), "yes");
  const auto ranked = item_of(
      "#rank\tchrom\tpos\tname\tref\talt\toutput\teffect\tvalue\tpercentile\tlogit\tp_ref\tp_alt\tseen\n"
      "1\t1\t5\tx\tA\tC\tCTCF\tDIFF\t0.5\t.\t2\t0.1\t0.6\t1\n");
  EXPECT_EQ(section(ranked, "Alleles by rank").rows[0][8], 0.5);
  EXPECT_EQ(ranked.warnings.size(), 1U);
}

TEST(Pictures, AreThoseOfAFolderInTheOrderOfTheirNumbers) {
  const test::TempDir folder;
  for (const char* name : {"10_b.svg", "2_a.svg"}) io::write_file(folder / name, "<svg></svg>");
  const auto item = read_item(folder.path());
  EXPECT_EQ(item.sections.at(0).rows, Json::parse(R"([["2_a", "<svg></svg>"], ["10_b", "<svg></svg>"]])"));
  io::write_file(folder / "3_c.svg", "no picture");
  EXPECT_NE(test::error_of([&] { read_item(folder.path()); }).find("3_c.svg: is not a picture"), std::string::npos);
}

TEST(Pictures, OfOtherFormatsAreLeftOutAndSaid) {
  const test::TempDir folder;
  io::write_file(folder / "b.png", "png");
  EXPECT_NE(test::error_of([&] { read_item(folder.path()); }).find("its pictures are not SVG"), std::string::npos);
  io::write_file(folder / "a.svg", "<svg></svg>");
  EXPECT_EQ(read_item(folder.path()).sections.at(0).note, " 1 picture of the folder is not SVG and left out.");
}

const std::string kFilters =
    "#motif\tsites\tinformation\tconsensus\tserves\tA\tB\n"
    "f1\t9\t5\tACG\tA\t0.1\t0.05\nf2\t9\t5\tTTT\tB\t0.2\t-0.7\nf10\t9\t5\tGGG\tA\t.\t.\n";

TEST(Motifs, TheLargestEffectOnWhatAFilterServesComesFirst) {
  const auto item = item_of(kFilters);
  EXPECT_EQ(
      section(item, "Motifs by effect").rows.dump(),
      R"([["f2","TTT","B",-0.7,9,5,0.2,-0.7],["f1","ACG","A",0.1,9,5,0.1,0.05],["f10","GGG","A",null,9,5,null,null]])");
  EXPECT_EQ(section(item, "Motifs with the largest effects").rows.dump(),
            R"([["f2 TTT","B",-0.7],["f1 ACG","A",0.1]])");
}

TEST(Motifs, LogosBesideATableComeInItsOrderAndElseByNumber) {
  const test::TempDir folder;
  std::filesystem::create_directory(folder / "logos");
  for (const char* name : {"f10", "f2", "f1"}) io::write_file(folder / "logos/" + name + ".svg", "<svg></svg>");
  io::write_file(folder / "filters.tsv", kFilters);
  const auto names = [](const Item& item) {
    std::string all;
    for (const auto& row : item.sections.at(0).rows) all += row[0].get<std::string>() + " ";
    return all;
  };
  EXPECT_EQ(names(read_item(folder / "logos")), "f1 f2 f10 ");
  const auto items = read_items({folder / "logos", folder / "filters.tsv"});
  EXPECT_EQ(names(items[0]), "f2 f1 f10 ");
  EXPECT_EQ(items[0].sections[0].rows[0][2], "B");
  EXPECT_EQ(items[0].sections[0].rows[0][3], -0.7);
}

TEST(Motifs, InsertedOnesStandBesideTheirChanceLevel) {
  const auto item = item_of(
      "#motif\tstrand\tsecond\tsecond_strand\tdistance\tfeature\tsequences\tchange\tchange_low\tchange_high\tnull\t"
      "null_low\tnull_high\tinteraction\tinteraction_low\tinteraction_high\n"
      "x\t+\t.\t.\t.\tA\t4\t0.1\t0\t0.2\t0\t-0.1\t0.1\t.\t.\t.\n"
      "y\t-\t.\t.\t.\tA\t4\t-0.5\t-0.6\t-0.4\t.\t.\t.\t.\t.\t.\n"
      "x\t+\ty\t-\t8\tA\t4\t0.9\t0\t1\t0\t0\t0\t0.3\t0.1\t0.5\n");
  EXPECT_EQ(section(item, "Change by each motif").rows.dump(),
            R"~([["y (-)","A","motif",-0.5,-0.6,-0.4],["x","A","motif",0.1,0,0.2],)~"
            R"(["x, shuffled","A","its columns shuffled",0,-0.1,0.1]])");
  EXPECT_EQ(section(item, "Interaction by distance").rows.dump(), R"~([[8,0.3,"x, y (-)","A"]])~");
}

TEST(Motifs, OfContributionsStandByTheirSeqletsAndHitsByTheirQ) {
  const auto item = item_of(
      "#motif\tfeature\tseqlets\tregions\thits\tconsensus\tinformation\tcontribution\tknown\tknown_name\tp\te\n"
      "A_pos1\tA\t30\t29\t12\tGCCAC\t9\t1.5\tM1\tx\t0.1\t1\nB_neg1\tB\t44\t40\t3\tTTCC\t8\t-2\t.\t.\t.\t.\n");
  EXPECT_EQ(section(item, "Seqlets of each motif").rows.dump(), R"([["B_neg1 TTCC","B",44],["A_pos1 GCCAC","A",30]])");
  EXPECT_EQ(section(item, "Motifs in contributions").rows[0][7], -2);
  const auto hits = item_of(
      "#chrom\tstart\tend\tname\tscore\tstrand\timportance\tcoefficient\tsimilarity\tbits\tq\tregion\n"
      "1\t4\t9\tA_pos1\t500\t+\t1\t1\t0.5\t8\t0.3\tr\n1\t40\t49\tA_pos1\t900\t-\t2\t1.5\t0.9\t9\t0.01\tr\n");
  EXPECT_EQ(section(hits, "Hits of each motif").rows.dump(), R"([["A_pos1","up to 0.1",1],["A_pos1","above 0.1",1]])");
  EXPECT_EQ(section(hits, "Hits").rows[0][1], 40);
}

TEST(Motifs, KnownOnesAndDesignsAndHaplotypesAreRead) {
  EXPECT_EQ(section(item_of("#motif\tknown\tknown_name\tstrand\toffset\toverlap\tdistance\tcorrelation\tp\te\n"
                            "f1\tMA1\tX\t+\t0\t9\t0.2\t0.9\t0.01\t2\nf2\tMA2\tY\t-\t0\t9\t0.1\t0.9\t1e-5\t0.01\n"),
                    "Known motifs that these motifs resemble")
                .rows[0][1],
            "MA2");
  const auto design = item_of(
      "#name\tcontig\tstep\tedits\tsubstitutions\tvalue\tchance\tchange:A\n"
      "r\t1\t0\t0\t.\t0\t.\t0\nr\t1\t1\t1\tG5A\t0.5\t0.1\t0.5\n");
  EXPECT_EQ(section(design, "Value by number of edits").rows.dump(),
            R"([[0,0,"r"],[1,0.5,"r"],[1,0.1,"chance of r"]])");
  const auto haplotypes = item_of(
      "#name\tcontig\tstart\tend\tsample\thaplotype\talleles\tskipped\tunphased\tchange:A\n"
      "r\t1\t0\t9\ts\t1\t1\t0\t0\t0.1\nr\t1\t0\t9\ts\t2\t1\t0\t0\t-0.4\n");
  EXPECT_EQ(section(haplotypes, "Haplotypes by their largest change").rows[0].back(), -0.4);
}

TEST(Splits, HaveTheirColoursWhereThereIsOneKindOfExamples) {
  for (const bool kinds : {false, true}) {
    const test::TempDir folder;
    io::write_file(folder / "regions.bed.gz",
                   std::string("#chrom\tstart\tend\tkind\tsplit\n1\t0\t9\ta\ttrain\n1\t9\t18\t") + (kinds ? "b" : "a") +
                       "\ttest\n");
    Item item;
    add_dataset(item, folder.path(), Json::object());
    EXPECT_EQ(section(item, "Examples of each split").options["colour"], kinds ? "kind" : "split");
  }
}

TEST(Histogram, SmallValuesHaveAnAxisOfTheirOwn) {
  UnitHistogram histogram(40);
  for (const double value : {0.001, 0.029, 0.0295}) histogram.add(value);
  EXPECT_EQ(histogram.range(), 0.05);
  Section narrow, whole;
  histogram.add_to(narrow, Json::array(), 3, histogram.range());
  EXPECT_EQ(narrow.rows, Json::parse("[[0, 0.00125, 1, 0.333333], [0.02875, 0.03, 2, 0.666667]]"));
  histogram.add_to(whole, Json::array(), 3);
  EXPECT_EQ(whole.rows, Json::parse("[[0, 0.025, 1, 0.333333], [0.025, 0.05, 2, 0.666667]]"));
}

TEST(Page, TitleAndNoteAreTheUsers) {
  const auto page = html({}, {"Three loci", "for </script> us", "A. Name", "2026-11-29"});
  EXPECT_NE(page.find("\"title\":\"Three loci\""), std::string::npos);
  EXPECT_EQ(page.find("for </script>"), std::string::npos);
  EXPECT_NE(page.find("\"author\":\"A. Name\",\"date\":\"2026-11-29\""), std::string::npos);
}

/// A table of three outputs, of which one is constant.
void write_outputs(const std::string& folder) {
  io::write_file(folder + "/metrics.tsv",
                 "#method\tsplit\tmetric\tvalue\tlow\thigh\nbigdna\ttest\tpearson\t0.7\t0.6\t0.8\n"
                 "bigdna\ttest\tr2\t0.4\t0.3\t0.5\n"
                 "bigdna-constant\ttest\tr2\t0.4\t0.3\t0.5\n");
  std::string text = "#index\tname\tmethod\tsplit\tmetric\tvalue\n";
  for (const char* row : {"0\tx\tpearson\t0.5", "0\tx\tr2\t0.4", "0\tx\trmse\t10150", "1\ty\tpearson\t0.9",
                          "1\ty\tr2\t0.4", "1\ty\trmse\t0.01", "2\tz\tpearson\tNA", "2\tz\tr2\t0.4", "2\tz\trmse\t2"}) {
    const std::string fields(row);
    const auto place = fields.find('\t', 2);
    text += fields.substr(0, place) + "\tbigdna\ttest" + fields.substr(place) + "\n";
  }
  io::write_file(folder + "/features.tsv", text);
}

TEST(Outputs, TheHeadlineSaysWhatItIsTheMeanOf) {
  const test::TempDir folder;
  write_outputs(folder.path());
  const auto item = read_item(folder.path());
  EXPECT_EQ(item.headline["averaged"], "mean of 2 of 3 outputs; z has no value");
  const auto& metrics = section(item, "Metrics of the test examples");
  EXPECT_TRUE(metrics.note.ends_with(" pearson: mean of 2 of 3 outputs; z has no value. r2: mean of 3 outputs."))
      << metrics.note;
  EXPECT_EQ(section(item, "Each output").rows[0].dump(), R"(["x",0.5,0.4,10150])");
}

TEST(Outputs, AMedianOfFeaturesSaysOfHowMany) {
  const auto item = item_of(
      "#group\tmethod\tsplit\tfeatures\tscored\tauroc_median\nall\tbigdna\ttest\t43\t40\t0."
      "7\nall\tkmers\ttest\t43\t40\t0.6\n");
  EXPECT_EQ(item.headline["averaged"], "median of 40 of 43 features; 3 have no value");
}

TEST(Cut, ATableSaysOfHowManyRows) {
  const std::string ranked =
      "##alleles=500\n#rank\tchrom\tpos\tname\tref\talt\toutput\teffect\tvalue\tpercentile\tlogit\tp_ref\tp_alt\tseen\n"
      "1\t1\t5\trs1\tAG\tA\tCTCF\tDIFF\t0.5\t.\t1\t0.1\t0.6\t1\n";
  const auto item = item_of(ranked);
  const auto& alleles = section(item, "Alleles by rank");
  EXPECT_EQ(alleles.options["of"], 500);
  EXPECT_NE(alleles.note.find("the first 1 of 500 alleles (variants --table-rows)"), std::string::npos);
  ASSERT_EQ(item.warnings.size(), 1U);
  EXPECT_EQ(
      item.warnings[0],
      "1 of the 1 allele in this table lies in sequence that the model has read in training; the table has 1 of 500 "
      "alleles.");
  const auto whole = item_of(ranked.substr(ranked.find('\n') + 1));
  EXPECT_FALSE(section(whole, "Alleles by rank").options.contains("of"));
}

TEST(Cut, TheMostSimilarHeldOutExamplesSayOfHowMany) {
  const test::TempDir folder;
  std::string regions = "#chrom\tstart\tend\tname\tscore\tstrand\tsplit\tlabel\n",
              leakage = "#name\tsplit\tcontainment\n";
  for (int i = 0; i < 150; ++i) {
    regions += "1\t0\t9\tr" + std::to_string(i) + "\t.\t+\ttest\t1\n";
    leakage += "r" + std::to_string(i) + "\ttest\t" + (i == 149 ? "0.9" : "0.1") + "\n";
  }
  io::write_file(folder / "regions.bed.gz", regions);
  io::write_file(folder / "leakage.tsv", leakage);
  Item item;
  add_dataset(item, folder.path(), Json{{"label_type", "binary"}});
  const auto& closest = section(item, "Held-out examples most similar to a training example");
  EXPECT_EQ(closest.rows.size(), 100U);
  EXPECT_EQ(closest.rows[0][0], "r149");
  EXPECT_EQ(closest.options["of"], 150);
  EXPECT_NE(closest.note.find("The 100 most similar of 150 examples are here"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::report
