#include "dataset/table_positions.h"

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

using test::error_of;

/// Reads the table, and keeps what is said.
struct Read {
  explicit Read(const std::string& text) {
    const test::TempDir dir;
    io::write_file(dir / "t.csv", text);
    testing::internal::CaptureStderr();
    try {
      table = read_tables({{dir / "t.csv"}, {}, {}});
    } catch (const Error& error) {
      cause = std::string(error.what()).substr((dir / "").size());
    }
    said = testing::internal::GetCapturedStderr();
  }
  std::string first() const { return genome::to_string(*table.rows.at(0).place); }
  LabelledTable table;
  std::string cause, said;
};

TEST(TablePositions, AWidthOfBothEndsSaysThatTheyCountFromOne) {
  for (const std::string name : {"width", "Length"}) {
    const Read table("chrom,start,end," + name + ",label\n1,11,20,10,a\n1,30,30,1,b\n");
    EXPECT_EQ(*table.table.rows.at(0).place, (genome::Region{"1", 10, 20, '.'})) << table.cause;
    EXPECT_EQ(*table.table.rows.at(1).place, (genome::Region{"1", 29, 30, '.'}));
    EXPECT_NE(table.said.find("positions are read as 1-based and closed: the column " + name + " is end - start + 1"),
              std::string::npos);
    EXPECT_EQ(table.said.find("warning"), std::string::npos);
  }
  for (const std::string table : {"chrom,start,end,peak_len,label\n1,11,20,10,a\n1,30,31,NA,b\n",  // one is missing
                                  "chrom,start,end,n,label\n1,11,20,10,a\n1,30,30,1,b\n"})  // numbers that differ
    EXPECT_EQ(Read(table).first(), "1:11-20") << table;
  EXPECT_EQ(Read("chrom,start,end,n,label\n1,11,20,10,a\n1,31,40,10,b\n").first(), "1:12-20");  // it may mean anything
  EXPECT_EQ(Read("chrom,start,end,width,label\n1,0,20,21,a\n1,30,39,10,b\n").cause,
            "t.csv:2: start 0, but positions are 1-based: the column width is end - start + 1 in every row");
  EXPECT_EQ(Read("chrom,start,end,width,label\n1,5,4,0,a\n").cause,
            "t.csv:2: the interval is empty (end = start)");  // R's empty range
}

TEST(TablePositions, OtherWidthsLeaveThemAsInBed) {
  for (const std::string rows : {"1,11,20,9,a\n1,30,31,1,b\n", "1,11,20,9,a\n1,30,31,2,b\n",
                                 "1,11,20,NA,a\n1,30,31,NA,b\n", "1,11,20,5,a\n1,30,31,7,b\n"}) {
    const Read table("chrom,start,end,width,label\n" + rows);
    EXPECT_EQ(*table.table.rows.at(0).place, (genome::Region{"1", 11, 20, '.'})) << rows << table.cause;
    EXPECT_EQ(table.said, "");
  }
  EXPECT_EQ(Read("chrom,start,end,label\n1,9,9,a\n").cause, "t.csv:2: the interval is empty (end = start)");
  EXPECT_EQ(Read("chrom,start,end,label\n1,9,8,a\n").cause, "t.csv:2: end 8 is not after start 9");
}

TEST(TablePositions, TablesOfRCountFromOneUnlessTheirWidthSaysOtherwise) {
  const Read of_r("\"seqnames\",\"start\",\"end\",\"width\",\"strand\",\"label\"\n\"chr1\",11,20,10,\"*\",\"a\"\n");
  EXPECT_EQ(*of_r.table.rows.at(0).place, (genome::Region{"chr1", 10, 20, '.'})) << of_r.cause;
  EXPECT_EQ(of_r.said.find("warning"), std::string::npos);
  const Read without("seqnames,start,end,label\nchr1,11,20,a\n");
  EXPECT_EQ(without.table.rows.at(0).place->start, 10);
  EXPECT_NE(without.said.find("warning: "), std::string::npos);
  EXPECT_NE(without.said.find("1-based and closed: a table of R has the column seqnames (call seqnames chrom if"),
            std::string::npos);
  const Read half_open("seqnames,start,end,width,label\nchr1,11,20,9,a\n");
  EXPECT_EQ(half_open.table.rows.at(0).place->start, 11);
  EXPECT_EQ(half_open.said, "");
  EXPECT_EQ(Read("seqnames,start,end,label\nchr1,5,7,a\nchr1,0,20,a\n").cause.substr(0, 47),
            "t.csv:3: start 0, but positions are 1-based: a ");
}

}  // namespace
}  // namespace bigdna::dataset
