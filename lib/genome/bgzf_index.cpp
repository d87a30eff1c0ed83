#include "genome/bgzf_index.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "io/bgzf.h"
#include "io/output.h"
#include "io/paths.h"
#include "io/write_all.h"

namespace bigdna::genome {

namespace {
/// A little-endian number of `bytes` bytes.
int64_t number(const char* data, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<uint8_t>(data[i]);
  return static_cast<int64_t>(value);
}
}  // namespace

BgzfIndex::BgzfIndex(const std::string& gzi, const std::string& file)
    : gzi_(gzi), file_(file), size_(static_cast<int64_t>(io::extent_of(file).bytes)) {
  const std::string bytes = io::read_file(gzi);
  if (bytes.size() % 16 != 8 || number(bytes.data(), 8) != static_cast<int64_t>(bytes.size() / 16))
    fail_damaged("truncated");
  entries_.push_back({0, 0});
  for (size_t at = 8; at < bytes.size(); at += 16) {
    const Entry before = entries_.back(), entry{number(&bytes[at], 8), number(&bytes[at + 8], 8)};
    if (entry.compressed <= before.compressed || entry.inflated < before.inflated || entry.compressed > size_)
      fail_damaged(concat("entry ", entries_.size(), " of ", bytes.size() / 16, " is out of order"));
    entries_.push_back(entry);
  }
  checked_.resize(entries_.size());
  fd_ = open(io::openable(file).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(file, ": ", errno_text(errno));
}

BgzfIndex::~BgzfIndex() {
  if (fd_ >= 0) close(fd_);
}

void BgzfIndex::fail_damaged(const std::string& cause) const {
  io::require_bgzf(file_);  // else it is the file that is at fault
  fail(gzi_, ": is damaged, or is not the index of ", file_, " (", cause, "); remove it and bigdna builds it again");
}

BgzfIndex::Block BgzfIndex::block_at(int64_t offset) const {
  const auto bad = [&]() { fail_damaged(concat("there is no block at byte ", offset)); };
  const auto bytes = io::bgzf_block(fd_, offset);
  if (!bytes) bad();
  std::array<char, 4> inflated{};
  if (io::read_all(fd_, inflated, offset + *bytes - 4) != 0) bad();
  return {*bytes, number(inflated.data(), 4)};
}

/// Error unless this entry's block and the next entry's follow each other in the file as the index says.
void BgzfIndex::check_entry(size_t number) {
  if (checked_[number]) return;
  const Entry entry = entries_[number];
  const bool last = number + 1 == entries_.size();
  const Entry next = last ? Entry{size_, INT64_MAX} : entries_[number + 1];
  Block block = entry.compressed < size_ ? block_at(entry.compressed) : Block{0, 0};
  if (!last && entry.inflated + block.inflated != next.inflated)
    fail_damaged(concat("entry ", number + 1, " is not where its block begins"));
  int64_t at = entry.compressed + block.bytes;
  while (at < next.compressed) {  // empty blocks: end markers
    block = block_at(at);
    if (block.inflated != 0) fail_damaged(concat("it leaves out the block at byte ", at));
    at += block.bytes;
  }
  if (at != next.compressed) fail_damaged(concat("entry ", number + 1, " is not where its block begins"));
  checked_[number] = true;
}

void BgzfIndex::check_end() { check_entry(entries_.size() - 1); }

int64_t BgzfIndex::most_bytes() const {
  constexpr int64_t kBlock = 64 << 10;  // the most that a block of BGZF holds
  return entries_.back().inflated + kBlock;
}

void BgzfIndex::check(int64_t position) {
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), position,
                                      [](int64_t wanted, const Entry& entry) { return wanted < entry.inflated; });
  const auto number = static_cast<size_t>(after - entries_.begin()) - 1;
  if (number > 0) check_entry(number - 1);
  check_entry(number);
  if (number + 1 == entries_.size()) {  // no further entry says how long this block is
    const Entry entry = entries_[number];
    const int64_t inflated = entry.compressed < size_ ? block_at(entry.compressed).inflated : 0;
    if (position > entry.inflated + inflated)
      fail_damaged(concat("byte ", position, " of the sequence is in no block"));
  }
}

}  // namespace bigdna::genome
