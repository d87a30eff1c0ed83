#include "apps/options/doctor.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/ops/randn.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/output.h"
#include "kernels/attention.h"
#include "model/device.h"

namespace bigdna::apps {
namespace {

/// The file that holds a function.
std::string file_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

/// The largest difference between a product of LibTorch and the same sums in a loop, to check that LibTorch computes
/// correctly.
double product_error() {
  constexpr int64_t kSize = 64;
  const at::Tensor a = at::randn({kSize, kSize}), b = at::randn({kSize, kSize}), product = a.matmul(b);
  const float *x = a.const_data_ptr<float>(), *y = b.const_data_ptr<float>(), *z = product.const_data_ptr<float>();
  double worst = 0;
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j = 0; j < kSize; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < kSize; ++k) sum += static_cast<double>(x[i * kSize + k]) * y[k * kSize + j];
      worst = std::max(worst, std::fabs(sum - z[i * kSize + j]));
    }
  return worst;
}

}  // namespace

void report_to_doctor(const DoctorOptions& options) {
  nlohmann::ordered_json report;
  at::Device device = at::kCPU;
  try {
    device = model::select_device(options.run.device);
  } catch (const Error& error) {
    report["device_error"] = error.what();
  }
  model::configure_threads(options.common.threads);
  report["libtorch"] = TORCH_VERSION;
  report["libtorch_file"] = file_of(reinterpret_cast<const void*>(&at::get_parallel_info));
  report["instructions"] = at::get_cpu_capability();
  report["product_error"] = product_error();
  report["device"] = device.str();
  report["precision"] = model::select_precision(options.run.precision, device) == at::kBFloat16 ? "bf16" : "fp32";
  report["bf16_products"] = kernels::cpu_bf16_products();
  io::Output output("-");
  output << report.dump() << "\n";
  output.commit();
}

}  // namespace bigdna::apps
