#include "genome/lifted_record.h"

#include <algorithm>

#include "base/error.h"
#include "io/lines.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;

// t: [100, 200) -> q [1000, 1100); 10 bases that are deleted; [210, 260) -> q [1100, 1150). t: [300, 400) -> the minus
// strand of r, 500 bp: base 300 is 399 there.
constexpr const char* kChain =
    "chain 900 t 1000 + 100 260 q 5000 + 1000 1150 1\n100 10 0\n50\n\n"
    "chain 800 t 1000 + 300 400 r 500 - 100 200 2\n100\n\n";

class LiftedRecord : public ::testing::Test {
 protected:
  /// The lifted line, or why there is none. `text`: its columns, separated by blanks.
  std::string lifted(const std::string& text, bool peaks = false) {
    io::write_file(dir_ / "in.bed", text + "\n");
    auto record = read_bed(dir_ / "in.bed").at(0);
    const auto before = to_line(record);
    const auto reason = lift(chains_, record, 0.9, peaks, "in.bed");
    std::string line = to_line(record);
    if (reason != Unlifted::none) {
      EXPECT_EQ(line, before);
      return to_string(reason);
    }
    std::ranges::replace(line, '\t', ' ');
    return line;
  }

 private:
  static std::string chain_file(const test::TempDir& dir) {
    io::write_file(dir / "c.chain", kChain);
    return dir / "c.chain";
  }
  test::TempDir dir_;
  Chains chains_{chain_file(dir_)};
};

TEST_F(LiftedRecord, ASummitStaysAtItsBase) {
  EXPECT_EQ(lifted("t 110 120 p 0 . 5.5 -1 -1 3"), "q 1010 1020 p 0 . 5.5 -1 -1 3");
  EXPECT_EQ(lifted("t 310 320 p 0 . 5.5 -1 -1 3"), "r 380 390 p 0 . 5.5 -1 -1 6");  // 10 - 1 - 3
  EXPECT_EQ(lifted("t 310 320 p 0 . 5.5 -1 -1 -1"), "r 380 390 p 0 . 5.5 -1 -1 -1");
  EXPECT_EQ(lifted("t 110 260 p 0 . 5 2 2 120"), "q 1010 1150 p 0 . 5 2 2 110");  // behind the deleted bases
  EXPECT_EQ(lifted("t 110 260 p 0 . 5 2 2 95"), "q 1010 1150 p 0 . 5 2 2 -1");    // one of them
  EXPECT_EQ(lifted("t 95 200 p 0 . 5 2 2 30"), "q 1000 1100 p 0 . 5 2 2 25");     // 5 bases are cut off
  // numbers that could be a thick part, but ten columns are a narrowPeak whatever the file is called
  EXPECT_EQ(lifted("t 310 320 p 0 . 312 314 0 3"), "r 380 390 p 0 . 312 314 0 6");
  EXPECT_EQ(lifted("t 310 320 p 0 . 312 314 0 -1"), "r 380 390 p 0 . 312 314 0 -1");
  EXPECT_EQ(lifted("t 310 320 p 0 . 312 314 0 3", /*peaks=*/true), "r 380 390 p 0 . 312 314 0 6");
  EXPECT_EQ(lifted("t 310 320 p 0 . 5 2 2 3 promoter"), "r 380 390 p 0 . 5 2 2 6 promoter");  // more columns
  EXPECT_EQ(lifted("t 310 320 p 0 . 5 2 2 3 0.1 0.9 311 319 5"), "r 380 390 p 0 . 5 2 2 6 0.1 0.9 311 319 5");  // IDR's
  EXPECT_EQ(lifted("t 310 320 p 0 . 312 314 2 -1 0.1 0.9"),
            "r 380 390 p 0 . 312 314 2 -1 0.1 0.9");  // no summit, no blocks
  EXPECT_EQ(lifted("t 310 320 p 0 . NA NA NA 3", /*peaks=*/true), "r 380 390 p 0 . NA NA NA 6");
  EXPECT_EQ(lifted("t 310 320 g 0 + 312 314 0 1 10 0"),
            "r 380 390 g 0 - 386 388 0 1 10, 0,");  // one block, not a summit
  EXPECT_EQ(lifted("t 310 320 p 0 . 5 2 2 3.5 x"), "r 380 390 p 0 . 5 2 2 3.5 x");
  EXPECT_NE(
      error_of([&] { lifted("t 310 320 p 0 . 5 2 2 10", true); }).find("in.bed:1: its summit (column 10) is '10'"),
      std::string::npos);
  EXPECT_EQ(lifted("t 310 320 p 0 . a b c 3"), "r 380 390 p 0 . a b c 3");  // other columns are copied
}

TEST_F(LiftedRecord, ThickPartsAndBlocksAreOfTheOtherAssembly) {
  EXPECT_EQ(lifted("t 110 130 g 0 + 115 120"), "q 1010 1030 g 0 + 1015 1020");
  EXPECT_EQ(lifted("t 310 330 g 0 + 315 320 0"), "r 370 390 g 0 - 380 385 0");
  EXPECT_EQ(lifted("t 310 330 g 0 + 310 310"), "r 370 390 g 0 - 370 370");  // none
  EXPECT_EQ(lifted("t 310 330 g 0 + 3 4"), "r 370 390 g 0 - 3 4");          // not within the record
  EXPECT_EQ(lifted("t 110 260 g 0 + 120 250 0 2 50,60, 0,90,"), "q 1010 1150 g 0 + 1020 1140 0 2 50,50, 0,90,");
  EXPECT_EQ(lifted("t 310 340 g 0 + 312 338 0 2 5,10 0,20"), "r 360 390 g 0 - 362 388 0 2 10,5, 0,25,");
  EXPECT_EQ(lifted("t 110 260 g 0 + 110 260 0 3 50,5,40, 0,92,110,"), "Block deleted in new");
  EXPECT_EQ(lifted("t 310 340 g 0 + x y z 2 some text"), "r 360 390 g 0 - x y z 2 some text");
  for (const char* blocks : {"2 5,10, 0,19,", "2 5,10, 1,20,", "2 25,10, 0,20,", "1 0, 0,"})
    EXPECT_NE(error_of([&] { lifted(concat("t 310 340 g 0 + 312 338 0 ", blocks)); }).find("in.bed:1: its blocks"),
              std::string::npos)
        << blocks;
}

}  // namespace
}  // namespace bigdna::genome
