#include "train/event_file.h"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::train {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
    table[i] = value;
  }
  return table;
}();

/// TFRecord masks checksums, so that the checksum of bytes that contain checksums is not a special value.
uint32_t masked_crc(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u; }

template <class Number>
std::string_view raw(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
template <class Number>
Number number_at(std::string_view bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// Protocol buffers' wire format: a key of field number and wire type, then the value.
enum Wire : uint64_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void add_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void add_key(std::string& out, uint64_t field, Wire wire) { add_varint(out, field << 3 | wire); }
void add_bytes(std::string& out, uint64_t field, std::string_view value) {
  add_key(out, field, Wire::bytes);
  add_varint(out, value.size());
  out += value;
}

uint64_t read_varint(std::string_view message, size_t& at) {
  uint64_t value = 0;
  for (int shift = 0; at < message.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(message[at++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::string event(int64_t step) {
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string message;
  add_key(message, 1, Wire::fixed64);  // wall_time
  message += raw(now);
  add_key(message, 2, Wire::varint);  // step
  add_varint(message, static_cast<uint64_t>(step));
  return message;
}

/// The step of an event that this class wrote: wall_time comes first, then the step.
int64_t step_of(std::string_view message) {
  size_t at = 1 + sizeof(double);
  return read_varint(message, at) == (2 << 3 | Wire::varint) ? static_cast<int64_t>(read_varint(message, at)) : 0;
}

/// The record at the beginning of `content`, with its frame; nullopt if it is incomplete or damaged.
constexpr size_t kHeader = sizeof(uint64_t) + sizeof(uint32_t), kFrame = kHeader + sizeof(uint32_t);
std::optional<std::string_view> first_record(std::string_view content) {
  if (content.size() < kFrame ||
      number_at<uint32_t>(content, sizeof(uint64_t)) != masked_crc(content.substr(0, sizeof(uint64_t))))
    return std::nullopt;
  const auto length = number_at<uint64_t>(content, 0);
  if (length > content.size() - kFrame) return std::nullopt;
  const auto message = content.substr(kHeader, length);
  if (number_at<uint32_t>(content, kHeader + length) != masked_crc(message)) return std::nullopt;
  return content.substr(0, kFrame + length);
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  return ~crc;
}

EventFile::EventFile(std::string path, int64_t step) : path_(std::move(path)) {
  std::string kept;
  if (step == 0) {
    std::filesystem::remove(path_);
  } else if (std::filesystem::exists(path_)) {
    const std::string content = io::read_file(path_);
    for (auto record = first_record(content); record;
         record = first_record(std::string_view(content).substr(static_cast<size_t>(record->end() - content.data()))))
      if (step_of(record->substr(kHeader, record->size() - kFrame)) <= step) kept += *record;
    if (kept != content) io::write_file(path_, kept);
  }
  file_.reset(io::open_to_append(path_));
  if (!kept.empty()) return;
  std::string version = event(0);
  add_bytes(version, 3, "brain.Event:2");  // file_version, of every file's first event
  append(version);
}

void EventFile::write(int64_t step, const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    add_bytes(value, 1, tag);
    add_key(value, 2, Wire::fixed32);  // simple_value
    value += raw(static_cast<float>(number));
    add_bytes(summary, 1, value);
  }
  std::string message = event(step);
  add_bytes(message, 5, summary);
  append(message);
}

void EventFile::append(std::string_view message) {
  const uint64_t length = message.size();
  std::string record(raw(length));
  record += raw(masked_crc(raw(length)));
  record += message;
  record += raw(masked_crc(message));
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size() || std::fflush(file_.get()) != 0)
    fail(path_, ": ", errno_text(errno));
}

}  // namespace bigdna::train
