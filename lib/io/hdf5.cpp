#include "io/hdf5.h"

#include <cerrno>

#include "base/error.h"

namespace bigdna::io {

namespace {
void quiet() {
  H5dont_atexit();  // at exit the library would retry what a full disk did not take, and crash
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
}  // namespace

bool Hdf5File::recognises(const std::string& path) {
  quiet();
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5File Hdf5File::open(const std::string& path) {
  quiet();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) fail(path, ": is not an HDF5 file, or is damaged");
  return {path, file};
}

Hdf5File Hdf5File::create(const AtomicFile& target) {
  quiet();
  errno = 0;
  const hid_t file = H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) fail_writing(target.path(), errno);
  return {target.path(), file};
}

Hdf5Handle Hdf5File::dataset(const std::string& name) const {
  const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  if (dataset < 0) fail(path_, ": has no dataset ", name);
  return {dataset, H5Dclose};
}

void Hdf5File::close() {
  errno = 0;
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0 || file_.reset() < 0) fail_writing(path_, errno);
}

}  // namespace bigdna::io
