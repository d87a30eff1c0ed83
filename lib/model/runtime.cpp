#include "model/runtime.h"

#include <malloc.h>

namespace bigdna::model {

void start_runtime() {
  constexpr int kNever = 1 << 30, kGrowth = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, kNever);
  mallopt(M_TRIM_THRESHOLD, kNever);
  mallopt(M_TOP_PAD, kGrowth);
}

}  // namespace bigdna::model
