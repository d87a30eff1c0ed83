#include "variants/vcf_reader.h"

#include <htslib/bgzf.h>
#include <htslib/tbx.h>

#include "base/error.h"
#include "io/output.h"
#include "support.h"
#include "variants/bcf_record.h"
#include "variants/vcf_text.h"

namespace bigdna::variants {
namespace {

using test::error_of;
using test::TempDir;

const std::string kHeader =
    "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=1000>\n##contig=<ID=chr2>\n"
    "##INFO=<ID=AF,Number=A,Type=Float,Description=\"a \\\"quoted\\\", comma\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"genotype\">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";

std::string written(const TempDir& dir, const std::string& name, const std::string& text) {
  io::Output out(dir / name);
  out << text;
  out.commit();
  return dir / name;
}

std::vector<std::string> lines_of(VcfReader reader) {
  std::vector<std::string> lines;
  while (auto record = reader.next()) lines.push_back(text_of(reader.header(), *record));
  return lines;
}

TEST(VcfReader, ReadsPlainAndCompressed) {
  TempDir dir;
  const std::string text = kHeader + "\tFORMAT\ts1\ts2\n" +
                           "chr1\t5\trs1\tA\tC,<DEL>\t1.50\tPASS\tAF=0.10,0.20\tGT\t0|1\t./.\r\n" +
                           "chr2\t0\t.\tac\t.\t.\t.\t.\tGT\t0\t1\n";
  for (const char* name : {"a.vcf", "a.vcf.gz"}) {
    VcfReader reader(written(dir, name, text));
    EXPECT_EQ(reader.header().samples, 2);
    EXPECT_EQ(reader.length("chr1"), 1000);
    EXPECT_EQ(reader.length("chr2"), 0);
    const auto first = reader.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->contig, "chr1");
    EXPECT_EQ(first->position, 4);
    EXPECT_EQ(first->id, "rs1");
    EXPECT_EQ(first->ref, "A");
    EXPECT_EQ(first->alts, (std::vector<std::string>{"C", "<DEL>"}));
    EXPECT_FALSE(first->faults.malformed);
    EXPECT_EQ(text_of(reader.header(), *first),
              "chr1\t5\trs1\tA\tC,<DEL>\t1.50\tPASS\tAF=0.10,0.20\tGT\t0|1\t./.");  // as written
    const auto second = reader.next();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->position, -1);
    EXPECT_TRUE(second->alts.empty());
    EXPECT_FALSE(reader.next());
  }
}

TEST(VcfReader, RegionsGiveEachRecordOnce) {
  TempDir dir;
  std::string text = kHeader + "\n";
  for (int position = 10; position <= 90; position += 10)
    text += concat("chr1\t", position, "\t.\tACGTACGTACGT\tC\t.\t.\t.\n");
  text += "chr2\t7\t.\tA\tC\t.\t.\t.\n";
  const auto path = written(dir, "a.vcf.gz", text);
  EXPECT_NE(error_of([&] {
              VcfReader(path, std::vector<genome::Region>{{"chr1", 0, 5}});
            }).find("has no index"),
            std::string::npos);
  ASSERT_EQ(tbx_index_build(path.c_str(), 0, &tbx_conf_vcf), 0);
  using Regions = std::vector<genome::Region>;
  const auto positions = [&](const Regions& regions) {
    std::string all;
    VcfReader reader(path, regions);
    while (auto record = reader.next()) all += concat(record->position + 1, " ");
    return all;
  };
  EXPECT_EQ(positions({{"chr1", 30, 31}}), "20 30 ");  // POS 20 reaches to 31, POS 30 begins at 29 (0-based)
  EXPECT_EQ(positions({{"chr1", 45, 50}, {"chr1", 30, 31}, {"chr1", 25, 32}, {"chr2", 0, 10}}), "20 30 40 50 7 ");
  EXPECT_EQ(positions({{"1", 85, 86}, {"2", 0, 100}, {"3", 0, 5}}), "80 7 ");
  EXPECT_EQ(positions({{"chr1", 500, 600}}), "");
  EXPECT_NE(error_of([&] { VcfReader("-", Regions{{"chr1", 0, 5}}); }).find("stdin"), std::string::npos);
}

TEST(VcfReader, FaultyLinesOfTheHeaderAreKept) {
  TempDir dir;
  const std::string meta =
      "##fileformat=VCFv4.2\n##reference=\n##contig=<ID=HLA-DRB1*04:03:01 length=15246>\n"
      "##FILTER=<ID=GAP>,Description=\"gaps\">\n##INFO=<ID=X,Number=1,Type=Float\n##contig=<ID=chr1,length=9>\n";
  const auto path =
      written(dir, "a.vcf", meta + "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t5\t.\tA\tC\t.\t.\t.\n");
  VcfReader reader(path);
  EXPECT_EQ(reader.header().fault, path + ":2: has no value; 3 more lines are faulty");
  EXPECT_EQ(reader.header().meta, meta);
  EXPECT_EQ(reader.length("chr1"), 9);
  EXPECT_TRUE(reader.next());
}

