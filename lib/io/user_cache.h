/// The user's cache: folders for what can be computed again, such as indexes of genomes in read-only folders.
#pragma once

#include <string>
#include <vector>

namespace bigdna::io {

struct UserCache {
  std::string path;
  bool shared_parent = false;  // in a folder where others can write, so it must be this user's alone
  /// Why the folder is not used (errno), 0 if it is. With `make` it is created.
  int refused(bool make = false) const;
};

/// The folders for files of one kind: the first that can be written is used. They need not exist. $BIGDNA_CACHE/KIND
/// alone if that is set; else the user's cache, and then bigdna-UID/KIND in $TMPDIR or /tmp.
std::vector<UserCache> user_caches(const std::string& kind);

}  // namespace bigdna::io
