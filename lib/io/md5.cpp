#include "io/md5.h"

#include <htslib/hts.h>

#include <new>

#include "io/paths.h"

namespace bigdna::io {

Md5::Md5() : context_(hts_md5_init()) {
  if (!context_) throw std::bad_alloc();
}
Md5::~Md5() { hts_md5_destroy(context_); }
void Md5::update(std::string_view bytes) {
  hts_md5_update(context_, bytes.data(), static_cast<unsigned long>(bytes.size()));
}
std::string Md5::hex() {
  unsigned char digest[16];
  char text[33];
  hts_md5_final(digest, context_);
  hts_md5_hex(text, digest);
  return text;
}

std::string md5_of_file(const std::string& path) {
  Bytes bytes(path);
  Md5 md5;
  std::string buffer(1 << 20, '\0');
  while (const size_t got = bytes.read(buffer.data(), buffer.size())) md5.update({buffer.data(), got});
  return md5.hex();
}

std::string md5_of_bytes(std::string_view bytes) {
  Md5 md5;
  md5.update(bytes);
  return md5.hex();
}

}  // namespace bigdna::io
