#include "jobs/score_journal.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "io/folder.h"
#include "io/lock.h"
#include "io/output.h"

namespace bigdna::jobs {

namespace {
constexpr const char* kFormatKey = "bigdna_journal";  // the first key of the first line
constexpr int kFormat = 3;

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
  struct stat status {};
  Head head;
  if (std::fread(&head, sizeof head, 1, file) != 1 || fstat(fileno(file), &status) != 0) return std::nullopt;
  const int64_t left = status.st_size - std::ftell(file);  // a damaged count must not exhaust memory
  if (static_cast<int64_t>(head.size * sizeof(float)) > left) return std::nullopt;
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

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
}  // namespace

ScoreJournal::ScoreJournal(const std::string& path, const io::Job& job) : path_(path) {
  io::Job of_scores;
  of_scores.set(kFormatKey, kFormat);
  of_scores.add(job.without_output_options());
  write_.reset(io::open_to_append(path));
  lock(write_.get(), path);
  const auto first = first_line();
  if (first && of_scores.continues(io::Job::parse(*first, path), path, "remove the file to start again")) {
    long end = std::ftell(read_.get());
    while (const auto chunk = read_chunk(read_.get())) {
      places_[chunk->first] = end;
      end = std::ftell(read_.get());
    }
    std::filesystem::resize_file(path, static_cast<uintmax_t>(end));
    return;
  }
  std::filesystem::resize_file(path, 0);
  const std::string line = of_scores.dump() + "\n";
  if (std::fwrite(line.data(), 1, line.size(), write_.get()) == line.size() && std::fflush(write_.get()) == 0) return;
  const int error_number = errno;
  remove();
  fail(path, ": ", errno_text(error_number));
}

std::optional<std::string> ScoreJournal::first_line() {
  const std::string begin = concat("{\"", kFormatKey, "\":");
  read_.reset(std::fopen(path_.c_str(), "rb"));
  if (!read_) fail(path_, ": ", errno_text(errno));
  std::string line;
  for (int c = 0; (c = std::getc(read_.get())) != EOF; line += static_cast<char>(c)) {
    if (c == '\n' && line.size() >= begin.size()) return line;
    const bool lost = c == 0;  // a file system that lost the data after a power cut shows zeros
    if (line.size() < begin.size() && c != begin[line.size()] && !lost)
      fail(path_, ": is not a journal of this version of bigdna: remove it to start again");
    if (lost) return std::nullopt;
  }
  return std::nullopt;
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
      std::fwrite(scores.data(), sizeof(float), scores.size(), file) != scores.size() || std::fflush(file) != 0)
    fail(path_, ": ", errno_text(errno));
  if (now() - synced_ > 10) {
    fdatasync(fileno(file));
    synced_ = now();
  }
}

void ScoreJournal::remove() {
  io::remove_leftover(path_);  // while it is locked
  write_.reset();
}

void ScoreJournal::fail_damaged() const { fail(path_, ": is not the journal of this job: remove it to start again"); }

}  // namespace bigdna::jobs
