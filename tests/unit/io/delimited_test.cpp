#include "io/delimited.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& text, std::vector<int64_t>* lines = nullptr) {
  const test::TempDir folder;
  write_file(folder / "t.csv", text);
  DelimitedReader reader(folder / "t.csv");
  std::vector<Row> rows{reader.columns()};
  while (const auto row = reader.next()) {
    rows.push_back(*row);
    if (lines) lines->push_back(reader.line());
  }
  return rows;
}

std::string error_of(const std::string& text) {
  try {
    rows_of(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find("t.csv"));
  }
  return "";
}

TEST(Delimited, CommasTabsQuotesAndLineEnds) {
  EXPECT_EQ(rows_of("a,b\n1,2\n"), (std::vector<Row>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(rows_of("\xEF\xBB\xBF#a\tb,c\r\n1,5\t \"\r\n\r\n\t"),
            (std::vector<Row>{{"a", "b,c"}, {"1,5", " \""}, {"", ""}}));
  std::vector<int64_t> lines;
  EXPECT_EQ(rows_of("a,\"b,\"\"x\"\n\n\"1\n\n2\",\"\"\n3,\"\"\"\"", &lines),
            (std::vector<Row>{{"a", "b,\"x"}, {"1\n\n2", ""}, {"3", "\""}}));
  EXPECT_EQ(lines, (std::vector<int64_t>{3, 6}));
  EXPECT_EQ(rows_of("a\n\"\"\nx"), (std::vector<Row>{{"a"}, {""}, {"x"}}));
}

TEST(Delimited, ErrorsNameTheLine) {
  EXPECT_EQ(error_of(""), "t.csv: is empty (a header line was expected)");
  EXPECT_EQ(error_of("a,b\n1\n"), "t.csv:2: 1 field, but the header has 2");
  EXPECT_EQ(error_of("a,b\n1,2\n1,2,3\n"), "t.csv:3: 3 fields, but the header has 2");
  EXPECT_EQ(error_of("a,b\n1,2\"\n"), "t.csv:2: field 2 holds a quote but does not begin with one");
  EXPECT_EQ(error_of("a,b\n\"1\"x,2\n"), "t.csv:2: field 1 has text after its closing quote");
  EXPECT_EQ(error_of("a,b\n1,2\n1,\"2\n3,4\n"), "t.csv:3: the quote that begins field 2 is never closed");
  EXPECT_EQ(error_of("a,b,a\n"), "t.csv:1: two columns are called 'a'");
  EXPECT_EQ(error_of("a,,b\n"), "t.csv:1: column 2 of the header has no name");
  EXPECT_EQ(error_of(",a,b\n"),
            "t.csv:1: column 1 of the header has no name (if it is an index that pandas wrote, to_csv(index=False) "
            "leaves it out)");
}

TEST(Delimited, FormsOfTables) {
  const test::TempDir folder;
  write_file(folder / "t.tsv", "#a\tb\n# x\n\"1\t2\"\n#\t\n");
  DelimitedReader plain(folder / "t.tsv", {.quotes = false, .comments = true});
  EXPECT_EQ(plain.columns(), (Row{"a", "b"}));
  EXPECT_EQ(plain.next(), (Row{"\"1", "2\""}));
  EXPECT_EQ(plain.next(), std::nullopt);
  EXPECT_EQ(plain.comments(), 2);

  write_file(folder / "w.tsv", "\"x,y\"\t8\nz\n");
  auto bare = DelimitedReader::without_header(folder / "w.tsv", {"name", "weight"});
  EXPECT_EQ(bare.next(), (Row{"x,y", "8"}));
  EXPECT_NE(test::error_of([&] { bare.next(); }).find("w.tsv:2: 1 field between tabs, but a row has 2"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::io
