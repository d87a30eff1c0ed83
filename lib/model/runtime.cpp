#include "model/runtime.h"

#include <ATen/Context.h>
#include <malloc.h>

/// MKL, inside libtorch_cpu, calls this before it uses a processor's vector units, and takes a slow path on AMD's: a
/// training step of preset tiny takes 1.6 times as long on an EPYC with AVX-512. The dynamic linker finds this
/// definition in the program first. MKL still chooses instructions by what the processor reports.
extern "C" int mkl_serv_intel_cpu_true() { return 1; }

namespace bigdna::model {

void start_runtime() {
  constexpr int kNever = 1 << 30, kGrowth = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, kNever);
  mallopt(M_TRIM_THRESHOLD, kNever);
  mallopt(M_TOP_PAD, kGrowth);
  at::globalContext().setFlushDenormal(true);    // threads inherit it from the one that starts them
  at::globalContext().setAllowTF32CuDNN(false);  // --precision fp32 means 24 bits, also of a GPU's convolutions
}

}  // namespace bigdna::model
