#include "prediction/embed_writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "io/write_all.h"

namespace bigdna::prediction {
namespace {

/// A file without a name, which is written sequentially and then mapped. It disappears with the process.
class Scratch {
 public:
  explicit Scratch(const std::string& beside) : path_(beside) {
    std::string name = beside + ".XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) fail(beside, ": ", errno_text(errno));
    unlink(name.c_str());
  }
  ~Scratch() {
    if (map_) munmap(map_, bytes_);
    close(file_);
  }
  Scratch(const Scratch&) = delete;

  void append(std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= kBuffer) flush();
  }
  std::span<const float> map() {
    flush();
    if (bytes_ == 0) return {};
    map_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file_, 0);
    if (map_ == MAP_FAILED) map_ = nullptr, fail(path_, ": ", errno_text(errno));
    return {static_cast<const float*>(map_), bytes_ / sizeof(float)};
  }

 private:
  void flush() {
    if (const int error_number = io::write_all(file_, std::span<const std::byte>(buffer_)))
      fail(path_, ": ", errno_text(error_number));
    bytes_ += buffer_.size();
    buffer_.clear();
  }

  static constexpr size_t kBuffer = 1 << 20;
  std::string path_;
  int file_;
  size_t bytes_ = 0;
  void* map_ = nullptr;
  std::vector<std::byte> buffer_;
};

/// .npy version 1.0: magic, version, header length, a Python literal padded to 64 bytes, little-endian floats.
std::string npy_header(int64_t rows, int64_t width) {
  std::string text = concat("{'descr': '<f4', 'fortran_order': False, 'shape': (", rows, ", ", width, "), }");
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  const auto size = static_cast<uint16_t>(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 0xFF) + static_cast<char>(size >> 8) + text;
}

std::string stem_of(const std::string& path) {
  const auto dot = path.rfind('.'), slash = path.rfind('/');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path : path.substr(0, dot);
}

}  // namespace

struct EmbedWriter::State {
  std::string path;
  EmbedFormat format;
  int64_t width, rows = 0;
  bool tokens;
  std::optional<io::Output> text;  // tsv: all of it; npy: the rows' origins
  std::optional<Scratch> matrix;
  std::vector<int64_t> record, start, end;  // safetensors
  std::vector<int32_t> token;
  std::string names;

  void write_origin(const RowOrigin& origin) {
    *text << concat(origin.name, '\t', origin.start, '\t', origin.end);
    if (tokens) *text << concat('\t', origin.token);
  }
  void write_values(std::span<const float> values) {
    std::string line;
    char number[32];
    for (const float value : values) {  // shortest text that reads back as the same float
      line += '\t';
      line.append(number, std::to_chars(number, number + sizeof number, value).ptr);
    }
    *text << line;
  }
};

std::vector<std::string> embed_outputs(const std::string& path, EmbedFormat format) {
  if (format != EmbedFormat::npy) return {path};
  return {path, stem_of(path) + ".rows.tsv"};
}

EmbedWriter::EmbedWriter(const std::string& path, EmbedFormat format, int64_t width, bool tokens)
    : state_(new State{path, format, width, 0, tokens, {}, {}, {}, {}, {}, {}, {}}) {
  if (format != EmbedFormat::tsv) {
    if (path == "-") throw UsageError("only TSV can be written to stdout; name a file with -o");
    state_->matrix.emplace(path);
  }
  if (format == EmbedFormat::safetensors) return;
  state_->text.emplace(embed_outputs(path, format).back());
  *state_->text << "#name\tstart\tend" << (tokens ? "\ttoken" : "");
  if (format == EmbedFormat::tsv)
    for (int64_t i = 0; i < width; ++i) *state_->text << concat("\tv", i);
  *state_->text << "\n";
}
EmbedWriter::~EmbedWriter() = default;

int64_t EmbedWriter::rows() const { return state_->rows; }

void EmbedWriter::record(std::string_view name) {
  if (state_->format != EmbedFormat::safetensors) return;
  if (!is_utf8(name)) fail(state_->path, ": the name '", name, "' is not UTF-8, which a safetensors file must be");
  state_->names += std::string(name) + "\n";
}

void EmbedWriter::row(const RowOrigin& origin, std::span<const float> values) {
  ++state_->rows;
  if (state_->matrix) state_->matrix->append(values);
  if (state_->text) {
    state_->write_origin(origin);
    if (state_->format == EmbedFormat::tsv) state_->write_values(values);
    *state_->text << "\n";
    return;
  }
  state_->record.push_back(origin.record);
  state_->start.push_back(origin.start);
  state_->end.push_back(origin.end);
  if (state_->tokens) state_->token.push_back(origin.token);
}

void EmbedWriter::commit() {
  auto& s = *state_;
  if (!s.matrix) return s.text->commit();
  const auto values = s.matrix->map();
  if (s.format == EmbedFormat::npy) {
    io::Output out(s.path);
    out << npy_header(s.rows, s.width);
    out.write(values.data(), values.size_bytes());
    out.commit();
    return s.text->commit();
  }
  std::vector<io::ArrayToWrite> arrays{io::array("embeddings", values, {s.rows, s.width}),
                                       io::array("record", std::span<const int64_t>(s.record), {s.rows}),
                                       io::array("start", std::span<const int64_t>(s.start), {s.rows}),
                                       io::array("end", std::span<const int64_t>(s.end), {s.rows})};
  if (s.tokens) arrays.push_back(io::array("token", std::span<const int32_t>(s.token), {s.rows}));
  io::write_safetensors(s.path, arrays, {{"names", s.names}});
}

}  // namespace bigdna::prediction
