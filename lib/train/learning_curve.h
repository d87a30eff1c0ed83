/// The picture of a finished run, drawn from metrics.jsonl.
#pragma once

#include <string>

namespace bigdna::train {

inline constexpr const char* kLearningCurveName = "learning_curve.svg";

/// Six charts as one SVG: losses, every value whose name ends in `metric` (training, held out, baselines; constant
/// values are dashed) and the learning rate, each against steps and against tokens. `metrics` is the text of
/// metrics.jsonl.
std::string learning_curve(const std::string& metrics, const std::string& metric);
/// Draws FOLDER/metrics.jsonl into FOLDER/learning_curve.svg.
void draw_learning_curve(const std::string& folder, const std::string& metric);

}  // namespace bigdna::train
