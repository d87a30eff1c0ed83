/// The blocks of BGZF files, which random access needs: an index of them counts nothing that is in another form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna::io {

/// The size in bytes of the BGZF block that begins at this byte of a file; nothing if none does.
std::optional<int64_t> bgzf_block(int fd, int64_t offset);

/// Error naming the file and the byte unless it is BGZF to its end: htslib goes on through plain gzip that follows, but
/// indexes of it lead elsewhere, and records would be missing. Reads the header of every block.
void require_bgzf(const std::string& path);

}  // namespace bigdna::io