TEST(BcfRecord, WhatBcfWouldNotHoldIsAnError) {
  TempDir dir;
  const auto declared = [](const char* kind, const char* id, const char* number, const char* type) {
    return concat("##", kind, "=<ID=", id, ",Number=", number, ",Type=", type, ",Description=\"d\">\n");
  };
  const std::string meta =
      concat("##fileformat=VCFv4.2\n##contig=<ID=chr1,length=1000>\n", declared("INFO", "N", ".", "Integer"),
             declared("INFO", "X", ".", "Float"), declared("FORMAT", "GT", "1", "String"),
             declared("FORMAT", "N", ".", "Integer"), "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\n");
  const auto error = [&](const std::string& quality, const std::string& info, const std::string& format) {
    const auto line = concat("chr1\t5\t.\tA\tC\t", quality, "\t.\t", info, "\t", format, "\n");
    VcfReader reader(written(dir, "a.vcf", meta + line));
    const auto record = reader.next();
    const auto message = error_of([&] { bcf_of(reader.header().parsed.get(), *record); });
    return message.substr(std::min(message.size(), message.find("a.vcf:8: ")));
  };
  EXPECT_EQ(error(".", "N=1,+2,.,-2147483640,2147483647;X=nan,inf,+1e5,0,.", "GT:N\t0/1:3,."), "");
  EXPECT_EQ(error(".", ".", "GT:GT\t0/1:1/1"),
            "a.vcf:8: FORMAT has GT twice, and htslib would write wrong genotypes into BCF; write VCF instead");
  const std::string end = " integer of 32 bits, so BCF cannot hold it; write VCF instead";
  EXPECT_EQ(error(".", "N=1,2147483648", "GT\t."), "a.vcf:8: INFO/N is 2147483648, which is not an" + end);
  EXPECT_EQ(error(".", "N=1.5", "GT\t."), "a.vcf:8: INFO/N is 1.5, which is not an" + end);
  EXPECT_EQ(error(".", ".", "GT:N\t0/1:-2147483648"), "a.vcf:8: FORMAT/N is -2147483648, which is not an" + end);
  EXPECT_EQ(error("1e-60", "X=-1e-50", "GT\t."), "");  // 0, which is a warning
  EXPECT_TRUE(error("1e60", ".", "GT\t.").starts_with("a.vcf:8: QUAL is 1e60, which is not a number within the range"));
  EXPECT_TRUE(error(".", "X=abc", "GT\t.").starts_with("a.vcf:8: INFO/X is abc"));
  EXPECT_TRUE(error(".", "X=1e400", "GT\t.").starts_with("a.vcf:8: INFO/X is 1e400"));
}

/// Lines of records, at these steps from each other.
std::string records(int count, int step, const std::string& contig = "chr1") {
  std::string text;
  for (int i = 1; i <= count; ++i)
    text += concat(contig, "\t", i * step, "\trs", i * 7919 % 10007, "\tA\tC\t.\t.\t.\n");
  return text;
}

