#include "prediction/score_journal.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"

namespace bigdna::prediction {

namespace {
uint32_t crc_of(std::span<const float> values) {
  return static_cast<uint32_t>(crc32(0, reinterpret_cast<const unsigned char*>(values.data()),
                                     static_cast<unsigned>(values.size_bytes())));
}

/// nullopt at the file's end, or if the chunk is incomplete.
std::optional<std::vector<float>> read_chunk(std::FILE* file) {
  constexpr uint32_t kMost = 1 << 26;  // a damaged count must not exhaust memory
  std::array<uint32_t, 2> head{};
  if (std::fread(head.data(), sizeof(uint32_t), 2, file) != 2 || head[0] > kMost) return std::nullopt;
  std::vector<float> values(head[0]);
  if (std::fread(values.data(), sizeof(float), values.size(), file) != values.size() ||
      crc_of(values) != head[1])
    return std::nullopt;
  return values;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

std::string job_record(const std::string& output) { return output + "." + io::kJobFile; }

bool finished_before(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                     const std::string& journal, const io::Job& job) {
  namespace fs = std::filesystem;
  for (const std::string& input : inputs)
    if (!input.empty() && input != "-" && !fs::exists(input)) fail(input, ": ", errno_text(ENOENT));
  if (fs::exists(journal) ||
      !std::all_of(outputs.begin(), outputs.end(), [](const auto& name) { return fs::exists(name); }))
    return false;
  const std::string output = outputs.front(), record = job_record(output);
  if (!fs::exists(record))
    fail(output, ": exists, and no ", record,
         " records its options (it was made without --resume, or by an older version); remove it to make it again");
  job.require_same(io::Job::load(record), output, "remove it to make it again");
  log::info(output, ": is complete");
  return true;
}

ScoreJournal::ScoreJournal(const std::string& path, const io::Job& job) : path_(path), job_(job) {
  const io::Job of_scores = job.without_output_options();
  const std::string line =
      of_scores.values().dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const bool exists = std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
  int64_t end = static_cast<int64_t>(line.size());
  if (exists) {
    read_.reset(std::fopen(path.c_str(), "rb"));
    if (!read_) fail(path, ": ", errno_text(errno));
    std::string first;
    for (int c = 0; (c = std::getc(read_.get())) != EOF && c != '\n';) first += static_cast<char>(c);
    of_scores.require_same(io::Job::parse(first, path), path, "remove the file to start again");
    end = std::ftell(read_.get());
    const int64_t begin = end;
    while (read_chunk(read_.get())) {
      ++recorded_;
      end = std::ftell(read_.get());
    }
    std::fseek(read_.get(), begin, SEEK_SET);
    std::filesystem::resize_file(path, static_cast<uintmax_t>(end));
  }
  write_.reset(std::fopen(path.c_str(), exists ? "ab" : "wb"));
  if (!write_ || (!exists && std::fwrite(line.data(), 1, line.size(), write_.get()) != line.size()) ||
      std::fflush(write_.get()) != 0)
    fail(path, ": ", errno_text(errno));
}
ScoreJournal::~ScoreJournal() = default;

std::optional<std::vector<float>> ScoreJournal::next() {
  if (taken_ == recorded_) return std::nullopt;
  ++taken_;
  return read_chunk(read_.get());
}

void ScoreJournal::append(std::span<const float> scores) {
  const std::array<uint32_t, 2> head{static_cast<uint32_t>(scores.size()), crc_of(scores)};
  std::FILE* file = write_.get();
  if (std::fwrite(head.data(), sizeof(uint32_t), 2, file) != 2 ||
      std::fwrite(scores.data(), sizeof(float), scores.size(), file) != scores.size() ||
      std::fflush(file) != 0)
    fail(path_, ": ", errno_text(errno));
  if (now() - synced_ > 10) {
    fdatasync(fileno(file));
    synced_ = now();
  }
}

void ScoreJournal::finish(const std::string& output) {
  job_.save(job_record(output));
  remove();
}

void ScoreJournal::remove() {
  write_.reset();
  std::filesystem::remove(path_);
}

void ScoreJournal::fail_damaged() const {
  fail(path_, ": is not the journal of this job: remove it to start again");
}

}  // namespace bigdna::prediction
