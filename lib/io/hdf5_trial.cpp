#include "io/hdf5_trial.h"

#include <hdf5.h>

#include <cerrno>
#include <vector>

#include "base/error.h"
#include "base/trial.h"

namespace bigdna::io {
namespace {

constexpr unsigned kSeconds = 5;
constexpr hssize_t kMostTexts = 100'000;
constexpr int kMostLevels = 16;  // of groups in each other, which may be in a circle

void read_texts(hid_t attribute, hid_t type) {
  const hid_t space = H5Aget_space(attribute);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const size_t size = H5Tget_size(type);
  if (count > 0 && count <= kMostTexts && size > 0) {
    std::vector<char> texts(static_cast<size_t>(count) * size);
    if (H5Aread(attribute, type, texts.data()) >= 0 && H5Tis_variable_str(type) > 0)
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
  }
  H5Sclose(space);
}

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return 0;
  const hid_t type = H5Aget_type(attribute);
  if (H5Tget_class(type) == H5T_STRING) read_texts(attribute, type);
  H5Tclose(type);
  H5Aclose(attribute);
  return 0;
}

void read_dataset(hid_t dataset) {
  H5Sclose(H5Dget_space(dataset));
  H5Tclose(H5Dget_type(dataset));
  H5Pclose(H5Dget_create_plist(dataset));
  H5Dget_storage_size(dataset);  // walks the index of the chunks
}

void read_object(hid_t object, int depth) {
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, nullptr);
  const auto type = H5Iget_type(object);
  if (type == H5I_DATASET) read_dataset(object);
  H5G_info_t info;
  if (type == H5I_DATASET || depth == kMostLevels || H5Gget_info(object, &info) < 0) return;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[256];
    if (H5Lget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) <= 0) continue;
    const hid_t member = H5Oopen(object, name, H5P_DEFAULT);
    if (member < 0) continue;
    read_object(member, depth + 1);
    H5Oclose(member);
  }
}

/// Handles are left to the end of the process.
void read_members(const std::string& path) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, /*use_file_locking=*/false, /*ignore_when_disabled=*/true);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file < 0) return;
  read_object(file, 0);
  H5Fclose(file);
}

}  // namespace

void refuse_crashing_hdf5(const std::string& path) {
  switch (try_in_child([&] { read_members(path); }, kSeconds)) {
    case Trial::passed:
      return;
    case Trial::crashed:
      fail(path, ": is damaged: libhdf5 crashes when it reads this file");
    case Trial::too_slow:
      fail(path, ": is damaged: libhdf5 did not end reading it");
    case Trial::did_not_start:
      fail(path, ": no process could be started for a trial reading: ", errno_text(errno));
  }
}

}  // namespace bigdna::io
