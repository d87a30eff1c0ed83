#include <gtest/gtest.h>

#include "base/error.h"
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

  /// Writes zeros of shapes_ and reads the keys, or the error.
  std::map<std::string, std::string> keys(Heads heads = Heads::exact) {
    std::vector<float> zeros(1000);
    std::vector<io::ArrayToWrite> arrays;
    for (const auto& [name, shape] : shapes_) {
      size_t count = 1;
      for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
      arrays.push_back(io::array(name, std::span<const float>(zeros.data(), count), shape));
    }
    io::write_safetensors(path_, arrays);
    return weight_keys(config_, shapes_of(io::SafetensorsFile(path_)), path_, heads);
  }
  std::string error() {
    try {
      keys();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  void rename(const std::string& from, const std::string& to) {
    auto node = shapes_.extract(from);
    node.key() = to;
    shapes_.insert(std::move(node));
  }

  ModelConfig config_;
  std::map<std::string, std::vector<int64_t>> shapes_;
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

TEST_F(WeightKeys, BareEncoders) {
  for (const auto& [name, shape] : parameter_shapes(config_))
    if (name.starts_with("bert.")) rename(name, name.substr(5));
  EXPECT_EQ(keys(Heads::ignored).at("bert.pooler.weight"), "pooler.weight");
}

TEST_F(WeightKeys, SayWhichHeadsThereAre) {
  ModelConfig config = config_;
  set_heads(config, shapes_);
  EXPECT_EQ(config.head, "pretraining");
  shapes_.erase("cls.seq_relationship.weight");
  set_heads(config, shapes_);
  EXPECT_EQ(config.head, "mlm");
  shapes_.erase("cls.predictions.transform.dense.weight");
  set_heads(config, shapes_);
  EXPECT_EQ(config.head, "none");
  shapes_["classifier.out_proj.weight"] = {5, 4};
  set_heads(config, shapes_);
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

}  // namespace
}  // namespace bigdna::model_folder
