#include "prediction/score_journal.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "io/lock.h"

namespace bigdna::prediction {

namespace {
constexpr int kFormat = 2;  // journals of format 1 did not number their chunks

struct Head {
  uint64_t chunk = 0;
  uint32_t size = 0, crc = 0;
};

uint32_t crc_of(uint64_t chunk, std::span<const float> values) {
  const auto crc = crc32(0, reinterpret_cast<const unsigned char*>(&chunk), sizeof chunk);
  return static_cast<uint32_t>(
      crc32(crc, reinterpret_cast<const unsigned char*>(values.data()), static_cast<unsigned>(values.size_bytes())));
}

/// The next chunk's number and values; nullopt at the file's end, or if the chunk is incomplete.
std::optional<std::pair<int64_t, std::vector<float>>> read_chunk(std::FILE* file) {
  constexpr uint32_t kMost = 1 << 26;  // a damaged count must not exhaust memory
  Head head;
  if (std::fread(&head, sizeof head, 1, file) != 1 || head.size > kMost) return std::nullopt;
  std::vector<float> values(head.size);
  if (std::fread(values.data(), sizeof(float), values.size(), file) != values.size() ||
      crc_of(head.chunk, values) != head.crc)
    return std::nullopt;
  return std::pair(static_cast<int64_t>(head.chunk), std::move(values));
}

/// Error if another process holds the lock, or has just finished its job and removed the file.
void lock(std::FILE* file, const std::string& path) {
  io::lock(fileno(file), path);
  struct stat status {};
  if (fstat(fileno(file), &status) == 0 && status.st_nlink == 0) fail(path, ": another process is writing to it");
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

ScoreJournal::ScoreJournal(const std::string& path, const io::Job& job) : path_(path) {
  io::Job of_scores = job.without_output_options();
  of_scores.set("journal", kFormat);
  const std::string line =
      of_scores.values().dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  write_.reset(std::fopen(path.c_str(), "ab"));
  if (!write_) fail(path, ": ", errno_text(errno));
  lock(write_.get(), path);
  if (std::filesystem::file_size(path) > 0) {
    read_.reset(std::fopen(path.c_str(), "rb"));
    if (!read_) fail(path, ": ", errno_text(errno));
    std::string first;
    for (int c = 0; (c = std::getc(read_.get())) != EOF && c != '\n';) first += static_cast<char>(c);
    of_scores.require_same(io::Job::parse(first, path), path, "remove the file to start again");
    long end = std::ftell(read_.get());
    while (const auto chunk = read_chunk(read_.get())) {
      places_[chunk->first] = end;
      end = std::ftell(read_.get());
    }
    std::filesystem::resize_file(path, static_cast<uintmax_t>(end));
  } else if (std::fwrite(line.data(), 1, line.size(), write_.get()) != line.size() ||
             std::fflush(write_.get()) != 0) {
    fail(path, ": ", errno_text(errno));
  }
}
ScoreJournal::~ScoreJournal() = default;

std::optional<std::vector<float>> ScoreJournal::scores_of(int64_t chunk) {
  const auto place = places_.find(chunk);
  if (place == places_.end()) return std::nullopt;
  std::fseek(read_.get(), place->second, SEEK_SET);
  auto read = read_chunk(read_.get());
  if (!read) fail_damaged();
  return std::move(read->second);
}

void ScoreJournal::append(int64_t chunk, std::span<const float> scores) {
  const auto number = static_cast<uint64_t>(chunk);
  const Head head{number, static_cast<uint32_t>(scores.size()), crc_of(number, scores)};
  std::FILE* file = write_.get();
  if (std::fwrite(&head, sizeof head, 1, file) != 1 ||
      std::fwrite(scores.data(), sizeof(float), scores.size(), file) != scores.size() ||
      std::fflush(file) != 0)
    fail(path_, ": ", errno_text(errno));
  if (now() - synced_ > 10) {
    fdatasync(fileno(file));
    synced_ = now();
  }
}

void ScoreJournal::remove() {
  std::filesystem::remove(path_);  // while it is locked
  write_.reset();
}

void ScoreJournal::fail_damaged() const {
  fail(path_, ": is not the journal of this job: remove it to start again");
}

}  // namespace bigdna::prediction
