/// The labels of a table's dataset as its folder keeps them: labels.safetensors, and their summary in dataset.json and
/// messages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "dataset/labels.h"
#include "dataset/splits.h"

namespace bigdna::dataset {

/// Writes the array "labels" (docs/formats.md): float32 [rows, outputs] of regression, uint16 [rows] of classes, bits
/// [rows, bytes] of the others.
void write_labels(const std::string& path, const Labels& labels);

/// How the labels of some rows are distributed: {"rows"} and rows of each class ("classes"), rows with each label
/// ("labels"), or count, mean and standard deviation of each number ("labels"); of the first kMostClasses outputs.
nlohmann::ordered_json summary(const Labels& labels, std::span<const int64_t> rows);

/// Warns of classes, and of labels that are 0 or 1, that no training row has; nothing where there is no training row.
/// `splits`: of each row.
void warn_of_unlearnt(const Labels& labels, std::span<const Split> splits);

}  // namespace bigdna::dataset
