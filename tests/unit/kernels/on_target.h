/// A fixture that runs a test on one instruction set after another. Include it last, as Highway asks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/targets.h"
//
#include "hwy/targets.h"

namespace bigdna::kernels {

/// The parameter is a Highway target; skipped, with a message, if the processor lacks it.
class OnTarget : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    if (!(hwy::SupportedTargets() & GetParam()))
      GTEST_SKIP() << "this processor has no " << hwy::TargetName(GetParam());
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(GetParam());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// All that were compiled.
inline std::vector<int64_t> targets() {
  std::vector<int64_t> list;
  for (int64_t rest = HWY_TARGETS; rest; rest &= rest - 1) list.push_back(rest & -rest);
  return list;
}
inline std::string target_name(const testing::TestParamInfo<int64_t>& info) { return hwy::TargetName(info.param); }

}  // namespace bigdna::kernels
