#include "kernels/cuda_plugin.h"

#include <gtest/gtest.h>

namespace bigdna::kernels {
namespace {

TEST(CudaPlugin, says_why_there_is_none) {
  const CudaDriver driver = cuda_driver();
  if (!driver.devices.empty()) GTEST_SKIP() << "this machine has " << driver.devices.size() << " GPU(s)";
  EXPECT_NE(driver.reason, "");
  EXPECT_EQ(cuda_plugin().table, nullptr);
  EXPECT_EQ(cuda_plugin().devices, 0);
  EXPECT_EQ(cuda_plugin().reason, driver.reason);
}

TEST(CudaPlugin, a_missing_or_wrong_file_is_named) {
  const CudaPlugin missing = open_cuda_plugin("/nowhere/libbigdna_cuda.so");
  EXPECT_EQ(missing.table, nullptr);
  EXPECT_NE(missing.reason.find("/nowhere/libbigdna_cuda.so"), std::string::npos) << missing.reason;
  const CudaPlugin wrong = open_cuda_plugin("libm.so.6");
  EXPECT_EQ(wrong.table, nullptr);
  EXPECT_NE(wrong.reason.find("not a bigdna CUDA plug-in"), std::string::npos) << wrong.reason;
}

}  // namespace
}  // namespace bigdna::kernels
