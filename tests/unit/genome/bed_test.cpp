#include "genome/bed.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using io::write_file;
using test::error_of;
using test::TempDir;

TEST(Bed, ColumnsAndSkippedLines) {
  TempDir dir;
  write_file(dir / "f.bed",
             "# comment\ntrack name=x\nbrowser position\n\nchr1\t10\t20\ntrackless\t1\t2\tn "
             "m\t7.5\t-\te1\t\tlast\r\nchr1 5  5 spaces\n");
  const auto records = read_bed(dir / "f.bed");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].region, (Region{"chr1", 10, 20, '.'}));
  EXPECT_EQ(records[0].line, 5);
  EXPECT_EQ(records[1].region, (Region{"trackless", 1, 2, '-'}));
  EXPECT_EQ(records[1].name, "n m");
  EXPECT_EQ(records[1].score, "7.5");
  EXPECT_EQ(records[1].extra, (std::vector<std::string>{"e1", "", "last"}));
  EXPECT_EQ(records[2].region, (Region{"chr1", 5, 5, '.'}));
  EXPECT_EQ(records[2].name, "spaces");
}

TEST(Bed, ErrorsNameFileAndLine) {
  TempDir dir;
  const auto error = [&](const std::string& line) {
    write_file(dir / "f.bed", "chr1\t1\t2\n" + line + "\n");
    const std::string message = error_of([&] { read_bed(dir / "f.bed"); });
    return message.substr(message.find("f.bed") + 5);
  };
  EXPECT_EQ(error("chr1\t9\t5"), ":2: end 5 is before start 9");
  EXPECT_EQ(error("chr1\t9"), ":2: a BED line has at least 3 columns, this one has 2");
  EXPECT_EQ(error("chr1\thavana\tgene\t5\t9\t.\t+\t.\tID=a"),
            ":2: start 'havana' is not a number (it looks like GTF or GFF)");
  EXPECT_EQ(error("gene\tchr1\t+\t5\t9"), ":2: start 'chr1' is not a number");  // genePred: no header line
  EXPECT_NE(error("track type=bedGraph name=x\nchr1\t5\t9\t0").find(":2: the file is bedGraph"), std::string::npos);
  EXPECT_EQ(error(">chr1"), ":2: a BED line has at least 3 columns, this one has 1 (it looks like FASTA)");
  EXPECT_EQ(error("chr1\tx\t5"), ":2: start 'x' is not a number");
  EXPECT_EQ(error("chr1\t1\t5bp"), ":2: end '5bp' is not a number");
  EXPECT_EQ(error("chr1\t-1\t5"), ":2: start -1 is negative");
  EXPECT_EQ(error("\t1\t5"), ":2: the contig's name is empty");
  EXPECT_EQ(error("chr1\t1\t5\t\t\tplus"), ":2: strand (column 6) is 'plus', not +, - or . (cut -f1-5 leaves it out)");
  EXPECT_EQ(error("chr1\t1\t5\tchr1\t50\t90\tname"),
            ":2: columns 4 to 6 are a second interval: pairs (BEDPE) are not read");
  EXPECT_NE(error("@SQ\tSN:chr1\tLN:9").find("(it looks like SAM or an interval_list"), std::string::npos);
  EXPECT_EQ(error("chr1\t1\t99999999999999999999"), ":2: end '99999999999999999999' is not a number");
}

TEST(Bed, AStrandIsAskedForWhereItIsRead) {
  TempDir dir;
  write_file(dir / "seacr.bed", "chr1\t1\t5\t2.5\t7\tchr1:2-3\nchr1\t8\t9\t2.5\t7\t-\n");
  EXPECT_NE(error_of([&] { read_bed(dir / "seacr.bed"); }).find("strand (column 6)"), std::string::npos);
  const auto records = read_bed(dir / "seacr.bed", StrandColumn::ignored);
  EXPECT_EQ(records[0].region.strand, '.');
  EXPECT_EQ(to_line(records[0]), "chr1\t1\t5\t2.5\t7\tchr1:2-3");  // as it was
  EXPECT_EQ(records[1].region.strand, '-');
}

TEST(Bed, StartsThatCountFrom1AreToldByTheWidths) {
  TempDir dir;
  const auto error = [&](const std::string& text) {
    write_file(dir / "f.bed", text);
    return error_of([&] { read_bed(dir / "f.bed"); });
  };
  const std::string rows = "chr1\t11\t20\t10\t*\nchr1\t31\t35\t5\t*\n", shifted = "chr1\t10\t20\t10\nchr1\t30\t35\t5\n";
  const std::string granges = "seqnames\tstart\tend\twidth\tstrand\n",
                    macs = "# MACS\n\nchr\tstart\tend\tlength\tabs_summit\tpileup\n";
  EXPECT_NE(error(rows).find("f.bed: column 4 is end - start + 1 in every record, so starts count from 1"),
            std::string::npos);
  EXPECT_NE(error("#" + granges + "chr1\t11\t20\t10\t*\n").find("column 4 is end - start + 1"), std::string::npos);
  EXPECT_NE(error(granges + rows)
                .find(":1: start 'start' is not a number (a header line of R's GRanges, whose starts count "
                      "from 1; BED's count from 0: subtract 1 from each)"),
            std::string::npos);
  EXPECT_NE(error("\"seqnames\"\t\"start\"\t\"end\"\n").find("a header line of R's GRanges"), std::string::npos);
  EXPECT_NE(error(macs + rows).find(":3: start 'start' is not a number (a header line of MACS's .xls"),
            std::string::npos);
  // widths of BED, names that are numbers, a single record
  for (const auto& bed :
       {"#" + granges + shifted, shifted, rows + "chr1\t40\t50\t7\n", std::string("chr1\t0\t9\t10\n")})
    EXPECT_EQ(error(bed), "") << bed;
  testing::internal::CaptureStderr();
  EXPECT_EQ(error("#seqnames\tstart\tend\nchr1\t11\t20\n"), "");
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "f.bed: its header is that of R's GRanges, whose starts count from 1"),
            std::string::npos);
}

