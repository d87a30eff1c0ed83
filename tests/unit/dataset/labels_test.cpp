#include "dataset/labels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "support.h"

namespace bigdna::dataset {
namespace {

LabelText column(const std::vector<std::string>& values) {
  LabelText text{{"label"}, {}, {}};
  for (const auto& value : values) {
    text.rows.push_back({value});
    text.places.push_back("t.csv:" + std::to_string(text.rows.size() + 1));
  }
  return text;
}
Labels read(const LabelText& text, std::optional<LabelType> forced = {}) { return read_labels(text, forced, "t.csv"); }

TEST(Labels, TypesAreRecognised) {
  EXPECT_EQ(read(column({"0", "1", "1.0"})).type, LabelType::binary);
  EXPECT_EQ(read(column({"No", "YES"})).values, (std::vector<float>{0, 1}));
  EXPECT_EQ(read(column({"2", "0", "1"})).type, LabelType::classes);
  EXPECT_EQ(read(column({"b", "a", "10"})).outputs, (std::vector<std::string>{"10", "a", "b"}));
  EXPECT_EQ(read(column({"10", "9", "a"}), LabelType::classes).values, (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(read(column({"10", "9", "9"}), LabelType::classes).outputs, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(read(column({"2", "1", "5"})).type, LabelType::regression);  // whole numbers with gaps are measurements
  std::vector<std::string> ranks;
  for (int i = 0; i < 60; ++i) ranks.push_back(std::to_string(i));
  EXPECT_EQ(read(column(ranks)).type, LabelType::regression);  // each once: no class has two rows
  ranks.insert(ranks.end(), ranks.begin(), ranks.end());
  EXPECT_EQ(read(column(ranks)).type, LabelType::classes);
  EXPECT_EQ(read(column({"a,b", "b"})).values, (std::vector<float>{1, 1, 0, 1}));
  EXPECT_EQ(read(column({"a;b", "", "c"})).outputs, (std::vector<std::string>{"a", "b", "c"}));
  const auto numbers = read(column({"-1.5", "NA", "2e3", "nan", ""}));
  EXPECT_EQ(numbers.type, LabelType::regression);
  EXPECT_TRUE(std::isnan(numbers.values[1]) && std::isnan(numbers.values[3]) && std::isnan(numbers.values[4]));
  EXPECT_EQ(numbers.values[2], 2000);
  LabelText two{{"a", "b"}, {{"0", "1"}, {"1", "0"}}, {"t.csv:2", "t.csv:3"}};
  EXPECT_EQ(read(two).type, LabelType::multilabel);
  two.rows[1][0] = "0.5";
  EXPECT_EQ(read(two).type, LabelType::regression);
}

TEST(Labels, CountsAreReadWhereTheyAreAskedFor) {
  EXPECT_NE(read(column({"3", "0", "12"})).type, LabelType::counts);
  const auto counts = read(column({"3", "0", "12", "0.5"}), LabelType::counts);
  EXPECT_EQ(counts.type, LabelType::counts);
  EXPECT_EQ(counts.values, (std::vector<float>{3, 0, 12, 0.5}));
  EXPECT_EQ(counts.outputs, (std::vector<std::string>{"label"}));
  EXPECT_EQ(label_text(counts, 2), "12");
  for (const auto& [label, cause] :
       {std::pair("-1", "below 0"), {"NaN", "missing"}, {"", "missing"}, {"x", "not a number"}})
    EXPECT_TRUE(test::error_of([&] {
                  read(column({"3", label, "12"}), LabelType::counts);
                }).starts_with(concat("t.csv:3: label '", label, "' is ", cause)))
        << label;
}

TEST(Labels, MissingValuesDoNotChangeTheType) {
  for (const std::string missing : {"", "NA", "nan"}) {
    const auto binary = read(column({"1.0", missing, "0", "1"}));
    EXPECT_EQ(binary.type, LabelType::binary) << missing;
    EXPECT_TRUE(std::isnan(binary.values[1]));
    EXPECT_EQ(binary.values[2], 0);
    EXPECT_EQ(label_text(binary, 1), "NA");
    EXPECT_EQ(read(column({"yes", missing, "no"})).type, LabelType::binary);
    const auto classes = read(column({"0", "2", missing, "1"}));
    EXPECT_EQ(classes.type, LabelType::classes);
    EXPECT_EQ(classes.outputs, (std::vector<std::string>{"0", "1", "2"}));
    EXPECT_TRUE(std::isnan(classes.values[2]));
    EXPECT_EQ(label_text(classes, 2), "NA");
    EXPECT_EQ(read(column({"10", missing, "9"}), LabelType::binary).values[2], 0);
  }
}

TEST(Labels, WordsForMissingValuesMeanOneThingInEveryColumn) {
  for (const std::string missing : {"", "NA", "nan", "NaN", "None", "<NA>", "null", "NULL", "N/A", "#N/A", "-", "."}) {
    for (const auto& values : {std::vector<std::string>{"a", missing, "b"},
                               {"0", missing, "1"},
                               {"0.5", missing, "7"},
                               {"yes", missing, "no"},
                               {"2", missing, "1", "0"}}) {
      ::testing::internal::CaptureStderr();
      const auto labels = read(column(values));
      const auto warning = ::testing::internal::GetCapturedStderr();
      EXPECT_FALSE(labels.any(1)) << values[0] << ' ' << missing;
      EXPECT_TRUE(labels.any(0) && labels.any(2)) << missing;
      EXPECT_EQ(std::ranges::count(labels.outputs, missing), 0) << missing;
      const auto expected = "column label: rows whose label is missing are left out: " +
                            (missing.empty() ? "empty" : "'" + missing + "'") + " (1 row); --label-type classes";
      EXPECT_EQ(warning.find(expected) != warning.npos, values[0] == "a") << warning;  // it may be a name there
    }
    if (missing.empty()) continue;
    EXPECT_EQ(read(column({"a", missing, "b"}), LabelType::classes).outputs.size(), 3u);
    EXPECT_TRUE(read(column({"1.5", missing, "2"}), LabelType::regression).any(0));
    EXPECT_EQ(read(column({"+", missing}), LabelType::binary).type, LabelType::binary);
    const LabelText two{{"a", "b"}, {{"0.5", missing}, {"1.5", missing}}, {"t.csv:2", "t.csv:3"}};
    EXPECT_NE(test::error_of([&] { read(two); }).find("column b has no number"), std::string::npos);
  }
  EXPECT_EQ(test::error_of([] { read(column({"None", "nan"})); }), "t.csv: no row has a label");
}

TEST(Labels, OneNumberIsOneClass) {
  const auto classes = read(column({"0", "2", "1", "2.0"}));
  EXPECT_EQ(classes.outputs, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(classes.values, (std::vector<float>{0, 2, 1, 2}));
  EXPECT_EQ(read(column({"9", "10", "9.0"}), LabelType::binary).values, (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(read(column({"2", "2.0", "a"}), LabelType::classes).outputs, (std::vector<std::string>{"2", "2.0", "a"}));
}

TEST(Labels, ForcedBinaryTakesAnyTwoValues) {
  EXPECT_EQ(read(column({"b", "a", "b"}), LabelType::binary).values, (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(read(column({"10", "9"}), LabelType::binary).values, (std::vector<float>{1, 0}));
  EXPECT_EQ(read(column({"9.5", "10.5"}), LabelType::binary).values, (std::vector<float>{0, 1}));
  EXPECT_EQ(read(column({"-0.5", "-1.5"}), LabelType::binary).values, (std::vector<float>{1, 0}));
  const auto missing = read(column({"10.5", "NA", "9.5"}), LabelType::binary);
  EXPECT_TRUE(std::isnan(missing.values[1]));
  EXPECT_EQ(missing.values[0], 1);
  EXPECT_EQ(read(column({"10.5", "9.5", "1e2"}), LabelType::classes).outputs,
            (std::vector<std::string>{"9.5", "10.5", "1e2"}));
}

TEST(Labels, SeveralColumnsNeedAllLabelsOfARow) {
  LabelText two{{"t1", "t2"}, {{"0", "1"}, {"1", "NA"}, {"1", "0"}}, {"t.csv:2", "t.csv:3", "t.csv:4"}};
  const std::string error =
      "t.csv:3: t2 is missing, but other labels of the row are not: of several columns of 0 and 1 a row needs all "
      "(--label-type regression accepts missing ones; --label-columns makes a dataset of one column)";
  EXPECT_EQ(test::error_of([&] { read(two); }), error);
  EXPECT_EQ(test::error_of([&] { read(two, LabelType::multilabel); }), error);
  EXPECT_EQ(read(two, LabelType::regression).type, LabelType::regression);
  two.rows[1][0] = "";  // a row without any label will be dropped
  const auto labels = read(two);
  EXPECT_EQ(labels.type, LabelType::multilabel);
  EXPECT_TRUE(std::isnan(labels.values[2]) && std::isnan(labels.values[3]));
  EXPECT_EQ(labels.values[4], 1);
  EXPECT_EQ(label_text(labels, 1), "NA");
  two.rows[1] = {"0.5", "NA"};
  EXPECT_EQ(read(two).type, LabelType::regression);
  two.rows = {{"no", "yes"}, {"yes", "no"}, {"", "no"}};
  EXPECT_EQ(test::error_of([&] { read(two); }),
            "t.csv:4: t1 is missing, but other labels of the row are not: of several columns of 0 and 1 a row needs "
            "all (--label-columns makes a dataset of one column)");
}

TEST(Labels, AnEmptyListIsNoneOfTheWordsAndNaIsMissing) {
  const auto labels = read(column({"a;b", "", "NA", "b", "nan", "."}));
  EXPECT_EQ(labels.type, LabelType::multilabel);
  EXPECT_EQ(labels.outputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(label_text(labels, 1), ".");
  EXPECT_EQ(label_text(labels, 2), "NA");
  EXPECT_EQ(label_text(labels, 3), "b");
  EXPECT_TRUE(std::isnan(labels.values[8]) && std::isnan(labels.values[9]));
  EXPECT_EQ(label_text(labels, 5), ".");
  EXPECT_EQ(test::error_of([] {
              read(column({"a;b", "HA;NA"}));
            }),
            "t.csv:3: label 'HA;NA' lists NA among labels, which alone is a missing label (give it another name)");
}

TEST(Labels, WhatDoesNotFitIsNamed) {
  const auto error = [](const LabelText& text, std::optional<LabelType> forced = {}) {
    return test::error_of([&] { read(text, forced); });
  };
  EXPECT_EQ(error(column({"0.5", "1e39"})), "t.csv:3: label '1e39' is beyond the range of 32-bit floats");
  EXPECT_EQ(error(column({"0", "1", "2"}), LabelType::binary), "t.csv:4: label '2' is neither 0 nor 1");
  EXPECT_EQ(error(column({"1.5", "x"}), LabelType::regression), "t.csv:3: label 'x' is not a number");
  EXPECT_EQ(error(column({"inf", "1"}), LabelType::regression), "t.csv:2: label 'inf' is not a number");
  EXPECT_EQ(error(column({"a", "a"})), "t.csv: every row has the label a, so there is nothing to learn");
  EXPECT_EQ(error(column({"a", ""})), "t.csv: every row has the label a, so there is nothing to learn");
  EXPECT_EQ(error(column({"a", ""}), LabelType::classes), "t.csv:3: label is empty");
  EXPECT_EQ(error(column({"a\tb", "c"})), "t.csv: the class 'a\tb' contains a tab or a line end");
  EXPECT_EQ(error(column({"a", "b\xe9"})), "t.csv:3: label 'b\xe9' is not UTF-8");
  EXPECT_EQ(error(LabelText{{"a", "b\xe9"}, {{"0", "1"}, {"1", "0"}}, {"t.csv:2", "t.csv:3"}}),
            "t.csv: the label 'b\xe9' is not UTF-8");
  EXPECT_EQ(error(column({"a,b\nc", "d"})), "t.csv: the label 'b\nc' contains a tab or a line end");
  EXPECT_EQ(error(LabelText{{"a", "b\tc"}, {{"0", "1"}, {"1", "0"}}, {"t.csv:2", "t.csv:3"}}),
            "t.csv: the label 'b\tc' contains a tab or a line end");
  EXPECT_EQ(error(column({"7", "7"}), LabelType::regression),
            "t.csv: column label has the same value in every row: there is nothing to learn");
  EXPECT_EQ(error(LabelText{{"a", "b"}, {{"1", "1"}, {"0", "x"}}, {"t.csv:2", "t.csv:3"}}),
            "t.csv:3: b 'x' is not a number: several label columns must hold 0 and 1, or numbers (classes are one "
            "column)");
  std::vector<std::string> many;
  for (int i = 0; i < 1001; ++i) many.push_back("c" + std::to_string(i));
  EXPECT_EQ(test::error_of([&] { read(column(many), LabelType::classes); }),
            "t.csv: column label has more than 1000 classes (--label-type regression, for numbers)");
}

TEST(Labels, NumbersThatAreNotReadAreNamed) {
  const auto error = [](std::vector<std::string> values) { return test::error_of([&] { read(column(values)); }); };
  const std::string not_read = " is not a number: decimal commas and thousands separators are not read";
  for (const std::string number : {"5,39", "4,821", "1.234,5", "1,234,567", "12'345", "-0,5", "1 200", "3,1e-5",
                                   "1\xC2\xA0"
                                   "200",
                                   "1.234.567", "1_000"}) {
    const std::string text = "label '" + number + "'" + not_read;
    EXPECT_TRUE(error({"1.5", number, "2"}).starts_with("t.csv:3: " + text)) << number;
    EXPECT_TRUE(error({number, number, number}).starts_with("t.csv:2: " + text)) << number;
    EXPECT_NE(test::error_of([&] {
                read(column({"1", number}), LabelType::regression);
              }).find(not_read),
              std::string::npos);
  }
  EXPECT_EQ(read(column({"5,39", "4", "39"}), LabelType::multilabel).outputs,
            (std::vector<std::string>{"4", "5", "39"}));  // what is asked for
  for (const std::string list : {"3,7,12", "1;5", "a,5", "1,2,"})
    EXPECT_EQ(read(column({list, "5"})).type, LabelType::multilabel) << list;
  for (const std::string number :
       {"5.1%", "5 %", "<0.05", ">= 3", "~7",
        "5.0\xC2\xB1"
        "0.1",
        "5,0 +/- 0.1", "38 nM", "1.5 mg/ml", "1,5 \xC2\xB5M", "2.5*", "3**", "(1.2)", "1.5D+00",
        "\xE2\x88\x92"
        "1.5",
        "\xE2\x89\xA4"
        "2"}) {
    const std::string text = "label '" + number + "' is not a number: signs and units next to it are not read";
    EXPECT_TRUE(error({"1.5", number, "2"}).starts_with("t.csv:3: " + text)) << error({"1.5", number, "2"});
    EXPECT_TRUE(error({number, number}).starts_with("t.csv:2: " + text)) << number;
    EXPECT_EQ(read(column({number, "2"}), LabelType::classes).outputs.size(), 2u);
  }
  for (const std::string word :
       {"<low>", "%", "+/-", "a%", "~", "3UTR", "+-1", "3 untranslated", "chr 5", "#a!b", "2D", "(a)", "*1"})
    EXPECT_EQ(read(column({word, "other", "low"})).type, LabelType::classes) << word;
  std::vector<std::string> few;  // whole numbers that repeat, and one word
  for (int i = 0; i < 60; ++i) few.push_back(std::to_string(i % 4));
  few[7] = "x";
  EXPECT_EQ(error(few),
            "t.csv:9: label 'x' is not a number, but 59 of 60 labels are (--label-type classes or multilabel, if they "
            "are names)");
  few[7] = "a,b";
  EXPECT_NE(error(few).find("t.csv:9: label 'a,b' is not a number"), std::string::npos);
  EXPECT_EQ(read(column(few), LabelType::classes).outputs.size(), 5u);
}

TEST(Labels, BlanksThatNobodySeesArePartOfNoName) {
  for (const std::string blank : {" ", "\xC2\xA0", "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xE3\x80\x80"})
    EXPECT_EQ(read(column({"on", "off", "on" + blank, blank + "off", "half"})).outputs.size(), 3u) << blank;
}

TEST(Labels, WhatIsHardlyANameIsNamedWithItsLine) {
  const auto error = [](std::vector<std::string> values) { return test::error_of([&] { read(column(values)); }); };
  for (const std::string infinite : {"inf", "-Infinity", "+INF"})  // among numbers that repeat: no class
    EXPECT_EQ(error({"1.5", "2.5", infinite, "1.5", "2.5", infinite}),
              "t.csv:4: label '" + infinite + "' is not a finite number (--label-type classes, if it is a name)");
  EXPECT_EQ(read(column({"inf", "sup", "inf"})).type, LabelType::classes);
  for (const std::string cell : {"#DIV/0!", "#VALUE!", "#NAME?"})
    EXPECT_EQ(error({"promoter", cell, "enhancer"}),
              "t.csv:3: label '" + cell + "' is the error of a spreadsheet's cell");
  for (const std::string word : {"unknown", "*", "x"})
    EXPECT_EQ(error({"1", "0", word, "1", word, word}), "t.csv:4: label '" + word +
                                                            "' is not a number, but 3 of 6 labels are " +
                                                            "(--label-type classes or multilabel, if they are names)");
  EXPECT_EQ(read(column({"yes", "no", "maybe"})).type, LabelType::classes);
  EXPECT_EQ(read(column({"1", "0;1", "0"})).type, LabelType::multilabel);
  EXPECT_EQ(
      error({"101", "NA", "011", "101"}),
      "t.csv:4: label '011' is a string of 0 and 1: lists are joined by commas or semicolons (--label-type classes, "
      "if it is a name)");
  EXPECT_EQ(error({"01", "00", "10", "11"}).substr(0, 40), "t.csv:2: label '01' is a string of 0 and");
  EXPECT_EQ(read(column({"101", "110", "101", "110"})).type, LabelType::binary);  // two numbers
  EXPECT_EQ(read(column({"01", "02", "03"})).type, LabelType::regression);
}

TEST(Labels, AValueInItsWrappingIsTheValue) {
  for (const auto& [no, yes] :
       {std::pair("tensor(0)", "tensor(1)"), std::pair("np.int64(0)", "np.int64(1)"), std::pair("[0]", "[1]")}) {
    const auto labels = read(column({no, yes, no}));
    EXPECT_EQ(labels.type, LabelType::binary) << yes;
    EXPECT_EQ(labels.values, (std::vector<float>{0, 1, 0})) << yes;
  }
  for (const std::string call : {"np.float64", "Decimal", "tensor", "array"}) {
    const auto labels = read(column({call + "(0.5)", call + "('0.25')", call + "(3)"}));
    EXPECT_EQ(labels.type, LabelType::regression) << call;
    EXPECT_EQ(labels.values, (std::vector<float>{0.5, 0.25, 3})) << call;
  }
  EXPECT_EQ(read(column({"character(0)", "c(\"a\", \"b\")"})).outputs, (std::vector<std::string>{"a", "b"}));
  for (const std::string separator : {"&", "+", ":"})
    EXPECT_NE(test::error_of([&] {
                read(column({"a", "b", "a" + separator + "b"}));
              }).find("joins labels by '" + separator),
              std::string::npos);
}

TEST(Labels, ManyClassesOfOneRowEachAreNotTakenForLabels) {
  std::vector<std::string> names;
  for (int i = 0; i < 21; ++i) names.push_back("kb " + std::to_string(i));
  EXPECT_EQ(test::error_of([&] { read(column(names)); }).substr(0, 50),
            "t.csv: column label has 21 different labels in 21 ");
  EXPECT_EQ(read(column(names), LabelType::classes).outputs.size(), 21u);
  const auto again = names;
  names.insert(names.end(), again.begin(), again.end());
  EXPECT_EQ(read(column(names)).type, LabelType::classes);
}

TEST(Labels, TwoNumbersAreNoMeasurements) {
  for (const auto& [less, more] : {std::pair("-1", "1"), std::pair("1", "2"), std::pair("0.5", "1.5")}) {
    const auto labels = read(column({less, more, less, "NA", more}));
    EXPECT_EQ(labels.type, LabelType::binary);
    EXPECT_EQ(labels.outputs, (std::vector<std::string>{std::string("label=") + more}));
    EXPECT_TRUE(std::isnan(labels.values[3]));
    EXPECT_EQ(labels.values[4], 1);
  }
  EXPECT_EQ(read(column({"-1", "1", "1"})).type, LabelType::regression);  // one row has -1
  EXPECT_EQ(read(column({"-1", "1", "-1", "1", "2"})).type, LabelType::regression);
}

TEST(Labels, TheWordThatIs1IsNamed) {
  const auto binary = [](std::vector<std::string> values) { return read(column(values), LabelType::binary); };
  EXPECT_EQ(binary({"active", "inactive"}).outputs, (std::vector<std::string>{"label=inactive"}));
  EXPECT_EQ(binary({"active", "inactive"}).negative, "active");
  EXPECT_EQ(binary({"9.5", "10.5"}).outputs, (std::vector<std::string>{"label=10.5"}));
  for (const auto& truths : {std::vector<std::string>{"0", "1"}, {"no", "YES"}, {"negative", "positive"}})
    EXPECT_EQ(read(column(truths)).outputs, (std::vector<std::string>{"label=1"}));
}

TEST(Labels, AsText) {
  EXPECT_EQ(label_text(read(column({"b", "a"})), 0), "b");
  EXPECT_EQ(label_text(read(column({"b,c", "."})), 0), "b,c");
  EXPECT_EQ(label_text(read(column({"b,c", "."})), 1), ".");
  EXPECT_EQ(label_text(read(column({"0.1", "NA", "3"})), 0), "0.100000001");
  EXPECT_EQ(label_text(read(column({"0.1", "NA", "3"})), 1), "NA");
}

TEST(Labels, NumbersThatBecomeEqualAreNamed) {
  const auto huge = column({"1000000000.1", "1000000000.2", "1000000000.3"});
  EXPECT_EQ(test::error_of([&] { read(huge); }),
            "t.csv: column label: its 3 different numbers are one 32-bit float: subtract their mean, or divide them");
  testing::internal::CaptureStderr();
  read(column({"0.1", "0.2", "12.5"}));  // no warning
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  read(column({"16777216", "16777217", "16777218", "16777219"}));
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("label: its 4 different numbers are 3 different 32-bit floats: subtract"), said.npos) << said;
}

}  // namespace
}  // namespace bigdna::dataset
