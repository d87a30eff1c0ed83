#include "dataset/label_lists.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace bigdna::dataset {
namespace {

using Words = std::vector<std::string>;
using test::error_of;

LabelText column(const Words& values) {
  LabelText text{{"label"}, {}, {}};
  for (const auto& value : values) {
    text.rows.push_back({value});
    text.places.push_back("t.csv:" + std::to_string(text.rows.size() + 1));
  }
  return text;
}
Labels read(const Words& values, std::optional<LabelType> forced = {}) {
  return read_labels(column(values), forced, "t.csv");
}

TEST(LabelLists, WhatOtherProgramsWriteIsRead) {
  for (const char* text :
       {"[1, 0, 1]", "[1 0 1]", "[1  0\n 1]", "(1, 0, 1)", "c(1, 0, 1)", "{1,0,1}", "array([1, 0, 1])",
        "array([1, 0, 1], dtype=int32)", "tensor([1, 0, 1])", "[1;0;1]", "[np.int64(1), np.int64(0), np.int64(1)]",
        " [1,0,1] ", "np.array([1, 0, 1])", "['1', '0', \"1\"]"})
    EXPECT_EQ(listed(text), (Words{"1", "0", "1"})) << text;
  EXPECT_EQ(listed("[1. 0. 1.]"), (Words{"1.", "0.", "1."}));
  for (const char* text :
       {"['a', 'b c']", "[\"a\",\"b c\"]", "['a' 'b c']", "{'a', 'b c'}", "c(\"a\", \"b c\")", "('a', 'b c')",
        "[u'a', u'b c']", "[a, b c]", "frozenset({'a', 'b c'})", "[np.str_('a'), np.str_('b c')]", "list('a', 'b c')"})
    EXPECT_EQ(listed(text), (Words{"a", "b c"})) << text;
  EXPECT_EQ(listed("['it\\'s', '[b]']"), (Words{"it's", "[b]"}));
  for (const char* text : {"[]", "[ ]", "{}", "set()", "c()", "character(0)", "array([], dtype=float64)"})
    EXPECT_EQ(listed(text), Words{}) << text;
  for (const char* text : {"a", "", "[Fe-S] protein", "(promoter)", "(A)n", "c(1) protein", "p(53)", "5' UTR", "a, b"})
    EXPECT_EQ(listed(text), std::nullopt) << text;
}

TEST(LabelLists, WhatCannotBeReadIsNamed) {
  for (const auto& [text, cause] : {std::pair("[1, 0", "not closed"),
                                    {"['a, b]", "not closed"},
                                    {"[[1, 0], [0, 1]]", "a list in a list"},
                                    {"{'a': 1}", "gives names"},
                                    {"{a: 1}", "gives names"},
                                    {"c(a = 1, b = 0)", "gives names"},
                                    {"[0 0 ... 1]", "was shortened"},
                                    {"[0, ..., 1]", "was shortened"},
                                    {"[a b]", "without quotes"},
                                    {"array([1, 0", "not closed"},
                                    {"[5' UTR, b]", "not closed"}}) {
    EXPECT_NE(error_of([&] { listed(text); }).find(cause), std::string::npos)
        << text << ' ' << error_of([&] { listed(text); });
    const auto error = error_of([&] { read({"[1, 0]", text}); });
    EXPECT_TRUE(error.starts_with(std::string("t.csv:3: label '") + text)) << error;
  }
  for (const char* part : {"[a, b", "a, b]", "['a', 'b'", "{a;b", "a;'b"})
    EXPECT_TRUE(error_of([&] { read({"a", part}); }).starts_with("t.csv:3: label '")) << part;
}

TEST(LabelLists, NumbersOfOneLengthAreOneOutputForEachPlace) {
  for (const auto& rows : {Words{"[1, 0, 1]", "[0, 0, 1]", "[0, 1, 0]"},
                           {"[1 0 1]", "[0 0 1]", "[0 1 0]"},
                           {"1,0,1", "0,0,1", "0,1,0"},
                           {"1;0;1", "0;0;1", "0;1;0"},
                           {"[True, False, True]", "[False, False, True]", "[False, True, False]"}}) {
    for (const auto forced : {std::optional<LabelType>(), std::optional(LabelType::multilabel)}) {
      const auto labels = read(rows, forced);
      EXPECT_EQ(labels.type, LabelType::multilabel) << rows[0];
      EXPECT_EQ(labels.outputs, (Words{"label1", "label2", "label3"}));
      EXPECT_EQ(labels.values, (std::vector<float>{1, 0, 1, 0, 0, 1, 0, 1, 0}));
    }
  }
  for (const auto& rows :
       {Words{"0.12;0.55", "0.3;0.7", "NA"}, {"[0.12, 0.55]", "[0.3 0.7]", ""}, {"0.12,0.55", "0.3,0.7", "nan"}}) {
    const auto labels = read(rows);
    EXPECT_EQ(labels.type, LabelType::regression) << rows[0];
    EXPECT_EQ(labels.outputs, (Words{"label1", "label2"}));
    EXPECT_EQ(labels.values[3], 0.7f);
    EXPECT_FALSE(labels.any(2));
  }
  EXPECT_TRUE(std::isnan(read({"[0.5, nan]", "[1.5, 2]", "[2, 3]"}).values[1]));
  EXPECT_EQ(read({"[3, 3, 7]", "[1, 2, 7]", "[1, 2, 8]"}).type, LabelType::regression);  // no set names 3 twice
  EXPECT_EQ(read({"[3, 5]", "[2, 7]"}, LabelType::regression).outputs.size(), 2u);
  EXPECT_EQ(read({"[3, 5]", "[2, 7]"}, LabelType::multilabel).outputs, (Words{"2", "3", "5", "7"}));
  EXPECT_TRUE(error_of([] {
                read({"[3, 5]", "[2, 7]"});
              }).starts_with("t.csv:2: label '[3, 5]' is a list of 2 whole numbers"));
  EXPECT_EQ(error_of([] {
              read({"0.5;1", "2;3;4"});
            }),
            "t.csv:3: label '2;3;4' is a list of 3, but that of t.csv:2 one of 2: lists of numbers need one length");
  EXPECT_TRUE(error_of([] { read({"[1, 0, 1]", "[1, 0]"}); }).starts_with("t.csv:3: label '[1, 0]'"));
  EXPECT_TRUE(error_of([] { read({"[1, 0, 1]", "NA", "[]"}); }).starts_with("t.csv:4: label '[]'"));
}

TEST(LabelLists, NamesAreTheLabels) {
  const auto labels = read({"['a', 'b']", "[]", "['b']", "None"});
  EXPECT_EQ(labels.type, LabelType::multilabel);
  EXPECT_EQ(labels.outputs, (Words{"a", "b"}));
  EXPECT_EQ(label_text(labels, 0), "a,b");
  EXPECT_EQ(label_text(labels, 1), ".");
  EXPECT_EQ(label_text(labels, 3), "NA");
  EXPECT_EQ(read({"['a']", "[]", "['b']"}).type, LabelType::multilabel);
  EXPECT_EQ(read({"['a']", "['c']", "['b']"}).outputs, (Words{"a", "b", "c"}));
  EXPECT_EQ(read({"['a']", "['c']", "['b']"}).type, LabelType::classes);  // one name in each row
  EXPECT_EQ(read({"[1]", "[0]", "[1]"}).type, LabelType::binary);
  EXPECT_EQ(read({"'a','b'", "'b'", "c,b"}).outputs, (Words{"a", "b", "c"}));
  EXPECT_EQ(read({"1;3", "2", "2;3"}).outputs, (Words{"1", "2", "3"}));
  EXPECT_TRUE(error_of([] { read({"['a,b']", "['c']"}); }).starts_with("t.csv:2: label '['a,b']' lists 'a,b'"));
  EXPECT_EQ(read({"[1, 0]", "[0, 1]"}, LabelType::classes).outputs, (Words{"[0, 1]", "[1, 0]"}));  // what is asked for
}

TEST(LabelLists, OtherSeparatorsAreNamed) {
  for (const std::string separator : {"|", "#", "/"}) {
    const auto joined = "a" + separator + "b";
    EXPECT_TRUE(error_of([&] {
                  read({"a", joined, "b"});
                }).starts_with("t.csv:3: label '" + joined + "' joins labels by '" + separator));
    EXPECT_EQ(read({"a", joined, "c"}).type, LabelType::classes);  // a name of its own
    EXPECT_EQ(read({"a", joined, "b"}, LabelType::classes).outputs.size(), 3u);
    const auto numbers = "1" + separator + "0" + separator + "1";
    EXPECT_TRUE(error_of([&] {
                  read({numbers, numbers});
                }).starts_with("t.csv:2: label '" + numbers + "' joins labels"));
  }
  EXPECT_TRUE(error_of([] { read({"1 0", "0 1"}); }).starts_with("t.csv:2: label '1 0' joins labels by ' '"));
  EXPECT_EQ(read({"0/0", "0/1", "1/1"}).type, LabelType::classes);  // genotypes
  EXPECT_EQ(read({"strong enhancer", "enhancer", "strong"}).type, LabelType::classes);
}

}  // namespace
}  // namespace bigdna::dataset