TEST(VcfReader, AnIndexOfAnotherVersionOfTheFileIsAnError) {
  TempDir dir;
  const std::string header = kHeader + "\n";
  const auto compare = [&](const std::string& old_text, const std::string& new_text, const std::string& suffix) {
    const auto path = written(dir, "a.vcf.gz", old_text), index = path + suffix;
    EXPECT_EQ(suffix == ".tbi" ? tbx_index_build(path.c_str(), 0, &tbx_conf_vcf)
                               : tbx_index_build3(path.c_str(), index.c_str(), 14, 0, &tbx_conf_vcf),
              0);
    written(dir, "a.vcf.gz", new_text);
    std::filesystem::last_write_time(index, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    const auto message = error_of([&] { VcfReader(path, std::vector<genome::Region>{{"chr1", 0, 50}}); });
    std::filesystem::remove(index);
    return message.substr(0, message.find(" of another"));
  };
  const std::string refused_tbi = dir / "a.vcf.gz.tbi: is the index", refused_csi = dir / "a.vcf.gz.csi: is the index";
  const auto many = records(20000, 10), few = records(60, 10);
  for (const std::string suffix : {".tbi", ".csi"}) {
    const auto& refused = suffix == ".tbi" ? refused_tbi : refused_csi;
    EXPECT_EQ(compare(header + many, header + many, suffix), "");
    EXPECT_EQ(compare(header + few, header + few, suffix), "");
    EXPECT_EQ(compare(header, header, suffix), "");
    const auto telomere = header + "chr1\t0\t.\tA\tC\t.\t.\t.\n" + few;
    EXPECT_EQ(compare(telomere, telomere, suffix), "");
    EXPECT_EQ(compare(header + few, header + many, suffix), refused);             // more records
    EXPECT_EQ(compare(header + many, header + few, suffix), refused);             // fewer
    EXPECT_EQ(compare(header + many, header + many + few, suffix), refused);      // appended, not sorted
    EXPECT_EQ(compare(header + few, header + records(60, 11), suffix), refused);  // other positions, one block
    EXPECT_EQ(compare(header + few, header + records(60, 10, "chr2"), suffix), refused);
    EXPECT_EQ(
        compare(header + few, "##fileformat=VCFv4.2\n##x=y\n" + header.substr(header.find('\n') + 1) + few, suffix),
        refused);  // a longer header
  }
}

TEST(VcfReader, ErrorsNameFileAndLine) {
  TempDir dir;
  const auto error = [&](const std::string& text) {
    const auto path = written(dir, "bad.vcf", text);
    const auto message = error_of([&] { lines_of(VcfReader(path)); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(error(""), ": is empty (a VCF header was expected)");
  EXPECT_NE(error("chr1\t5\n").find(":1: is not VCF"), std::string::npos);
  EXPECT_NE(error("##fileformat=VCFv4.2\n").find("ends before the line of column names"), std::string::npos);
  EXPECT_NE(error("##fileformat=VCFv4.2\nchr1\t5\t.\tA\tC\n").find(":2: is not a line of a VCF header"),
            std::string::npos);
  EXPECT_EQ(error(kHeader + "\nchr1\t5\t.\tA\n"),
            ":7: 4 tab-separated columns; a VCF record has at least 8 (CHROM POS ID REF ALT QUAL FILTER INFO)");
  EXPECT_EQ(error(kHeader + "\nchr1\tx5\t.\tA\tC\t.\t.\t.\n"), ":7: the position 'x5' is not a number of at least 0");
  EXPECT_EQ(error(kHeader + "\tFORMAT\ts1\nchr1\t5\t.\tA\tC\t.\t.\t.\tGT\n"), ":7: 9 columns, but the header has 10");
  EXPECT_EQ(error(kHeader + "\n"), "");
  EXPECT_NE(error_of([&] { VcfReader(dir / "none.vcf"); }).find("No such file"), std::string::npos);
}

TEST(VcfReader, ATruncatedFileIsAnError) {
  TempDir dir;
  std::string text = kHeader + "\n";
  for (int i = 1; i < 20000; ++i) text += concat("chr1\t", i, "\trs", i * 7919 % 10007, "\tA\tC\t.\t.\t.\n");
  const auto path = written(dir, "a.vcf.gz", text);
  const auto size = std::filesystem::file_size(path);
  for (const auto left : {size - 28, size - 29, size / 2, size / 3}) {
    std::filesystem::resize_file(path, left);
    EXPECT_NE(error_of([&] { lines_of(VcfReader(path)); }).find("truncated"), std::string::npos) << left;
  }
}

TEST(VcfReader, RegionsOfAFileWithPlainGzipBehindBgzfAreAnError) {
  TempDir dir;
  std::string text;
  for (int i = 1; i < 20000; ++i) text += concat("chr2\t", 10 * i, "\trs", i * 7919 % 10007, "\tA\tC\t.\t.\t.\n");
  const auto path = written(dir, "a.vcf.gz", kHeader + "\nchr1\t5\t.\tA\tC\t.\t.\t.\n");
  written(dir, "more", text);
  const auto joins =
      concat("cd ", dir.path(), " && tail -c 28 a.vcf.gz >end && gzip more", " && cat more.gz end >>a.vcf.gz");
  ASSERT_EQ(std::system(joins.c_str()), 0);
  EXPECT_EQ(lines_of(VcfReader(path)).size(), 20000u);  // a stream has all of it
  ASSERT_EQ(tbx_index_build(path.c_str(), 0, &tbx_conf_vcf), 0);
  EXPECT_NE(error_of([&] {
              VcfReader(path, std::vector<genome::Region>{{"chr2", 150'000, 160'000}});
            }).find("a.vcf.gz: is BGZF only up to byte "),
            std::string::npos);
}

TEST(VcfText, FaultsOfRecords) {
  const auto fault = [](const std::string& line) { return faults_of_record(columns_of(line)).malformed.text(); };
  const auto tolerated = [&](const std::string& line) {
    EXPECT_EQ(fault(line), "") << line;
    return faults_of_record(columns_of(line)).tolerated.text();
  };
  EXPECT_EQ(fault("1\t5\trs1;rs2\tA\tC\t0.5\tq10;s50\tDP=3;DB;AF=.\tGT\t0"), "");
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t.\t.\tDP=3;"), "");
  EXPECT_EQ(tolerated("1\t5\trs1;rs1\tA\tC\t.\t.\t."), "ID has the same value twice ('rs1;rs1')");
  EXPECT_EQ(tolerated("1\t5\trs1;\tA\tC\t.\t.\t."), "ID has an empty part ('rs1;')");
  EXPECT_EQ(tolerated("1\t5\t.;rs1\tA\tC\t.\t.\t."), "ID has . among other values ('.;rs1')");
  EXPECT_EQ(fault("1\t5\trs 1\tA\tC\t.\t.\t."), "ID is empty or has a blank ('rs 1')");
  EXPECT_EQ(fault("1\t5\t.\tA,C\tC\t.\t.\t."), "REF does not consist of bases ('A,C')");
  EXPECT_EQ(fault("1\t5\t.\tA\tC,,T\t.\t.\t."), "ALT has an empty allele, or one with a blank in it ('C,,T')");
  for (const char* good : {"-3",  "-3.2", "+5",  ".5",  "5.",   "1e-5", "1E+5",     "1e400",     "3e38",
                           "nan", "NaN",  "NAN", "inf", "-inf", "+Inf", "INFINITY", "-INFINITY", "99999999999999999999",
                           "0",   "-0"})
    EXPECT_EQ(fault(concat("1\t5\t.\tA\tC\t", good, "\t.\t.")), "") << good;
  for (const char* bad : {"1,5", "0x10", "1_000", "", "+", "-", "+-5", "--5", "-+5", "5e", "e5", "nan(1)", "infi",
                          "high", " 5", "5 ", "5%"})
    EXPECT_EQ(fault(concat("1\t5\t.\tA\tC\t", bad, "\t.\t.")).find("QUAL is not a number"), 0u) << bad;
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t1,5\t.\t."), "QUAL is not a number ('1,5')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\t0\t."), "FILTER is 0");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\tq10;q10\t."), "FILTER has the same value twice ('q10;q10')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\t.\tAC=1;;"), "INFO has an empty part ('AC=1;;')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\t.\t;AC=1;;DP=3"), "INFO has an empty part (';AC=1;;DP=3')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\tnan\tPASS\tAC=1;"), "");
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t.\tq 10\t."), "FILTER is empty or has a blank ('q 10')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\tPASS;\t."), "FILTER has an empty part ('PASS;')");
  EXPECT_EQ(tolerated("1\t5\t.\tA\tC\t.\t.\tAA=1;AA=2"), "INFO has the same key twice ('AA')");
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t.\t.\tA B=1"), "INFO has a key with a blank in it ('A B')");
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t.\t.\tA=1;=1"), "INFO has a value without a key ('=1')");
  EXPECT_EQ(fault("1\t5\t.\tA\tC\t.\t.\tGERP++_RS=1;fathmm-MKL_score=.;1000g2015aug_all=0.1"), "");  // ANNOVAR's
}

