#include "model/device.h"

#include <ATen/Parallel.h>
#include <ATen/cpu/Utils.h>

#include "base/error.h"
#include "base/log.h"

namespace bigdna::model {

at::Device select_device(const std::string& choice) {
  if (choice == "auto" || choice == "cpu") return at::kCPU;
  if (choice == "cuda" || choice.starts_with("cuda:")) fail("--device ", choice, ": this build has no CUDA plug-in (libbigdna_cuda.so)");
  throw UsageError(concat("no device called ", choice, "; there are auto, cpu, cuda and cuda:N"));
}

at::ScalarType select_precision(const std::string& choice, const at::Device& device) {
  if (choice == "fp32") return at::kFloat;
  if (choice == "bf16") return at::kBFloat16;
  if (choice != "auto") throw UsageError(concat("no precision called ", choice, "; there are auto, fp32 and bf16"));
  if (!device.is_cuda() && !at::cpu::init_amx()) return at::kFloat;
  log::info("precision bf16 (", device.is_cuda() ? "a GPU" : "a processor with AMX", "; --precision fp32 for single precision)");
  return at::kBFloat16;
}

void configure_threads(int threads) { at::set_num_threads(threads); }

}  // namespace bigdna::model
