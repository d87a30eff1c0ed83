/// tar archives: which bytes of the file each member is, and how a folder becomes one. ustar, GNU and pax headers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bigdna::io {

/// The members of a tar that lies on disk. Their names are paths from the archive's root, "model/config.json": without
/// a leading "./" and, if everything lies in one folder (tar cf model.tar model), without that folder.
class TarIndex {
 public:
  struct Member {
    uint64_t offset = 0, bytes = 0;  // in the file
    bool is_file = true;             // false: a link or a device, which is listed but cannot be read
  };
  /// Reads the headers alone. Error naming the file, and the member or the byte: compressed, no tar, truncated, a wrong
  /// checksum, a name that is absolute, leads out of the archive or comes twice, a sparse file.
  explicit TarIndex(const std::string& path);
  /// nullptr if there is no such member.
  const Member* find(const std::string& name) const;
  /// Of all files, sorted.
  std::vector<std::string> names() const;
  /// Whether it is a folder that has members; "" is the archive itself.
  bool is_folder(const std::string& name) const { return folders_.contains(name); }

 private:
  class Reader;
  void add(std::string name, Member member);
  void leave_out_top_folder();

  std::string path_;
  std::map<std::string, Member> members_;
  std::set<std::string> folders_;
};

/// The names that a tar's member has by its path, "./a//b" as "a/b"; "" for the root. Error naming `path`, the archive,
/// if it is absolute or holds "..".
std::string member_name(const std::string& name, const std::string& path);

/// Whether the path ends as those of compressed tars do: .tar.gz, .tgz ...
bool is_called_compressed_tar(const std::string& path);
/// Whether the file is a tar, or has a name that says so, compressed or not. False for what is no regular file.
bool looks_like_tar(const std::string& path);

/// Writes `names`, files below `folder`, as the tar `output`, in the order of their names. The same contents give the
/// same bytes: owner 0, mode 0644, and as time SOURCE_DATE_EPOCH or 0.
void write_tar(const std::string& folder, std::vector<std::string> names, const std::string& output);

}  // namespace bigdna::io
