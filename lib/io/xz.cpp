#include "io/xz.h"

#include <htslib/hfile.h>
#include <lzma.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "base/error.h"

namespace bigdna::io {

namespace {
constexpr uint64_t kMostMemory = uint64_t{1} << 30;  // the file's header says how much it needs
}

struct XzReader::State {
  hFILE* file;
  std::string path;
  lzma_stream stream = LZMA_STREAM_INIT;
  std::vector<uint8_t> input = std::vector<uint8_t>(1 << 16);
  bool ended = false, input_ended = false;
};

bool XzReader::is_xz(hFILE* file) {
  constexpr std::string_view kMagic{
      "\xFD"
      "7zXZ\0",
      6};
  char start[6];
  const auto got = hpeek(file, start, sizeof start);
  return got == static_cast<ssize_t>(kMagic.size()) && std::string_view(start, sizeof start) == kMagic;
}

XzReader::XzReader(hFILE* file, std::string path) : state_(new State{.file = file, .path = std::move(path)}) {
  if (lzma_stream_decoder(&state_->stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK)
    fail(state_->path, ": xz: out of memory");
}

XzReader::~XzReader() {
  lzma_end(&state_->stream);
  hclose_abruptly(state_->file);
}

size_t XzReader::read(char* to, size_t size) {
  State& s = *state_;
  s.stream.next_out = reinterpret_cast<uint8_t*>(to);
  s.stream.avail_out = size;
  while (!s.ended && s.stream.avail_out == size) {
    if (s.stream.avail_in == 0 && !s.input_ended) {
      const ssize_t got = hread(s.file, s.input.data(), s.input.size());
      if (got < 0) fail(s.path, ": ", errno_text(errno));
      s.input_ended = got == 0;
      s.stream.next_in = s.input.data();
      s.stream.avail_in = static_cast<size_t>(got);
    }
    const auto code = lzma_code(&s.stream, s.input_ended ? LZMA_FINISH : LZMA_RUN);
    s.ended = code == LZMA_STREAM_END;
    if (code == LZMA_MEMLIMIT_ERROR)
      fail(s.path, ": xz data that need more than ", kMostMemory >> 20, " MiB to decompress (xz -9 makes 65)");
    if (code != LZMA_OK && code != LZMA_STREAM_END) fail(s.path, ": truncated or damaged xz data");
  }
  return size - s.stream.avail_out;
}

}  // namespace bigdna::io