TEST(VcfText, FaultsOfMetaLines) {
  EXPECT_EQ(fault_of_meta_line("##contig=<ID=20,length=63025520>"), "");
  EXPECT_EQ(fault_of_meta_line("##source=anything goes"), "");
  EXPECT_EQ(fault_of_meta_line("##ALT=<ID=any!\"#$%&'()*+-./;=?@[]^_`{|}~>,Description=\"x\">"), "");
  EXPECT_EQ(fault_of_meta_line("##ID=<Description=\"ClinVar Variation ID\">"), "");
  EXPECT_EQ(fault_of_meta_line("##FORMAT=<ID=AD,Number=.,Type=Integer,Description=\"Depth\",Source=x>"), "");
  EXPECT_EQ(fault_of_meta_line("##INFO=<ID=A,Number=1,Type=Int,Description=\"x\">"), "has the Type 'Int'");
  EXPECT_EQ(fault_of_meta_line("##INFO=<ID=A,Number=N,Type=Float,Description=\"x\">"), "has the Number 'N'");
  EXPECT_EQ(fault_of_meta_line("##INFO=<ID=A,Number=1,Type=Float,Description=x y>"),
            "has a Description without quotation marks");
  EXPECT_EQ(fault_of_meta_line("##INFO=<ID=A,Number=1,Type=Float,Description=\"x>"),
            "has a quotation mark that is not closed");
  EXPECT_EQ(fault_of_meta_line("##contig=<length=5>"), "has no ID");
  EXPECT_EQ(fault_of_meta_line("##nothing"), "is not of the form ##KEY=VALUE");
  EXPECT_EQ(fault_of_meta_line("##reference="), "has no value");
}

}  // namespace
}  // namespace bigdna::variants
