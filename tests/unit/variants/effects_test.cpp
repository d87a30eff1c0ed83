#include "variants/effects.h"

#include <cmath>

#include "support.h"

namespace bigdna::variants {
namespace {

TEST(Effects, AreWhatTheirNamesSay) {
  const Prediction ref{0.2, std::log(0.25)}, alt{0.5, 0};
  EXPECT_DOUBLE_EQ(effect_of(Effect::diff, ref, alt), 0.3);
  EXPECT_DOUBLE_EQ(effect_of(Effect::logit, ref, alt), std::log(4.0));
  EXPECT_NEAR(effect_of(Effect::sar, ref, alt), std::log2(1.5 / 1.2), 1e-15);
}

TEST(Effects, ColumnsAndKeys) {
  const std::vector<dataset::Feature> features{
      {"CTCF", "K562", "chip", "TF"}, {"A.B", "x y", "-", "-"}, {"A_B", "x_y", "-", "-"}};
  const std::vector<int64_t> chosen{0, 1, 2};
  const auto columns = columns_of(std::vector{Effect::diff, Effect::dist}, features, chosen);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0].name, "DIFF:CTCF|K562");
  EXPECT_EQ(columns[0].info, "BIGDNA_DIFF_CTCF_K562");
  EXPECT_EQ(columns[0].percentile_info, "BIGDNA_DIFF_PERCENTILE_CTCF_K562");
  EXPECT_EQ(columns[1].info, "BIGDNA_DIFF_A_B_x_y_1");  // the same but for letters that a key cannot hold
  EXPECT_EQ(columns[2].info, "BIGDNA_DIFF_A_B_x_y_2");
  EXPECT_EQ(columns[3].name, "DIST");
  EXPECT_EQ(columns_of(std::vector{Effect::sar}, {{"promoter", "-", "-", "promoter"}}, std::vector<int64_t>{0})[0].info,
            "BIGDNA_SAR");
}

TEST(Effects, AKeyMeansTheSameFeatureWhicheverAreChosen) {
  const std::vector<dataset::Feature> features{{"TSS", "-", "-", "TSS", '+'},
                                               {"TSS", "-", "-", "TSS", '-'},
                                               {"A-1", "-", "-", "-"},
                                               {"A_1", "-", "-", "-"},
                                               {"A_1_3", "-", "-", "-"}};
  const auto key = [&](std::vector<int64_t> chosen) {
    return columns_of(std::vector{Effect::diff}, features, chosen).back().info;
  };
  EXPECT_EQ(key({0}), "BIGDNA_DIFF_TSS_plus");
  EXPECT_EQ(key({1}), "BIGDNA_DIFF_TSS_minus");
  EXPECT_EQ(key({0, 1}), "BIGDNA_DIFF_TSS_minus");
  EXPECT_EQ(key({2}), "BIGDNA_DIFF_A_1_2");
  EXPECT_EQ(key({3}), "BIGDNA_DIFF_A_1_3_");
  EXPECT_EQ(key({4}), "BIGDNA_DIFF_A_1_3");
}

TEST(Effects, NamesAreChecked) {
  EXPECT_EQ(parse_effects("SAR,DIST"), (std::vector{Effect::sar, Effect::dist}));
  EXPECT_NE(test::error_of([] { parse_effects("DIFF,nonsense"); }).find("'nonsense' is not"), std::string::npos);
  EXPECT_NE(test::error_of([] { parse_effects("DIFF,DIFF"); }).find("twice"), std::string::npos);
}

TEST(Effects, EachKindOfOutputHasItsOwn) {
  const std::vector<dataset::Feature> features{{"peaks", "-", "-", "-"},
                                               {"track", "-", "-", "-", '.', dataset::FeatureKind::counts}};
  const std::vector<int64_t> chosen{0, 1};
  std::vector<std::string> names;
  for (const auto& column : columns_of(parse_effects("DIFF,LOGIT,SAR,LFC"), features, chosen))
    names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"DIFF:peaks", "DIFF:track", "LOGIT:peaks", "SAR:peaks", "SAR:track",
                                             "LFC:track"}));
  EXPECT_EQ(columns_of(parse_effects("P_REF"), features, chosen)[1].text, "expected count of ref");
  EXPECT_NEAR(effect_of(Effect::lfc, {4, 0}, {32, 0}), 3, 1e-12);
}

}  // namespace
}  // namespace bigdna::variants
