#include "model_folder/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "model_folder/config.h"
#include "support.h"

namespace bigdna::model_folder {
namespace {

TEST(Attentions, SpellTheirSettings) {
  const auto config = attention_from("performer:features=64,kernel=exp", 8);
  EXPECT_EQ(config.name, "performer");
  EXPECT_EQ(config.at("features"), 64);
  EXPECT_EQ(config.at("kernel"), 1);
  EXPECT_EQ(config.at("from"), 1);
  EXPECT_EQ(config.at("local"), 4);  // half of the heads
  EXPECT_EQ(to_string(config), "performer:from=1,local=4,features=64,kernel=exp,directions=gram-schmidt");
  EXPECT_EQ(attention_from(to_string(config), 2), config);
  EXPECT_EQ(attention_from("routing:decay=0.5", 2).at("decay"), 0.5);
  EXPECT_EQ(attention_from("blocks", 2), AttentionConfig());
  EXPECT_EQ(to_string({}), "blocks");
}

TEST(Attentions, EverySettingStandsInTheModel) {
  const auto config = attention_from("performer:features=64", 8);
  const auto json = nlohmann::json::parse(attention_json(config).dump());
  EXPECT_EQ(attention_from_json(json), config);
  for (const auto& [key, value] : json.items()) {
    auto less = json;
    less.erase(key);
    EXPECT_THROW(attention_from_json(less), nlohmann::json::exception) << key;
  }
}

TEST(Attentions, RefuseWhatTheyDoNotHave) {
  const auto error = [](const char* text) { return test::error_of([&] { attention_from(text, 2); }); };
  EXPECT_NE(error("flash").find("unknown attention flash (blocks, longformer, performer"), std::string::npos);
  EXPECT_EQ(error("linformer:features=3"), "attention linformer has no setting features (it has from, local, rank)");
  EXPECT_EQ(error("blocks:from=3"), "attention blocks has no setting from");
  EXPECT_EQ(error("performer:kernel=tanh"), "attention performer: kernel is tanh; it must be one of relu|exp|cos");
  EXPECT_EQ(error("linformer:rank=0"), "attention linformer: rank is 0; it must be a whole number from 1 to 1e+06");
  EXPECT_EQ(error("linformer:rank=1.5"), "attention linformer: rank is 1.5; it must be a whole number from 1 to 1e+06");
  EXPECT_EQ(error("linformer:rank"), "--attention linformer:rank: expected NAME=VALUE in place of rank");
  EXPECT_THROW(attention_from("linformer:rank=3x", 2), UsageError);
}

ModelConfig with(const std::string& text) {
  ModelConfig config;
  config.layers = 4, config.heads = 4, config.hidden = 32, config.dropout = config.attention_dropout = 0;
  config.attention = attention_from(text, config.heads);
  return config;
}

TEST(Attentions, RefuseModelsThatTheyDoNotFit) {
  const auto error = [](const ModelConfig& config) { return test::error_of([&] { check(config); }); };
  EXPECT_NE(error(with("lsh:from=4")).find("it begins at layer 4 (counted from 0), but the model has 4"),
            std::string::npos);
  EXPECT_NE(error(with("lsh:local=4")).find("all 4 heads are local"), std::string::npos);
  auto dropping = with("lsh");
  dropping.attention_dropout = 0.1;
  EXPECT_EQ(error(dropping), "attention lsh: it cannot drop attention weights; use --dropout 0");
  auto beside = with("lsh");
  beside.pattern.random_blocks = sparsity::RandomBlocks::huggingface;
  EXPECT_NE(error(beside).find("random blocks of transformers"), std::string::npos);
  auto window = with("longformer");
  window.pattern.name = "window";
  EXPECT_NE(error(window).find("pattern window has no global blocks"), std::string::npos);
  for (const auto& row : attentions()) EXPECT_EQ(error(with(std::string(row.name))), "") << row.name;
}

// A model of today has none of this in its config.json; any other comes back as it was, and transformers does not load
// it.
TEST(Attentions, AreWrittenToConfigJson) {
  const auto plain = to_json(with("blocks"));
  EXPECT_FALSE(plain.at("bigdna").contains("attention"));
  EXPECT_EQ(plain.at("model_type"), "big_bird");
  for (const auto& row : attentions().subspan(1)) {
    const auto config = with(std::string(row.name) + ":from=2,local=1");
    const auto json = nlohmann::json::parse(to_json(config).dump());
    EXPECT_EQ(json.at("model_type"), "bigdna");
    EXPECT_EQ(from_json(json, "x"), config) << row.name;
    auto broken = json;
    broken["bigdna"]["attention"]["no_such"] = 1;
    EXPECT_NE(test::error_of([&] { from_json(broken, "x"); }).find("x: attention "), std::string::npos);
    broken = json;
    broken["bigdna"]["attention"].erase("from");
    EXPECT_THROW(from_json(broken, "x"), Error);
  }
}

TEST(Attentions, HaveNamesSectionsAndSettingsThatAreTheirOwn) {
  std::set<std::string_view> names;
  for (const auto& row : attentions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const auto text : {row.title, row.summary, row.source, row.equation, row.reads_both_ways, row.oracle})
      EXPECT_FALSE(text.empty()) << row.name;
    std::set<std::string_view> settings;
    for (const auto& setting : common_settings()) settings.insert(setting.name);
    for (const auto& setting : row.settings) {
      EXPECT_TRUE(settings.insert(setting.name).second) << row.name << " " << setting.name;
      EXPECT_TRUE(setting.start >= setting.least && setting.start <= setting.most) << row.name << " " << setting.name;
      const auto words = std::ranges::count(setting.words, '|') + 1;
      EXPECT_TRUE(setting.words.empty() || static_cast<double>(words) == setting.most + 1) << setting.name;
    }
  }
}

// Heads whose keys are their queries need no weights of keys; everything else keeps its shapes.
TEST(Attentions, ChangeNoShapesButTheirOwn) {
  for (const auto architecture : {Architecture::bigbird, Architecture::modern})
    for (const auto& row : attentions().subspan(1)) {
      auto config = with(std::string(row.name)), plain = config;
      config.architecture = plain.architecture = architecture;
      plain.attention = {};
      auto shapes = parameter_shapes(config);
      const auto before = parameter_shapes(plain);
      std::erase_if(shapes, [](const auto& entry) { return own_parameter(entry.first) != nullptr; });
      EXPECT_EQ(shapes.size(), before.size()) << row.name;
      const int64_t fewer = count_of(before) - count_of(shapes);
      const int64_t keys = 3 * 2 * config.head_size();  // layers 1 to 3, two of four heads
      const int64_t biases = architecture == Architecture::bigbird ? 1 : 0;
      EXPECT_EQ(fewer, row.shares_queries ? keys * (config.hidden + biases) : 0) << row.name;
    }
}

TEST(Attentions, LshHasTwoBucketsForEachChunk) {
  const auto count = [](int64_t asked, int64_t n) {
    const auto buckets = lsh_buckets(asked, n, 64);
    return std::pair(buckets.first, buckets.second);
  };
  EXPECT_EQ(count(0, 64), std::pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(count(0, 65), std::pair(int64_t{4}, int64_t{1}));
  EXPECT_EQ(count(0, 4096), std::pair(int64_t{128}, int64_t{1}));
  EXPECT_EQ(count(0, 65'536), std::pair(int64_t{46}, int64_t{46}));
  EXPECT_EQ(count(16, 10), std::pair(int64_t{16}, int64_t{1}));
}

}  // namespace
}  // namespace bigdna::model_folder
