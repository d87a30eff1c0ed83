#include "base/table.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "support.h"

namespace bigdna {
namespace {

struct Fruit {
  std::string_view name;
  int price;
};
constexpr std::array kFruits{Fruit{"apple", 3}, Fruit{"pear", 4}, Fruit{"fig", 9}};
constexpr const char* kColours[] = {"red", "green"};

TEST(Table, RowsAreFoundByTheirWholeNames) {
  EXPECT_EQ(find_row(kFruits, "pear"), &kFruits[1]);
  EXPECT_EQ(find_row(std::span(kFruits).subspan(2), "pear"), nullptr);
  EXPECT_EQ(find_row(kFruits, "pea"), nullptr);
  EXPECT_EQ(find_row(kFruits, ""), nullptr);
  EXPECT_EQ(find_row(kColours, "green"), &kColours[1]);
  EXPECT_EQ(row_named(kFruits, "fig", "fruit").price, 9);
  std::vector<Fruit> own{{"plum", 1}};
  row_named(own, "plum", "fruit").price = 2;
  EXPECT_EQ(own[0].price, 2);
}

TEST(Table, AnErrorNamesTheChoices) {
  EXPECT_EQ(test::error_of([] { row_named(kFruits, "plum", "fruit"); }), "unknown fruit plum (apple, pear, fig)");
  EXPECT_THROW(row_named(kColours, "blue", "colour"), UsageError);
  EXPECT_EQ(listed(row_names(kColours), "|"), "red|green");
  EXPECT_EQ(listed({}), "");
}

}  // namespace
}  // namespace bigdna
