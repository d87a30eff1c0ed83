#include "dataset/start_sites.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

std::string file(const std::string& name, const std::string& content) {
  static const test::TempDir folder;
  const std::string path = folder / name;
  io::write_file(path, content);
  return path;
}

TEST(PromoterInterval, IsDesignsOnBothStrands) {
  const StartSite plus{"1", 10000, '+', "", 0}, minus{"1", 10000, '-', "", 0};
  EXPECT_EQ(promoter_interval(plus, 5000, 3000), (genome::Region{"1", 5000, 13000, '+'}));
  EXPECT_EQ(promoter_interval(minus, 5000, 3000), (genome::Region{"1", 7001, 15001, '-'}));
  EXPECT_EQ(promoter_interval(plus, 249, 51), (genome::Region{"1", 9751, 10051, '+'}));
  EXPECT_EQ(promoter_interval(minus, 249, 51).length(), 300);
}

TEST(StartSites, BedSixTakesTheFivePrimeEnd) {
  const auto sites =
      read_start_sites(file("six.bed", "track x\n1\t10\t11\ta\t0\t+\n1\t20\t100\tb\t0\t-\n1\t20\t100\tc\t0\t+\n"));
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].position, 10);
  EXPECT_EQ(sites[1].position, 99);
  EXPECT_EQ(sites[1].strand, '-');
  EXPECT_EQ(sites[2].position, 20);
  EXPECT_EQ(sites[2].name, "c");
}

TEST(StartSites, ThickPartsOfEpdnewAndFantom) {
  testing::internal::CaptureStderr();
  const auto sites = read_start_sites(file("epd.bed",
                                           "chr1 166839429 166839489 POGK_1 900 + 166839478 166839489\n"
                                           "chr1 894625 894685 NOC2L_1 900 - 894625 894636\n"
                                           "chr1\t100\t140\tp1@A\t9\t+\t120\t121\t0,0,0\n"
                                           "chr1\t100\t140\tp1@B\t9\t-\t120\t121\t0,0,0\n"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find(": 4 of 4 start sites are the 5' ends of the thick part"),
            std::string::npos);
  ASSERT_EQ(sites.size(), 4u);
  EXPECT_EQ(sites[0].position, 166839478);
  EXPECT_EQ(sites[1].position, 894635);
  EXPECT_EQ(sites[2].position, 120);
  EXPECT_EQ(sites[3].position, 120);
}

TEST(StartSites, OtherRecordsAreReadFromTheirOwnFivePrimeEnd) {
  const auto said_of = [](const std::string& further) {
    testing::internal::CaptureStderr();
    const auto sites = read_start_sites(file("other.bed", "1\t100\t160\ta\t0\t+\t" + further + "\n"));
    EXPECT_EQ(sites.at(0).position, 100) << further;
    return testing::internal::GetCapturedStderr();
  };
  for (const std::string whole_empty_blocks_or_scores :
       {"100\t160", "120\t120", "130\t120", "110", ".\t.", "x\ty", "120.5\t130.5", "110\t130\t0\t1\t60,\t0,",
        "13.2\t4.5\t-1\t30", "5\t12\t-1\t30", "-1\t-1", "5\t900"})
    EXPECT_EQ(said_of(whole_empty_blocks_or_scores), "");
  EXPECT_NE(said_of("149\t161").find("other.bed:1: 1 of 1 start site has a thick part (columns 7 and 8) outside"),
            std::string::npos);
  const auto transcript = read_start_sites(file("long.bed", "1\t100\t1101\ta\t0\t+\t120\t130\n"));
  EXPECT_EQ(transcript.at(0).position, 100);
}

TEST(StartSites, BedThreeAndTables) {
  const auto bed = read_start_sites(file("three.bed", "1\t10\t11\n"));
  EXPECT_EQ(bed.at(0).strand, '+');
  const auto table = read_start_sites(file("table.txt", "1\t10\t+\n2\t30\t-\n"));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[1].contig, "2");
  EXPECT_EQ(table[1].position, 30);
  EXPECT_EQ(table[1].strand, '-');
}

TEST(StartSites, ErrorsNameFileAndLine) {
  const auto message = [](const std::string& path) {
    try {
      read_start_sites(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message(file("wide.bed", "1\t10\t12\n")).find("wide.bed:1: a record of 2 bp without a strand"),
            std::string::npos);
  EXPECT_NE(message(file("bad.txt", "1\t10\t+\n1\tx\t-\n")).find("bad.txt:2: the position is not a number"),
            std::string::npos);
  EXPECT_NE(message(file("empty.bed", "# nothing\n")).find("has no start sites"), std::string::npos);
  EXPECT_NE(message("/no/such.bed").find("/no/such.bed"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::dataset
