#include "train/nccl/open.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.h"
#include "base/program.h"

namespace bigdna::train {

c10::intrusive_ptr<c10d::Backend> open_nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                            std::chrono::milliseconds timeout) {
  const std::string path = program_path().parent_path().parent_path() / "lib" / "libbigdna_nccl.so";
  if (!std::filesystem::exists(path))
    fail(path, ": missing; several GPUs need it (it is built where nvcc and NCCL's header nccl.h are found)");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto make = library ? reinterpret_cast<NcclGroup>(dlsym(library, kNcclSymbol)) : nullptr;
  if (!make) {
    const char* text = dlerror();
    fail(path, ": does not open: ", text ? text : "unknown error");
  }
  char error[512] = "";
  c10d::Backend* group = make(store.get(), rank, size, timeout.count(), error, sizeof error);
  if (!group) fail("NCCL: ", error);
  return c10::intrusive_ptr<c10d::Backend>::reclaim(group);
}

}  // namespace bigdna::train
