#include "corpus/spool.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "genome/fasta.h"
#include "io/lines.h"

namespace bigdna::corpus {

namespace fs = std::filesystem;

namespace {
void write_all(int fd, std::string_view text, const std::string& where) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(where, ": ", errno_text(errno));
    text.remove_prefix(static_cast<size_t>(written));
  }
}
}  // namespace

Spool::Spool(const std::string& source, genome::InvalidBases invalid) {
  genome::FastaReader reader(source, invalid);
  std::string name = (fs::temp_directory_path() / "bigdna-XXXXXX").string();
  fd_ = mkstemp(name.data());
  if (fd_ < 0) fail(name, ": ", errno_text(errno));
  unlink(name.c_str());
  path_ = concat("/proc/self/fd/", fd_);
  while (const auto record = reader.next())
    write_all(fd_, ">" + record->name + "\n" + record->bases + "\n", name);
}

Spool::~Spool() {
  if (fd_ >= 0) close(fd_);
}

std::vector<Spool> spool_what_cannot_be_read_twice(const std::vector<std::string>& paths,
                                                   genome::InvalidBases invalid) {
  std::vector<Spool> spools;
  for (const auto& path : paths) {
    if (io::reads_once(path))
      spools.emplace_back(path, invalid);
    else
      spools.emplace_back(path);
  }
  return spools;
}

}  // namespace bigdna::corpus
