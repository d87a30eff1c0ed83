#include "variants/info_lines.h"

#include "support.h"

namespace bigdna::variants {
namespace {

TEST(InfoLines, SayWhatTheirKeysHold) {
  const std::vector<dataset::Feature> features{{"share", "-", "-", "regression"},
                                               {"a \"b\" \\ of c, d", "K562", "-", "-"},
                                               {"PERCENTILE", "-", "-", "-"},
                                               {"reads", "-", "-", "-", '.', dataset::FeatureKind::counts}};
  const std::vector<int64_t> chosen{0, 1, 2, 3};
  const std::vector<Effect> effects{Effect::diff, Effect::logit, Effect::dist, Effect::p_ref, Effect::lfc};
  const std::string models = "one 0123, two 4567";
  for (const auto others : {Predicted::probabilities, Predicted::numbers})
    for (const auto& column : columns_of(effects, features, chosen, others))
      for (const bool percentile : {false, true}) {
        const std::string text = to_line(info_line_of(column, percentile, models));
        const auto line = read_info_line(text);
        ASSERT_TRUE(line) << text;
        EXPECT_EQ(line->type, "Float");
        EXPECT_EQ(models_of(*line), models) << text;
        const auto read = info_column_of(*line);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->key, percentile ? column.percentile_info : column.info);
        EXPECT_EQ(read->effect, effect_name(column.effect));
        EXPECT_EQ(read->percentile, percentile) << text;
        EXPECT_EQ(read->label, column.label);
        EXPECT_EQ("BIGDNA_" + read->effect + read->output, column.info);
      }
}

TEST(InfoLines, OthersAreNoEffects) {
  EXPECT_FALSE(read_info_line("##contig=<ID=chr1>"));
  EXPECT_FALSE(read_info_line("##INFO=<ID=AF,Number=A,Type=Float>"));
  const auto other = read_info_line("##INFO=<ID=BIGDNA_DIFFER,Number=A,Type=Float,Description=\"x\">");
  ASSERT_TRUE(other);
  EXPECT_FALSE(info_column_of(*other));
  const auto skipped = read_info_line(to_line(info_line_of_skipped("one 0123")));
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->key, kSkipped);
  EXPECT_EQ(models_of(*skipped), "one 0123");
  EXPECT_FALSE(info_column_of(*skipped));
  // a description that another program wrote: the key still says the output
  const auto edited = info_column_of({"BIGDNA_DIFF_CTCF", "Float", "difference"});
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->label, "CTCF");
}

}  // namespace
}  // namespace bigdna::variants
