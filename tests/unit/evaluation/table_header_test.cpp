#include "evaluation/table_header.h"

#include <gtest/gtest.h>

namespace bigdna::evaluation {
namespace {

TEST(TableHeader, ATableIsPutBelowAnotherHeader) {
  using io::TableHeader;
  const std::string table = "##a=#b\n##c=d\n#method\tvalue\nkmers\t#1\n";
  EXPECT_EQ(with_header(table, TableHeader::hash), table);
  EXPECT_EQ(with_header(table, TableHeader::plain), "method\tvalue\nkmers\t#1\n");
  EXPECT_EQ(with_header(table, TableHeader::none), "kmers\t#1\n");
  EXPECT_EQ(with_header("#a", TableHeader::plain), "a");
  EXPECT_EQ(with_header("", TableHeader::none), "");
}

}  // namespace
}  // namespace bigdna::evaluation
