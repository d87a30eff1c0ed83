/// The tasks that models are fine-tuned for, as a table: code asks for a property of a task, never for its name.
#pragma once

#include <string>
#include <string_view>

namespace bigdna::dataset {

struct Task {
  /// What an interval is read around, and so how its strand is treated.
  enum class Site {
    start,  // a start site: the interval is read along its strand, which the label belongs to
    bin,    // a stretch without a strand, mostly a bin: both strands have the same labels
    whole,  // nothing: a sequence of any length, as it is given
  };
  std::string_view name;  // of a model's head and of a dataset
  Site site;
  /// The group of features, one for each strand, by which a network that labels bins answers for this task, whatever
  /// else it labels; "": only a model that was trained for the task does.
  std::string_view bin_group = "";
  bool profiles = false;           // counts of each base: a profile model learns them (model_folder/profile_config.h)
  bool named_outputs = false;      // they are in features.tsv; otherwise there is one output, of the task's name
  bool calls = false;              // outputs are called positive from a threshold on that validation rows choose
  bool constant_baseline = false;  // evaluation compares with a constant prediction, too
};

/// Null for a name that no task has, such as that of another head.
const Task* find_task(std::string_view name);
/// UsageError naming the tasks for a name that none has.
const Task& task_of(std::string_view name);
/// Of a dataset folder, by its dataset.json. Error naming the folder if it is none, or of an unknown task.
const Task& task_of_dataset(const std::string& folder);

}  // namespace bigdna::dataset
