/// MD5 (htslib's), as 32 hex digits: the checksum of input files and of the files listed in manifests.
#pragma once

#include <string>
#include <string_view>

struct hts_md5_context;

namespace bigdna::io {

/// The MD5 of bytes that come in parts.
class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;
  void update(std::string_view bytes);
  /// To be called once, after the last update().
  std::string hex();

 private:
  ::hts_md5_context* context_;
};

/// Error naming the file if it cannot be read.
std::string md5_of_file(const std::string& path);
std::string md5_of_bytes(std::string_view bytes);

}  // namespace bigdna::io
