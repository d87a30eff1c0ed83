#include "model_folder/config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "model_folder/architecture.h"
#include "model_folder/decoder.h"
#include "model_folder/pattern_json.h"
#include "model_folder/stack.h"

namespace bigdna::model_folder {
namespace {

std::string message(const nlohmann::json& json) {
  try {
    from_json(json, "m/config.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Config, SurvivesJson) {
  ModelConfig config = config_of(preset("small"), Architecture::bigbird);
  config.head = "chromatin";
  config.head_kind = "linear";
  config.labels = 919;
  config.dropout = 0.05;
  config.pattern.name = "bigbird";
  config.pattern.global = 4;
  config.pattern.random = 5;
  config.pattern.global_blocks = sparsity::GlobalBlocks::first;
  config.pattern.seed = 42;
  const auto json = to_json(config);
  EXPECT_EQ(from_json(json, "x"), config);
  EXPECT_EQ(json.at("architectures").at(0), "BigBirdForSequenceClassification");
}

TEST(Config, PoolingDecidesWhatTheHeadReads) {
  ModelConfig config = config_of(preset("small"), Architecture::bigbird);
  config.head = "promoter";
  config.labels = 1;
  config.pool = "scales";
  EXPECT_EQ(from_json(to_json(config), "x").pool, "scales");
  EXPECT_EQ(parameter_shapes(config).at("classifier.dense.weight"),
            (std::vector<int64_t>{config.hidden, 3 * config.hidden}));
  EXPECT_EQ(parameter_shapes(config).at("classifier.out_proj.weight"), (std::vector<int64_t>{1, config.hidden}));
  config.head_kind = "linear";
  EXPECT_EQ(parameter_shapes(config).at("classifier.out_proj.weight"), (std::vector<int64_t>{1, 3 * config.hidden}));
  config.pool = "max";
  EXPECT_THROW(check(config), UsageError);
}

TEST(Config, OfTransformersMeansItsEvalMode) {
  const auto config =
      from_json({{"model_type", "big_bird"}, {"vocab_size", 50}, {"architectures", {"BigBirdForMaskedLM"}}}, "x");
  EXPECT_EQ(config.pattern.random_blocks, sparsity::RandomBlocks::huggingface);
  EXPECT_EQ(config.head, "mlm");
  EXPECT_EQ(config.vocab_size, 50);
  EXPECT_EQ(from_json({{"attention_type", "original_full"}}, "x").pattern.name, "full");
  EXPECT_EQ(from_json({{"architectures", {"BigBirdForSequenceClassification"}},
                       {"id2label", {{"0", "a"}, {"1", "b"}, {"2", "c"}}}},
                      "x")
                .labels,
            3);
}

TEST(Config, ErrorsNameTheFileAndTheCause) {
  EXPECT_EQ(message({{"model_type", "bert"}}),
            "m/config.json: model_type is bert, not big_bird, modernbert or modernbert-decoder");
  EXPECT_NE(message({{"use_bias", false}}).find("use_bias"), std::string::npos);
  EXPECT_NE(message({{"hidden_size", "many"}}).find("m/config.json: "), std::string::npos);
  EXPECT_NE(message({{"hidden_size", 100}, {"num_attention_heads", 12}}).find("is not divisible"), std::string::npos);
  EXPECT_NE(message({{"attention_type", "sparse"}}).find("not block_sparse"), std::string::npos);
  EXPECT_NE(message({{"architectures", {"BigBirdForQuestionAnswering"}}})
                .find("BigBirdForQuestionAnswering is not supported"),
            std::string::npos);
  ModelConfig config;
  config.head = "promoter";  // without labels
  EXPECT_THROW(check(config), UsageError);
  EXPECT_THROW(preset("huge"), UsageError);
}

TEST(ParameterShapes, CountBigBirdBase) {
  // BigBirdForPreTraining of the paper's table 21: embeddings 32000 x 768 + 4096 x 768 + 2 x 768 + LayerNorm,
  // 12 layers of 7 087 872, pooler 590 592, MLM head 590 592 + 1536 + 32000, NSP 1538
  const int64_t embeddings = (32000 + 4096 + 2) * 768 + 2 * 768;
  ModelConfig config;
  EXPECT_EQ(parameter_count(config), embeddings + 12 * 7087872 + 590592 + 590592 + 1536 + 32000 + 1538);
  config.head = "promoter";
  config.labels = 1;
  const auto shapes = parameter_shapes(config);
  EXPECT_EQ(shapes.count("cls.predictions.bias"), 0u);
  EXPECT_EQ(shapes.at("classifier.out_proj.weight"), (std::vector<int64_t>{1, 768}));
}

TEST(Architecture, KnowsWhereParametersLie) {
  ModelConfig config;
  for (const auto& [name, depth] : std::map<std::string, int64_t>{{"classifier.out_proj.weight", 12},
                                                                  {"bert.encoder.layer.11.output.dense.bias", 11},
                                                                  {"bert.encoder.layer.0.output.dense.bias", 0},
                                                                  {"bert.embeddings.LayerNorm.weight", -1},
                                                                  {"bigdna.global_embeddings.weight", -1}})
    EXPECT_EQ(depth_of(config, name), depth) << name;
  config.architecture = Architecture::modern;
  for (const auto& [name, depth] : std::map<std::string, int64_t>{{"classifier.weight", 12},
                                                                  {"head.dense.weight", 12},
                                                                  {"model.final_norm.weight", 11},
                                                                  {"model.layers.11.mlp.Wo.weight", 11},
                                                                  {"model.layers.0.mlp.Wi.weight", 0},
                                                                  {"model.embeddings.norm.weight", -1},
                                                                  {"bigdna.global_embeddings.weight", -1}})
    EXPECT_EQ(depth_of(config, name), depth) << name;
}

TEST(Modern, SurvivesJson) {
  ModelConfig config = config_of(preset("small"), Architecture::modern);
  config.head = "promoter";
  config.labels = 1;
  config.pool = "mean";
  config.rope_theta = 1234;
  config.dropout = 0.05;
  config.pattern.name = "bigbird";
  config.pattern.random = 5;
  config.pattern.seed = 42;
  const auto json = to_json(config);
  EXPECT_EQ(from_json(json, "x"), config);
  EXPECT_EQ(json.at("model_type"), "modernbert");
  EXPECT_EQ(json.at("architectures").at(0), "ModernBertForSequenceClassification");
  config.head = "pretraining";
  config.labels = 0;
  EXPECT_EQ(to_json(config).at("architectures").at(0), "ModernBertForMaskedLM");  // transformers has none with NSP
  EXPECT_EQ(from_json(to_json(config), "x").head, "pretraining");
}

TEST(Modern, OfTransformers) {
  const nlohmann::json json{{"model_type", "modernbert"},
                            {"architectures", {"ModernBertForMaskedLM"}},
                            {"global_attn_every_n_layers", 1},
                            {"global_rope_theta", 500.0},
                            {"pad_token_id", 7}};
  const auto config = from_json(json, "x");
  EXPECT_EQ(config.architecture, Architecture::modern);
  EXPECT_EQ(config.head, "mlm");
  EXPECT_EQ(config.pattern.name, "full");
  EXPECT_EQ(config.rope_theta, 500);
  EXPECT_EQ(config.pad_id, 7);
  EXPECT_EQ(config.ffn, 1152);
  const auto with = [&](const char* key, const nlohmann::json& value) {
    auto changed = json;
    changed[key] = value;
    return changed;
  };
  EXPECT_EQ(
      from_json(with("rope_parameters", {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 77.0}}}}), "x")
          .rope_theta,
      77);
  EXPECT_NE(message(with("global_attn_every_n_layers", 3)).find("sliding attention"), std::string::npos);
  EXPECT_NE(message(with("layer_types", {"full_attention", "sliding_attention"})).find("sliding attention"),
            std::string::npos);
  EXPECT_NE(message(with("rope_parameters", {{"full_attention", {{"rope_type", "yarn"}}}})).find("yarn"),
            std::string::npos);
  EXPECT_NE(message(with("norm_bias", true)).find("norm_bias"), std::string::npos);
  EXPECT_NE(message(with("decoder_bias", false)).find("decoder_bias"), std::string::npos);
  EXPECT_NE(message(with("hidden_size", 12 * 15)).find("even head size"), std::string::npos);
  EXPECT_NE(message(with("architectures", {"ModernBertForTokenClassification"}))
                .find("ForTokenClassification is not supported"),
            std::string::npos);
}

TEST(Modern, HasAboutTheWeightsOfBigBird) {
  for (const auto& row : presets()) {
    const auto bigbird = config_of(row, Architecture::bigbird), modern = config_of(row, Architecture::modern);
    check(modern);
    const auto of_layer = [](const ModelConfig& config) {
      int64_t count = 0;
      for (const auto& [name, shape] : parameter_shapes(config))
        if (depth_of(config, name) == 1) count += shape.size() == 2 ? shape[0] * shape[1] : 0;
      return static_cast<double>(count);
    };
    EXPECT_NEAR(of_layer(modern) / of_layer(bigbird), 1, 0.04) << row.name;
  }
}

TEST(Causal, IsWrittenReadAndRefusedWhereItMakesNoSense) {
  for (const auto architecture : {Architecture::bigbird, Architecture::modern}) {
    ModelConfig config = config_of(preset("tiny"), architecture);
    EXPECT_EQ(to_json(config).dump().find("causal"), std::string::npos);  // models of today stay what they are
    config.head = "mlm";
    config.pattern.causal = true;
    const auto json = to_json(config);
    EXPECT_EQ(from_json(json, "x"), config);
    EXPECT_EQ(json.at("model_type"), "bigdna");  // transformers' classes would read both ways
    EXPECT_FALSE(json.contains("architectures"));
    config.head = "pretraining";
    EXPECT_THROW(check(config), UsageError);
    config.head = "promoter", config.labels = 1;
    EXPECT_THROW(check(config), UsageError);  // of [CLS]
    config.pool = "mean";
    EXPECT_NO_THROW(check(config));
  }
}

ModelConfig small_decoder() {
  ModelConfig config = config_of(preset("tiny"));
  config.head = "mlm";
  config.pattern = {.name = "full", .block = 16, .global_blocks = sparsity::GlobalBlocks::first, .causal = true};
  return config;
}

TEST(Causal, WithFullAttentionIsTransformersDecoder) {
  ModelConfig config = small_decoder();
  for (const auto& [head, name] :
       {std::pair{"mlm", "ModernBertDecoderForCausalLM"}, {"none", "ModernBertDecoderModel"}}) {
    config.head = head;
    EXPECT_EQ(not_in_transformers(config), "");
    auto json = to_json(config);
    EXPECT_EQ(json.at("model_type"), "modernbert-decoder");
    EXPECT_EQ(json.at("architectures").front(), name);
    EXPECT_EQ(from_json(json, "x"), config);
    json.erase("bigdna");
    EXPECT_EQ(from_json(json, "x"), config);  // as transformers writes it
  }
}

TEST(Causal, WhatTransformersLacksIsNamed) {
  const auto lacking = [](const auto& change) {
    ModelConfig config = small_decoder();
    change(config);
    check(config);
    EXPECT_EQ(to_json(config).at("model_type"), "bigdna");
    EXPECT_EQ(from_json(to_json(config), "x"), config);
    return not_in_transformers(config);
  };
  EXPECT_TRUE(lacking([](auto& c) { c.pattern.name = "window"; }).starts_with("causal models with pattern window"));
  EXPECT_EQ(lacking([](auto& c) { c.head = "promoter", c.labels = 1, c.pool = "mean"; }),
            "causal models with head promoter");
  EXPECT_EQ(lacking([](auto& c) { c.stack = stack_from("gated"); }), "stack gated");
  EXPECT_EQ(lacking([](auto& c) {
              const auto modern = c;
              c = config_of(preset("tiny"), Architecture::bigbird);
              c.head = modern.head, c.pattern = modern.pattern;
            }),
            "causal models of --architecture bigbird");
}

TEST(Causal, WhatTransformersDecoderHasAndWeDoNotIsAnError) {
  auto json = to_json(small_decoder());
  json.erase("bigdna");
  json["architectures"] = {"ModernBertDecoderForSequenceClassification"};
  EXPECT_EQ(message(json),
            "m/config.json: architecture ModernBertDecoderForSequenceClassification is not supported (bigdna reads "
            "ModernBertDecoderForCausalLM, ModernBertDecoderModel)");
  json.erase("architectures");
  EXPECT_EQ(message(json), "");
  json["layer_types"][1] = "sliding_attention";
  EXPECT_NE(message(json).find("sliding attention"), std::string::npos);
}

TEST(Presets, AreDesigns) {
  ASSERT_EQ(presets().size(), 4u);
  const ModelConfig config;
  EXPECT_EQ(config_of(preset("base")), config);
  for (const auto& row : presets()) {
    check(config_of(row));
    EXPECT_EQ(config_of(row).architecture, row.architecture);
  }
}

TEST(Config, TheNeighbourhoodOfStridedIsWrittenWhereItIsNotTheStride) {
  for (const auto near : {sparsity::Near::stride, sparsity::Near::window}) {
    ModelConfig config;
    config.pattern.name = "strided";
    config.pattern.near = near;
    const auto json = nlohmann::json::parse(to_json(config).dump()).at("bigdna").at("pattern");
    EXPECT_EQ(json.contains("near"), near == sparsity::Near::window);
    sparsity::PatternConfig read;
    read_pattern(json, read);
    EXPECT_EQ(read.near, near);
  }
}

}  // namespace
}  // namespace bigdna::model_folder
