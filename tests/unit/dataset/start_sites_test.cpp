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
