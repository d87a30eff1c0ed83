/// Options of the commands that take a dataset, whose dataset.json says its task: some options are for some tasks
/// alone.
#pragma once

#include <string>

#include "dataset/task.h"

namespace bigdna::apps {

class OptionList;

// Headings of these options in the help.
inline constexpr const char* kChromatinOptions = "Chromatin datasets";
inline constexpr const char* kProfileOptions = "Profile datasets";
inline constexpr const char* kGenomeOptions = "Chromatin and profile datasets";
inline constexpr const char* kLabelOptions = "Chromatin, promoter and table datasets";
inline constexpr const char* kSequenceOptions = "Promoter and table datasets";
inline constexpr const char* kTableOptions = "Table datasets";
inline constexpr const char* kOutputOptions = "Chromatin and table datasets";

/// The task of `dataset`. UsageError naming the task if the command line has options that are for others.
const dataset::Task& task_of_dataset(const OptionList& list, const std::string& dataset);

}  // namespace bigdna::apps
