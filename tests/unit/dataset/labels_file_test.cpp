#include "dataset/labels_file.h"

#include "support.h"

namespace bigdna::dataset {
namespace {

constexpr Split kTrain = Split::train, kValidation = Split::validation, kTest = Split::test;

std::string said_of(const Labels& labels, const std::vector<Split>& splits) {
  testing::internal::CaptureStderr();
  warn_of_unlearnt(labels, splits);
  return testing::internal::GetCapturedStderr();
}

TEST(LabelsFile, ClassesThatNoTrainingRowHasAreNamed) {
  const Labels classes{LabelType::classes, {"a", "b", "c"}, "", "", {0, 1, 2, 1, 2}};
  const auto said = said_of(classes, {kTrain, kTrain, kTest, kTest, kValidation});
  EXPECT_NE(said.find("no training example has 1 of the 3 classes ('c'), which 2 examples of other splits have"),
            std::string::npos);
  EXPECT_EQ(said_of(classes, {kTrain, kTrain, kTrain, kTest, kValidation}), "");
  EXPECT_EQ(said_of(classes, {kTest, kTest, kTest, kTest, kTest}), "");
  Labels many{LabelType::classes, {}, "", "", {}};
  for (int i = 0; i < 7; ++i) {
    many.outputs.push_back(std::to_string(i));
    many.values.push_back(static_cast<float>(i));
  }
  EXPECT_NE(said_of(many, {kTrain, kTest, kTest, kTest, kTest, kTest, kTest})
                .find("6 of the 7 classes ('1', '2', '3', '4', '5' ...), which 6 examples of"),
            std::string::npos);
}

TEST(LabelsFile, LabelsThatNoTrainingRowHasAreNamed) {
  const Labels several{LabelType::multilabel, {"x", "y", "z"}, "", "", {1, 0, 0, 0, 1, 1, 0, 0, 1}};
  EXPECT_NE(
      said_of(several, {kTrain, kTest, kTest}).find("2 of the 3 labels ('y', 'z'), which 2 examples of other splits"),
      std::string::npos);
  const Labels nowhere{LabelType::multilabel, {"x", "y"}, "", "", {1, 0, 1, 0}};
  EXPECT_NE(said_of(nowhere, {kTrain, kTest}).find("1 of the 2 labels ('y'), which 0 examples of other splits have\n"),
            std::string::npos);
  const Labels binary{LabelType::binary, {"label=bound"}, "free", "bound", {0, 1}};
  EXPECT_NE(said_of(binary, {kTrain, kTest}).find("1 of the 2 classes ('bound'), which 1 example of another split has"),
            std::string::npos);
  EXPECT_NE(said_of(binary, {kTest, kTrain}).find("('free')"), std::string::npos);
  EXPECT_EQ(said_of({LabelType::regression, {"y"}, "", "", {1, 2}}, {kTrain, kTest}), "");
  EXPECT_EQ(said_of({LabelType::counts, {"y"}, "", "", {1, 2}}, {kTrain, kTest}), "");
}

}  // namespace
}  // namespace bigdna::dataset
