#include "io/hdf5.h"

#include "base/error.h"

namespace bigdna::io {

namespace {
void quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }
}  // namespace

bool Hdf5File::recognises(const std::string& path) {
  quiet();
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5File Hdf5File::open(const std::string& path) {
  quiet();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) fail(path, ": is no HDF5 file, or a damaged one");
  return {path, file};
}

Hdf5File Hdf5File::create(const std::string& path) {
  quiet();
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) fail(path, ": cannot be written");
  return {path, file};
}

Hdf5Handle Hdf5File::dataset(const std::string& name) const {
  const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
  if (dataset < 0) fail(path_, ": holds no dataset ", name);
  return {dataset, H5Dclose};
}

void Hdf5File::close() {
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0 || file_.reset() < 0) fail(path_, ": cannot be written");
}

}  // namespace bigdna::io
