#include <gtest/gtest.h>

#include "base/error.h"
#include "model_folder/decoder.h"
#include "model_folder/model_folder.h"
#include "support.h"

namespace bigdna::model_folder {
namespace {

class WeightKeys : public testing::Test {
 protected:
  void SetUp() override {
    config_.layers = 1, config_.heads = 1, config_.hidden = 4, config_.ffn = 8, config_.max_length = 16,
    config_.vocab_size = 10;
    shapes_ = parameter_shapes(config_);
  }

  /// Writes shapes_, of zeros or, of `ones_`, ones, and reads the keys, or the error.
  std::map<std::string, std::string> keys(Heads heads = Heads::exact) {
    const std::vector<float> zeros(1000), ones(1000, 1);
    std::vector<io::ArrayToWrite> arrays;
    for (const auto& [name, shape] : shapes_) {
      size_t count = 1;
      for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
      const auto& values = ones_ == name ? ones : zeros;
      arrays.push_back(io::array(name, std::span<const float>(values.data(), count), shape));
    }
    io::write_safetensors(path_, arrays);
    return weight_keys(config_, io::SafetensorsFile(path_).arrays(), path_, heads);
  }
  std::string error(Heads heads = Heads::exact) {
    return test::error_of([&] { keys(heads); });
  }
  ModelConfig with_heads() const {
    ModelConfig config = config_;
    Arrays arrays;
    for (const auto& [name, shape] : shapes_) arrays[name].shape = shape;
    set_heads(config, arrays);
    return config;
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = shapes_.extract(from);
    node.key() = to;
    shapes_.insert(std::move(node));
  }

