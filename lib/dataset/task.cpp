#include "dataset/task.h"

#include "base/error.h"
#include "base/table.h"
#include "dataset/features.h"
#include "dataset/folder_manifest.h"
#include "io/manifest.h"

namespace bigdna::dataset {

namespace {
constexpr Task kTasks[] = {
    {.name = "promoter", .site = Task::Site::start, .bin_group = kStartSites, .calls = true},
    {.name = "chromatin", .site = Task::Site::bin, .named_outputs = true},
    {.name = "profile", .site = Task::Site::bin, .profiles = true},
    {.name = "table", .site = Task::Site::whole, .named_outputs = true, .constant_baseline = true},
};
}  // namespace

const Task* find_task(std::string_view name) { return find_row(kTasks, name); }
const Task& task_of(std::string_view name) { return row_named(kTasks, name, "task"); }

const Task& task_of_dataset(const std::string& folder) {
  const auto manifest = io::Manifest::load(manifest_path(folder), "dataset");
  const std::string name = manifest.details.value("task", "");
  const Task* task = find_task(name);
  if (!task) fail(folder, ": is a dataset of an unknown task, '", name, "'");
  return *task;
}

}  // namespace bigdna::dataset