TEST(Bed, ASignalTouchesItself) {
  TempDir dir;
  const auto is_signal = [&](const std::string& text) {
    write_file(dir / "f.bed", text);
    SignalCheck check;
    for (const auto& record : read_bed(dir / "f.bed")) check.add(record);
    return check.is_signal();
  };
  const std::string signal = "a\t0\t5\t0\na\t5\t9\t1.5\na\t9\t20\t-1e3\n";
  EXPECT_TRUE(is_signal(signal));
  EXPECT_TRUE(is_signal(signal + "b\t20\t30\t1\nb\t40\t50\t2\nb\t60\t70\t3\n"));  // 2 of 6 touch
  for (const auto& bed : {std::string("a\t0\t5\t1\na\t5\t9\t2\na\t19\t20\t3\n"),  // one touches
                          std::string("a\t0\t5\tx\n") + signal,                   // names
                          std::string("a\t0\t5\na\t5\t9\na\t9\t10\n"), std::string(),
                          std::string("a\t0\t5\t1\nb\t5\t9\t2\nc\t9\t20\t3\n")})
    EXPECT_FALSE(is_signal(bed)) << bed;
}

TEST(Bed, EmptyIntervalsAreCountedAndTheFirstIsNamed) {
  TempDir dir;
  const auto warning = [&](const std::string& lines) {
    write_file(dir / "f.bed", lines);
    EmptyIntervals empty;
    for (const auto& record : read_bed(dir / "f.bed")) EXPECT_EQ(empty.add(record), record.region.length() == 0);
    testing::internal::CaptureStderr();
    empty.warn("f.bed");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning("c\t1\t2\n"), "");
  EXPECT_NE(warning("c\t1\t2\nc\t0\t0\n").find("f.bed:2: the interval is empty (end = start) and is ignored\n"),
            std::string::npos);
  EXPECT_NE(warning("c\t2\t2\nc\t0\t0\nc\t0\t0\n")
                .find("f.bed:1: the interval is empty (end = start) and is ignored; "
                      "2 more are empty\n"),
            std::string::npos);
}

TEST(Bed, MissingStrandsAreCountedAndTheFirstIsNamed) {
  TempDir dir;
  const auto warning = [&](const std::string& lines, bool decides) {
    write_file(dir / "f.bed", lines);
    MissingStrands strands;
    for (const auto& record : read_bed(dir / "f.bed")) strands.add(record, decides);
    testing::internal::CaptureStderr();
    strands.warn("f.bed");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning("c\t1\t2\tn\t0\t-\n", true), "");
  EXPECT_EQ(warning("c\t1\t2\nc\t1\t2\tn\t0\t.\n", false), "");
  EXPECT_NE(warning("c\t1\t2\tn\t0\t+\nc\t1\t2\nc\t1\t2\tn\t0\t.\n", true)
                .find("f.bed:2: 2 of 3 intervals have no strand (column 6) and are taken as +\n"),
            std::string::npos);
  EXPECT_NE(
      warning("c\t1\t2\tn\t0\t.\n", true).find("f.bed:1: 1 of 1 interval has no strand (column 6) and is taken as +\n"),
      std::string::npos);
  for (const bool decides : {false, true}) {
    EXPECT_NE(warning("c\t1\t2\tn\t-\n", decides)
                  .find("taken as +; column 5 holds + or -: is it the strand? BED has it in column 6\n"),
              std::string::npos);
    EXPECT_NE(warning("c\t1\t2\t+\n", decides).find("; column 4 holds + or -"), std::string::npos);
  }
}

TEST(Bed, RealStartSites) {
  BIGDNA_REAL_DATA(path, "promoters/EPDnew_human_hg38_29598.bed.gz");
  const auto records = read_bed(path);
  EXPECT_EQ(records.size(), 29598u);
  int64_t minus = 0;
  for (const auto& record : records) {
    EXPECT_EQ(record.region.length(), 1);
    minus += record.region.strand == '-';
  }
  EXPECT_GT(minus, 13000);
  EXPECT_LT(minus, 16500);
}

}  // namespace
}  // namespace bigdna::genome