  ModelConfig config_;
  std::map<std::string, std::vector<int64_t>> shapes_;
  std::string ones_;
  test::TempDir dir_;
  std::string path_ = dir_ / "weights.safetensors";
};

TEST_F(WeightKeys, AreNamesThemselves) {
  for (const auto& [name, key] : keys()) EXPECT_EQ(name, key);
  EXPECT_EQ(keys().size(), shapes_.size());
}

TEST_F(WeightKeys, TolerateTiedKeysBuffersAndOldNames) {
  shapes_["cls.predictions.decoder.weight"] = {10, 4};
  shapes_["bert.embeddings.position_ids"] = {1, 16};
  rename("cls.predictions.bias", "cls.predictions.decoder.bias");
  rename("bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.gamma");
  EXPECT_EQ(keys().at("cls.predictions.bias"), "cls.predictions.decoder.bias");
  EXPECT_EQ(keys().at("bert.embeddings.LayerNorm.weight"), "bert.embeddings.LayerNorm.gamma");
}

TEST_F(WeightKeys, TolerateWhatWrapsAModel) {
  rename("bert.embeddings.LayerNorm.weight", "_orig_mod.bert.embeddings.LayerNorm.weight");
  rename("bert.embeddings.LayerNorm.bias", "module._orig_mod.bert.embeddings.LayerNorm.beta");
  EXPECT_EQ(keys().at("bert.embeddings.LayerNorm.weight"), "_orig_mod.bert.embeddings.LayerNorm.weight");
  EXPECT_EQ(keys().at("bert.embeddings.LayerNorm.bias"), "module._orig_mod.bert.embeddings.LayerNorm.beta");
  shapes_["bert.embeddings.LayerNorm.weight"] = shapes_["_orig_mod.bert.embeddings.LayerNorm.weight"];
  EXPECT_NE(test::error_of([&] { keys(); })
                .find("_orig_mod.bert.embeddings.LayerNorm.weight and "
                      "bert.embeddings.LayerNorm.weight are one weight twice"),
            std::string::npos);
}

TEST_F(WeightKeys, ADecoderOfItsOwnIsNeverTiedInSilence) {
  shapes_["cls.predictions.decoder.weight"] = {10, 4};
  shapes_["cls.predictions.decoder.bias"] = {10};
  config_.tied = false;
  EXPECT_NO_THROW(keys());  // what config.json says does not matter where the values are the same
  for (const bool tied : {false, true})
    for (const std::string name : {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}) {
      config_.tied = tied;
      ones_ = name;
      for (const Heads heads : {Heads::exact, Heads::present})
        EXPECT_NE(error(heads).find(name + " differs from "), std::string::npos) << error(heads);
      EXPECT_NO_THROW(keys(Heads::ignored));
    }
  config_.tied = false;
  ones_ = "";
  shapes_.erase("cls.predictions.decoder.weight");
  EXPECT_NE(error().find("tie_word_embeddings false, but there is no cls.predictions.decoder.weight"),
            std::string::npos);
  config_.head = "none";  // without an MLM head there is nothing to tie
  shapes_ = parameter_shapes(config_);
  EXPECT_NO_THROW(keys());
}

TEST_F(WeightKeys, ADecoderOfItsOwnInModernBert) {
  config_.architecture = Architecture::modern;
  config_.layer_norm_epsilon = 1e-5;
  shapes_ = parameter_shapes(config_);
  shapes_["decoder.weight"] = {10, 4};
  EXPECT_NO_THROW(keys());
  ones_ = "decoder.weight";
  EXPECT_NE(error().find("decoder.weight differs from model.embeddings.tok_embeddings.weight"), std::string::npos);
}

TEST_F(WeightKeys, BareEncoders) {
  for (const auto& [name, shape] : parameter_shapes(config_))
    if (name.starts_with("bert.")) rename(name, name.substr(5));
  EXPECT_EQ(keys(Heads::ignored).at("bert.pooler.weight"), "pooler.weight");
}

TEST_F(WeightKeys, OfADecoderComeInParts) {
  config_.architecture = Architecture::modern;
  config_.head = "mlm";
  config_.pattern = {.name = "full", .block = 4, .global_blocks = sparsity::GlobalBlocks::first, .causal = true};
  const auto ours = parameter_shapes(config_);
  shapes_.clear();
  for (const auto& [name, shape] : ours)
    for (const auto& key : keys_to_write(config_, name)) {
      shapes_[key] = shape;
      if (keys_to_write(config_, name).size() == 3) shapes_[key][0] /= 3;
    }
  const std::string whole = "model.layers.0.attn.Wqkv.weight", query = "model.layers.0.attn.q_proj.weight";
  EXPECT_EQ(shapes_.at(query), (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(keys().size(), ours.size());
  EXPECT_EQ(keys().at(whole), query);
  EXPECT_EQ(keys().at("head.dense.weight"), "lm_head.dense.weight");
  EXPECT_EQ(all_keys(config_, whole, "_orig_mod.layers.0.attn.q_proj.weight"),
            (std::vector<std::string>{"_orig_mod.layers.0.attn.q_proj.weight", "_orig_mod.layers.0.attn.k_proj.weight",
                                      "_orig_mod.layers.0.attn.v_proj.weight"}));
  EXPECT_EQ(all_keys(config_, whole, whole), std::vector{whole});
  shapes_[query] = {3, 4};
  EXPECT_NE(error().find("wrong shape: " + query + " [11, 4] instead of [12, 4]"), std::string::npos) << error();
  shapes_.erase("model.layers.0.attn.k_proj.weight");
  EXPECT_NE(error().find("missing: " + whole + "; unexpected: " + query), std::string::npos) << error();
}

TEST_F(WeightKeys, SayWhichHeadsThereAre) {
  EXPECT_EQ(with_heads().head, "pretraining");
  shapes_.erase("cls.seq_relationship.weight");
  EXPECT_EQ(with_heads().head, "mlm");
  shapes_.erase("cls.predictions.transform.dense.weight");
  EXPECT_EQ(with_heads().head, "none");
  shapes_["classifier.out_proj.weight"] = {5, 4};
  const ModelConfig config = with_heads();
  EXPECT_EQ(config.head, "classification");
  EXPECT_EQ(config.head_kind, "linear");
  EXPECT_EQ(config.labels, 5);
}

TEST_F(WeightKeys, OneErrorListsAll) {
  shapes_.erase("bert.pooler.bias");
  shapes_.erase("bert.embeddings.word_embeddings.weight");
  shapes_["classifier.weight"] = {2, 4};
  shapes_["bert.pooler.weight"] = {3, 4};
  EXPECT_EQ(
      error(),
      path_ +
          ": the weights do not fit config.json; missing: bert.embeddings.word_embeddings.weight, bert.pooler.bias; "
          "unexpected: classifier.weight; wrong shape: bert.pooler.weight [3, 4] instead of [4, 4]");
}

TEST_F(WeightKeys, SizesOfTheConfigurationTakeNoMemory) {
  const auto written = shapes_;
  config_.layers = 9000;
  EXPECT_EQ(error(), concat(path_, ": has only ", written.size(), " arrays, but config.json says 9000 layers"));
  for (int64_t* size : {&config_.layers, &config_.hidden, &config_.ffn, &config_.max_length, &config_.vocab_size,
                        &config_.token_types, &config_.pattern.random, &config_.pattern.window}) {
    const ModelConfig before = config_;
    *size = 9'000'000'000'000'000'001;
    EXPECT_THROW(check(config_), UsageError) << (size - &config_.layers);
    config_ = before;
  }
}

}  // namespace
}  // namespace bigdna::model_folder
