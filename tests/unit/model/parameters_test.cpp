#include "model/parameters.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "base/threads.h"
#include "io/safetensors.h"
#include "model/device.h"
#include "model/dropout.h"
#include "model/model_weights.h"
#include "model_support.h"
#include "support.h"

namespace bigdna::model {
namespace {

TEST(Initialise, IsBerts) {
  const auto parameters = initialise(small_config(), 3);
  EXPECT_EQ(max_difference(parameters.at("bert.embeddings.LayerNorm.weight"), 1), 0);
  EXPECT_EQ(max_difference(parameters.at("bert.encoder.layer.0.output.dense.bias"), 0), 0);
  const at::Tensor& words = parameters.at("bert.embeddings.position_embeddings.weight");  // 128 x 16
  EXPECT_NEAR(words.std().item<double>(), 0.02, 0.002);
  EXPECT_NEAR(words.mean().item<double>(), 0, 0.002);
}

TEST(Initialise, DependsOnSeedAndNameAlone) {
  auto config = small_config();
  const auto parameters = initialise(config, 3);
  config.layers = 1;
  for (const auto& [name, value] : initialise(config, 3))
    EXPECT_EQ(max_difference(value, parameters.at(name)), 0) << name;
  EXPECT_GT(max_difference(initialise(config, 4).at("bert.pooler.weight"), parameters.at("bert.pooler.weight")), 0);
  EXPECT_GT(max_difference(parameters.at("bert.encoder.layer.0.attention.self.query.weight"),
                           parameters.at("bert.encoder.layer.0.attention.self.key.weight")),
            0);
}

class Weights : public testing::Test {
 protected:
  test::TempDir dir_;
  std::string path_ = dir_ / "weights.safetensors";
};

TEST_F(Weights, SurviveAFile) {
  const auto config = small_config();
  const auto parameters = initialise(config, 3);
  save_weights(parameters, path_);
  const auto again = load_weights(config, path_);
  ASSERT_EQ(again.size(), parameters.size());
  for (const auto& [name, value] : parameters) EXPECT_EQ(max_difference(value, again.at(name)), 0) << name;
  EXPECT_EQ(io::SafetensorsFile(path_).metadata().at("format"), "pt");  // transformers asks for it
}

TEST_F(Weights, OfADecoderAreWrittenInPartsAndJoined) {
  auto config = small_config(4, model_folder::Architecture::modern);
  config.head = "mlm";
  config.pattern = {.name = "full", .block = 4, .global_blocks = sparsity::GlobalBlocks::first, .causal = true};
  const auto parameters = initialise(config, 3);
  save_model_weights(config, parameters, path_);
  const io::SafetensorsFile file(path_);
  EXPECT_EQ(file.at("model.layers.1.attn.k_proj.weight").shape, (std::vector<int64_t>{16, 16}));
  EXPECT_FALSE(file.arrays().contains("model.layers.1.attn.Wqkv.weight"));
  const auto again = load_weights(config, path_);
  ASSERT_EQ(again.size(), parameters.size());
  for (const auto& [name, value] : parameters) EXPECT_EQ(max_difference(value, again.at(name)), 0) << name;
  config.pattern.name = "window";  // transformers has none
  save_model_weights(config, parameters, path_);
  EXPECT_TRUE(io::SafetensorsFile(path_).arrays().contains("model.layers.1.attn.Wqkv.weight"));
}

TEST_F(Weights, AnEncoderGetsNewHeads) {
  auto config = small_config();
  save_weights(initialise(config, 3), path_);
  config.head = "promoter";
  config.labels = 1;
  EXPECT_THROW(load_weights(config, path_), Error);
  const auto parameters = load_encoder(config, path_, 8);
  EXPECT_EQ(max_difference(parameters.at("bert.pooler.weight"), initialise(small_config(), 3).at("bert.pooler.weight")),
            0);
  EXPECT_EQ(
      max_difference(parameters.at("classifier.dense.weight"), initialise(config, 8).at("classifier.dense.weight")), 0);
  EXPECT_EQ(parameters.count("cls.predictions.bias"), 0u);
}

TEST(Dropout, KeepsTheMeanAndItsSeed) {
  const at::Tensor x = at::ones({1000, 37});
  const at::Tensor dropped = model::dropout(x, 0.25, 5);
  EXPECT_NEAR(dropped.mean().item<double>(), 1, 0.02);
  EXPECT_NEAR(dropped.eq(0).to(at::kFloat).mean().item<double>(), 0.25, 0.01);
  EXPECT_EQ(max_difference(dropped, model::dropout(x, 0.25, 5)), 0);
  EXPECT_GT(max_difference(dropped, model::dropout(x, 0.25, 6)), 0);
  EXPECT_TRUE(model::dropout(x, 0, 5).is_same(x));
}

TEST(Dropout, DoesNotDependOnThreads) {
  const at::Tensor x = at::ones({333, 1001});
  configure_threads(1);
  const at::Tensor one = model::dropout(x, 0.1, 5);
  configure_threads(3);
  EXPECT_EQ(max_difference(one, model::dropout(x, 0.1, 5)), 0);
  configure_threads(1);
}

// LibTorch gives a thread that has not asked yet what any thread set last: workers, which set 1, must not slow it down.
TEST(Device, WorkersLeaveTheThreadsOfOperationsAlone) {
  int of_worker = 0, own = 0;
  std::thread([&] {
    configure_threads(3);
    start_threads(1, [&](int) { of_worker = at::get_num_threads(); });
    own = at::get_num_threads();
  }).join();
  EXPECT_EQ(of_worker, 1);
  EXPECT_EQ(own, 3);
}

TEST(Device, WordsThatMeanNothingAreUsageErrors) {
  EXPECT_TRUE(select_device("cpu").is_cpu());
  EXPECT_THROW(select_device("gpu"), UsageError);
  EXPECT_THROW(select_device("cuda:x"), UsageError);
  EXPECT_THROW(select_precision("fp8", at::kCPU), UsageError);
  EXPECT_EQ(select_precision("fp32", at::kCPU), at::kFloat);
}

}  // namespace
}  // namespace bigdna::model
