#include "model/device.h"

#include <ATen/Parallel.h>
#include <ATen/cpu/Utils.h>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::model {
namespace {

/// N of "cuda:N", 0 for "cuda"; UsageError if N is not a number.
int device_number(const std::string& choice) {
  if (choice == "cuda") return 0;
  const auto number = parse_number<int>(std::string_view(choice).substr(std::string_view("cuda:").size()));
  if (!number || *number < 0) throw UsageError(concat("--device ", choice, ": not cuda:N"));
  return *number;
}

/// The unit that makes bf16 products faster than fp32 ones on this processor; null if there is none. With AMX they take
/// a fifth of the time, with AVX512-BF16 on AMD's Zen 4 and 5 half of it. Intel's AVX512-BF16 has half that rate: on
/// Emerald Rapids without AMX, training took 1.5 times as long in bf16 as in fp32, and prediction 1.8 times.
const char* bf16_unit() {
  if (at::cpu::init_amx()) return "AMX";
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd")) return "AVX512-BF16";
#endif
  return nullptr;
}

}  // namespace

at::Device select_device(const std::string& choice) {
  if (choice == "cpu") return at::kCPU;
  const bool asked = choice == "cuda" || choice.starts_with("cuda:");
  if (!asked && choice != "auto") throw UsageError(concat("unknown device ", choice, " (auto, cpu, cuda or cuda:N)"));
  const int number = asked ? device_number(choice) : 0;
  const auto& cuda = kernels::cuda_plugin();
  if (!cuda.table) {
    if (asked) fail("--device ", choice, ": ", cuda.reason);
    if (cuda.devices > 0) log::warn(cuda.reason, "; running on the CPU");
    return at::kCPU;
  }
  if (number >= cuda.devices) fail("--device ", choice, ": there are ", cuda.devices, " GPUs, numbered from 0");
  char name[128] = "";
  int major = 0, minor = 0;
  cuda.table->describe_device(number, name, sizeof name, &major, &minor);
  if (const int error = cuda.table->check_device(number)) {
    const std::string reason =
        concat("cuda:", number, " (", name, ", sm_", major, minor, ") cannot run the CUDA plug-in, built for ",
               cuda.table->built_for, ": ", cuda.table->error_text(error), " (preset cuda builds for all GPUs)");
    if (asked) fail("--device ", choice, ": ", reason);
    log::warn(reason, "; running on the CPU");
    return at::kCPU;
  }
  log::info("device cuda:", number, " (", name, ", sm_", major, minor, ")");
  return {at::kCUDA, static_cast<at::DeviceIndex>(number)};
}

at::ScalarType select_precision(const std::string& choice, const at::Device& device) {
  if (choice == "fp32") return at::kFloat;
  if (choice == "bf16") return at::kBFloat16;
  if (choice != "auto") throw UsageError(concat("unknown precision ", choice, " (auto, fp32 or bf16)"));
  const char* unit = device.is_cuda() ? "a GPU" : bf16_unit();
  if (!unit) return at::kFloat;
  log::info("precision bf16 (", unit, "; --precision fp32 for single precision)");
  return at::kBFloat16;
}

void configure_threads(int threads) {
  at::get_num_threads();  // a thread's first call takes over what another thread set last; afterwards it has its own
  at::set_num_threads(threads);
}

}  // namespace bigdna::model
