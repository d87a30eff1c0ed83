#include "dataset/task.h"

#include "base/table.h"
#include "dataset/features.h"

namespace bigdna::dataset {

namespace {
constexpr Task kTasks[] = {
    {.name = "promoter", .site = Task::Site::start, .bin_group = kStartSites, .calls = true},
    {.name = "chromatin", .site = Task::Site::bin, .named_outputs = true},
    {.name = "table", .site = Task::Site::whole, .named_outputs = true, .constant_baseline = true},
};
}  // namespace

const Task* find_task(std::string_view name) { return find_row(kTasks, name); }
const Task& task_of(std::string_view name) { return row_named(kTasks, name, "task"); }

}  // namespace bigdna::dataset
