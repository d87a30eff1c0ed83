#include "io/pickle.h"

#include <gtest/gtest.h>

#include "support.h"

namespace bigdna::io {
namespace {

using namespace std::string_literals;
using Kind = Pickled::Kind;

TEST(Pickle, ReadsValues) {
  // {"a": [1, -2, 1.5, None, True], "b": (255,)}, protocol 2
  const auto bytes =
      "\x80\x02}q\x00(X\x01\x00\x00\x00"
      "aq\x01]q\x02(K\x01J\xfe\xff\xff\xffG?\xf8\x00\x00\x00\x00\x00\x00N\x88"
      "eX\x01\x00\x00\x00"
      "bq\x03K\xff\x85q\x04u."s;
  const auto pickle = read_pickle(bytes, "file");
  ASSERT_TRUE(pickle.root->is(Kind::dictionary));
  const auto& items = pickle.root->find("a")->items;
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[0]->integer, 1);
  EXPECT_EQ(items[1]->integer, -2);
  EXPECT_EQ(items[2]->real, 1.5);
  EXPECT_TRUE(items[3]->is(Kind::none));
  EXPECT_EQ(items[4]->integer, 1);
  EXPECT_EQ(pickle.root->find("b")->items.at(0)->integer, 255);
  EXPECT_EQ(pickle.root->find("c"), nullptr);
}

TEST(Pickle, CallsNothing) {
  const auto pickle = read_pickle(
      "\x80\x02"
      "cos\nsystem\nX\x04\x00\x00\x00true\x85R."s,
      "file");
  EXPECT_TRUE(pickle.root->is_made_by("os.system"));
  EXPECT_EQ(pickle.root->items.at(0)->text, "true");
}

TEST(Pickle, RefusesDamagedOnes) {
  for (const auto& [bytes, cause] : {std::pair{"\x80\x02K"s, "is truncated"},
                                     {"\x80\x02."s, "takes more values than it has"},
                                     {"\x80\x02(N\x85t0."s, "takes more values than it has"},
                                     {"\x80\x02h\x07."s, "refers to a value that it does not have"},
                                     {"\x80\x02}(Nu."s, "has a key without a value"},
                                     {"\x80\x02\x82\x01."s, "has the instruction 130, which no saved model needs"}})
    EXPECT_EQ(test::error_of([&] { read_pickle(bytes, "file"); }), "file: the pickle " + std::string(cause));
}

TEST(Pickle, ValuesMayReferToThemselves) {
  const auto pickle = read_pickle("\x80\x02]q\x00h\x00"s + "a.", "file");
  EXPECT_EQ(pickle.root->items.at(0), pickle.root);
}

}  // namespace
}  // namespace bigdna::io
