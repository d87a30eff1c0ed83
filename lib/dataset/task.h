/// The tasks that models are fine-tuned for, as a table: code asks for a property of a task, never for its name.
#pragma once

#include <string_view>

namespace bigdna::dataset {

struct Task {
  /// What an interval is read around, and so how its strand is treated.
  enum class Site {
    start,  // a start site: the interval is read along its strand, which the label belongs to
    bin,    // a bin of kBin bp without a strand: both strands have the same labels
    whole,  // nothing: a sequence of any length, as it is given
  };
  std::string_view name;  // of a model's head, of a dataset, and in the names of commands
  Site site;
  bool named_outputs;      // the outputs have names, in features.tsv; otherwise there is one, of the task's name
  bool calls;              // outputs are called positive from a threshold on that validation rows choose
  bool constant_baseline;  // evaluation compares with a constant prediction, too
};

/// Null for a name that no task has, such as that of another head.
const Task* find_task(std::string_view name);
/// UsageError naming the tasks for a name that none has.
const Task& task_of(std::string_view name);

}  // namespace bigdna::dataset
