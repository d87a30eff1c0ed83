#include "io/hdf5.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "io/hdf5_trial.h"

namespace bigdna::io {

namespace {
void quiet() {
  H5dont_atexit();  // at exit the library would retry what a full disk did not take, and crash
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
constexpr const char* kLocking = "HDF5_USE_FILE_LOCKING";  // the library's own; the user's choice counts

/// The end of a message about a file that cannot be locked.
std::string remedy(int error_number) {
  const bool of_locks = error_number == ENOLCK || error_number == EOPNOTSUPP || error_number == ENOSYS ||
                        error_number == 524;  // ENOTSUPP, which has no name outside of the kernel
  return of_locks ? concat(" (", kLocking, "=FALSE turns off the locks of HDF5)") : "";
}

/// How a file is to be opened. HDF5 locks it by default, and fails where the file system has no locks; an environment
/// variable of the user's decides otherwise.
Hdf5Handle access(bool locks) {
  Hdf5Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(list, locks, /*ignore_when_disabled=*/true);
  return list;
}

/// Whether the file system has locks. Error if another program holds one on the file.
bool can_lock(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const int error_number = flock(file, LOCK_SH | LOCK_NB) == 0 ? 0 : errno;
  close(file);
  if (error_number == EWOULDBLOCK && !std::getenv(kLocking))
    fail(path, ": another program has locked it, as it may be writing to it (", kLocking, "=FALSE reads it anyway)");
  return error_number == 0;
}
}  // namespace

bool Hdf5File::recognises(const std::string& path) {
  quiet();
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5File Hdf5File::open(const std::string& path) {
  quiet();
  const Hdf5Handle how = access(can_lock(path));
  refuse_crashing_hdf5(path);
  errno = 0;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, how);
  if (const std::string end = remedy(errno); file < 0 && !end.empty()) fail(path, ": ", errno_text(errno), end);
  if (file < 0) fail(path, ": is not an HDF5 file, or is damaged");
  return {path, file};
}

Hdf5File Hdf5File::create(const AtomicFile& target) {
  quiet();
  const Hdf5Handle how = access(/*locks=*/false);  // nobody else knows the new file
  errno = 0;
  const hid_t file = H5Fcreate(target.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, how);
  if (const std::string end = remedy(errno); file < 0 && !end.empty())
    fail(target.path(), ": ", errno_text(errno), end);
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
