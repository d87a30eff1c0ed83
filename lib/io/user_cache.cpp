#include "io/user_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace bigdna::io {
namespace {

namespace fs = std::filesystem;

/// A folder under $TMPDIR may have been put there by another user, whose files would not be what they are taken for. It
/// is used if it is this user's alone: no link, and writable by nobody else. Returns why it is not, 0 if it is. It is
/// made if `make` is set, and otherwise may be missing.
int refuse_others(const fs::path& folder, bool make) {
  if (make && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0) return errno;
  if (!S_ISDIR(info.st_mode)) return ENOTDIR;
  return info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) ? EACCES : 0;
}

}  // namespace

std::vector<UserCache> user_caches(const std::string& kind) {
  const char* own = std::getenv("BIGDNA_CACHE");
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (own && *own) return {{fs::path(own) / kind}};
  std::vector<UserCache> caches;
  if (xdg && *xdg)
    caches.push_back({fs::path(xdg) / "bigdna" / kind});
  else if (home && *home)
    caches.push_back({fs::path(home) / ".cache/bigdna" / kind});
  std::error_code error;
  if (const fs::path temporary = fs::temp_directory_path(error); !error)
    caches.push_back({temporary / concat("bigdna-", geteuid()) / kind, /*shared_parent=*/true});
  return caches;
}

int UserCache::refused(bool make) const {
  const fs::path folder = path;
  if (shared_parent) {
    const int cause = refuse_others(folder.parent_path(), make);
    return cause ? cause : refuse_others(folder, make);
  }
  std::error_code error;
  if (make) fs::create_directories(folder, error);
  return error.value();
}

}  // namespace bigdna::io
