#include "model_folder/task_outputs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dataset/features.h"
#include "support.h"

namespace bigdna::model_folder {
namespace {

using nlohmann::ordered_json;

ModelConfig config_with(const std::string& head, int64_t labels) {
  ModelConfig config;
  config.head = head;
  config.labels = labels;
  return config;
}

TEST(TaskOutputs, OfATaskTheLinkAndTheNamesOfColumns) {
  test::TempDir folder;
  dataset::write_features(folder / "features.tsv",
                          {{"low", "-", "-", "-"}, {"CTCF", "K562", "-", "TF"}, {"low", "-", "b", "-"}});
  const std::vector<std::string> names{"low|0", "CTCF|K562", "low|2"};
  const auto of = [&](const ordered_json& details) {
    const auto outputs = TaskOutputs::of_task(config_with("table", 3), folder.path(), details);
    EXPECT_EQ(outputs.names, names);
    return outputs.problem;
  };
  EXPECT_EQ(of(ordered_json::object()), "multi_label_classification");
  EXPECT_EQ(of({{"link", "softmax"}}), "single_label_classification");
  EXPECT_EQ(of({{"link", "linear"}}), "regression");
  EXPECT_THROW(TaskOutputs::of_task(config_with("table", 2), folder.path(), ordered_json::object()), Error);
  const auto promoter = TaskOutputs::of_task(config_with("promoter", 1), folder.path(), ordered_json::object());
  EXPECT_EQ(promoter.problem, "multi_label_classification");  // a sigmoid
  EXPECT_EQ(promoter.names, std::vector<std::string>{"promoter"});
}

TEST(TaskOutputs, AreWrittenInOrderAndReadBack) {
  TaskOutputs outputs{"regression", {}};
  for (int i = 11; i >= 0; --i) outputs.names.push_back(concat("f", i));
  ordered_json json;
  outputs.write(12, json);
  EXPECT_EQ(json.at("id2label").begin().value(), "f11");
  EXPECT_EQ(std::prev(json.at("id2label").end()).key(), "11");
  EXPECT_EQ(json.at("label2id").at("f11"), 0);
  const auto again = TaskOutputs::of_config(json);
  EXPECT_EQ(again.problem, outputs.problem);
  EXPECT_EQ(again.names, outputs.names);
}

TEST(TaskOutputs, WhatAnotherConfigLeavesOpenStaysOpen) {
  const auto open = TaskOutputs::of_config({{"problem_type", nullptr}, {"id2label", {{"0", "a"}, {"2", "b"}}}});
  EXPECT_TRUE(open.problem.empty() && open.names.empty());
  ordered_json json;
  open.write(2, json);
  EXPECT_FALSE(json.contains("problem_type"));
  EXPECT_EQ(json.at("id2label").at("1"), "LABEL_1");
}

}  // namespace
}  // namespace bigdna::model_folder
