#include "dataset/table_rows.h"

#include <filesystem>

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

using test::TempDir;

TEST(TableRows, TheFolderBelowTheSplitIsTheClass) {
  const TempDir dir;
  for (const std::string split : {"train", "test"})
    for (const std::string name : {"gene/part1.fa", "gene/human/part2.v2.fa", "other/train.fa"}) {
      const std::string path = dir / split + "/" + name;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      io::write_file(path, ">" + split + name + "\nACGT\n");
    }
  const auto table = read_tables({{dir.path()}, {}, {}});
  ASSERT_EQ(table.rows.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const auto& name = table.rows[i].name;
    EXPECT_EQ(table.rows[i].split, name.starts_with("train") ? Split::train : Split::test) << name;
    EXPECT_EQ(table.labels.rows[i][0], name.find("gene") == name.npos ? "other" : "gene") << name;
  }
}

TEST(TableRows, RowsWithoutAGroupAreAGroupEach) {
  const TempDir dir;
  io::write_file(dir / "t.csv", "sequence,label,g\nA,1,x\nC,0,\nG,1,NA\nT,0,.\nAC,1,x\nAG,0,row2\n");
  testing::internal::CaptureStderr();
  TableInputs inputs{{dir / "t.csv"}, {}, {}};
  inputs.columns.group = "g";
  const auto table = read_tables(inputs);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("3 of 6 rows have no group (g is empty or a missing value)"),
            std::string::npos);
  std::vector<std::string> groups;
  for (const auto& row : table.rows) groups.push_back(row.group);
  EXPECT_EQ(groups, (std::vector<std::string>{"x", "row2_", "row3", "row4", "x", "row2"}));
  io::write_file(dir / "t.fa", ">a|1\nACGT\n");
  inputs.paths = {dir / "t.fa"};
  EXPECT_NE(
      test::error_of([&] { read_tables(inputs); }).find("t.fa: is FASTA, which has no columns (--group-column g)"),
      std::string::npos);
}

}  // namespace
}  // namespace bigdna::dataset
