#include "dataset/task.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace bigdna::dataset {

namespace {
constexpr Task kTasks[] = {
    {.name = "promoter", .site = Task::Site::start, .named_outputs = false, .calls = true, .constant_baseline = false},
    {.name = "chromatin", .site = Task::Site::bin, .named_outputs = true, .calls = false, .constant_baseline = false},
    {.name = "table", .site = Task::Site::whole, .named_outputs = true, .calls = false, .constant_baseline = true},
};
}  // namespace

const Task* find_task(std::string_view name) {
  const auto* found = std::ranges::find(kTasks, name, &Task::name);
  return found == std::end(kTasks) ? nullptr : found;
}

const Task& task_of(std::string_view name) {
  const Task* task = find_task(name);
  if (!task) fail("there is no task '", name, "'");
  return *task;
}

}  // namespace bigdna::dataset
