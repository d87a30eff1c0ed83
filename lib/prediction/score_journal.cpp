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

/// nullopt: the file ends here, or the chunk is not whole.
std::optional<std::vector<float>> read_chunk(std::FILE* file) {
  constexpr uint32_t kMost = 1 << 26;  // a damaged count must not ask for all memory
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

nlohmann::ordered_json file_identity(const std::string& path) {
  if (path.empty()) return nullptr;
  return {{"bytes", std::filesystem::file_size(path)},
          {"changed", std::filesystem::last_write_time(path).time_since_epoch() / std::chrono::seconds(1)}};
}

bool finished_before(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs, const std::string& journal) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    if (input.empty() || input == "-") continue;
    if (!fs::exists(input)) fail(input, ": ", errno_text(ENOENT));
    if (fs::is_regular_file(input)) files.push_back(input);
  }
  if (fs::exists(journal) || !std::all_of(outputs.begin(), outputs.end(), [](const auto& name) { return fs::exists(name); })) return false;
  for (const std::string& file : files)
    if (fs::last_write_time(file) > fs::last_write_time(outputs.front()))
      log::warn(outputs.front(), ": is complete, and older than ", file, ", which has changed since (take it away to have it made anew)");
  log::info(outputs.front(), ": is complete (its options are not compared)");
  return true;
}

ScoreJournal::ScoreJournal(const std::string& path, const nlohmann::ordered_json& job) : path_(path) {
  const std::string line = job.dump() + "\n";
  const bool exists = std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
  int64_t end = static_cast<int64_t>(line.size());
  if (exists) {
    read_.reset(std::fopen(path.c_str(), "rb"));
    if (!read_) fail(path, ": ", errno_text(errno));
    std::string first;
    for (int c = 0; (c = std::getc(read_.get())) != EOF && c != '\n';) first += static_cast<char>(c);
    const auto before = nlohmann::ordered_json::parse(first, nullptr, false);
    if (!before.is_object()) fail_damaged();
    for (const auto& [name, value] : job.items())
      if (!before.contains(name) || before[name] != value)
        fail(path, ": the job was started with another ", name, " (",
             before.value(name, nlohmann::ordered_json()).dump(), ", not ", value.dump(),
             "): remove the file to start anew");
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

void ScoreJournal::remove() {
  write_.reset();
  std::filesystem::remove(path_);
}

void ScoreJournal::fail_damaged() const {
  fail(path_, ": is no journal of this job: remove it to start anew");
}

}  // namespace bigdna::prediction
