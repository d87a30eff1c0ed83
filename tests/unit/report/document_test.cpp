#include "report/document.h"

#include <gtest/gtest.h>

#include "io/json.h"

namespace bigdna::report {
namespace {

/// What report.js reads from a page.
Json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto begin = page.find(open) + open.size();
  return io::parse_json(page.substr(begin, page.find("</script>", begin) - begin), "page");
}

Item item(const std::string& name) {
  Item item;
  item.name = name;
  item.what = "run";
  item.facts = {{"key", name}};
  Section section{"bars", name, name, {name, "rows"}};
  section.add(name, 3);
  item.add(std::move(section));
  return item;
}

TEST(Number, SixDigitsAndNoneForNaN) {
  EXPECT_EQ(number(0.123456789).dump(), "0.123457");
  EXPECT_EQ(number(1234567).dump(), "1234567");  // whole numbers keep theirs
  EXPECT_EQ(number(1.5e-12).dump(), "1.5e-12");
  EXPECT_TRUE(number(NAN).is_null());
  EXPECT_TRUE(number(INFINITY).is_null());
}

TEST(Page, NoTextOfAFileEndsTheScriptThatHoldsIt) {
  for (const std::string name : {"</script><script>alert(1)</script>", "<!--<script>", "a\"b\\c", "\xff not UTF-8"}) {
    const auto page = html({item(name)});
    const auto json = data_of(page);
    if (name.front() != '\xff') {
      EXPECT_EQ(json["items"][0]["sections"][0]["rows"][0][0], name);
    }
    EXPECT_EQ(page.find("alert(1)<"), std::string::npos);
    EXPECT_EQ(page.find("<!--<"), std::string::npos);
  }
}

TEST(Page, NeedsNoOtherFile) {
  const auto page = html({item("a")});
  EXPECT_EQ(page, html({item("a")}));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* loads : {"<script src", "<img", "@import"}) EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  EXPECT_NE(page.find("Interactive Data Lab"), std::string::npos);  // the licence travels with the library
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(Item, ASectionWithoutRowsIsLeftOut) {
  Item item;
  item.add({"bars", "empty", "", {"a"}});
  EXPECT_TRUE(item.sections.empty());
}

TEST(Item, AFigureIsThatOfAllRows) {
  Item item;
  item.figures = {{"bigdna", "CpG promoters", "auroc", 0.9}, {"bigdna", "all", "auroc", 0.8}};
  EXPECT_EQ(item.figure("bigdna", "auroc").value, 0.8);
  EXPECT_TRUE(std::isnan(item.figure("kmers", "auroc").value));
}

}  // namespace
}  // namespace bigdna::report
