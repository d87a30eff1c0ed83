/// Files compressed with xz, decompressed as a stream by liblzma.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct hFILE;  // htslib's

namespace bigdna::io {

class XzReader {
 public:
  /// Whether the file begins with xz's magic bytes, which stay unread.
  static bool is_xz(hFILE* file);
  /// Takes ownership of the file. `path` is for messages.
  XzReader(hFILE* file, std::string path);
  ~XzReader();
  /// Reads up to `size` bytes (size > 0) and returns how many; 0 at the end. Concatenated streams are one text, as for
  /// xz. Error naming the file if it is damaged or truncated, or cannot be read.
  size_t read(char* to, size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::io
