#include "apps/options/task_options.h"

#include <string_view>

#include "apps/options/option.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {
using dataset::Task;

struct TaskGroup {
  const char* heading;
  bool (*has)(const Task&);
};
constexpr TaskGroup kGroups[] = {
    {kChromatinOptions, [](const Task& task) { return task.site == Task::Site::bin && !task.profiles; }},
    {kProfileOptions, [](const Task& task) { return task.profiles; }},
    {kGenomeOptions, [](const Task& task) { return task.site == Task::Site::bin; }},
    {kLabelOptions, [](const Task& task) { return !task.profiles; }},
    {kSequenceOptions, [](const Task& task) { return task.site != Task::Site::bin; }},
    {kTableOptions, [](const Task& task) { return task.site == Task::Site::whole; }},
    {kOutputOptions, [](const Task& task) { return task.named_outputs; }},
};
}  // namespace

const Task& task_of_dataset(const OptionList& list, const std::string& dataset) {
  const Task& task = dataset::task_of_dataset(dataset);
  for (const auto& group : kGroups)
    if (!group.has(task))
      list.refuse_with(group.heading, concat("on ", dataset, ", which is a ", task.name, " dataset"));
  return task;
}

}  // namespace bigdna::apps
