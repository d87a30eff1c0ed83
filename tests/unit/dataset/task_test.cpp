#include "dataset/task.h"

#include <gtest/gtest.h>

#include "support.h"

namespace bigdna::dataset {
namespace {

TEST(Task, EachHasTheNameOfAHeadWithLabels) {
  for (const char* name : {"promoter", "chromatin", "table"}) {
    ASSERT_TRUE(find_task(name)) << name;
    EXPECT_EQ(task_of(name).name, name);
  }
}

TEST(Task, AHeadThatIsNoTaskIsNotFound) {
  for (const char* name : {"", "none", "mlm", "pretraining", "classification", "promoters"})
    EXPECT_FALSE(find_task(name)) << name;
  EXPECT_EQ(test::error_of([] { task_of("mlm"); }), "unknown task mlm (promoter, chromatin, profile, table)");
}

}  // namespace
}  // namespace bigdna::dataset
