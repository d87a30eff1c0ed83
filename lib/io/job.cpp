#include "io/job.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "io/json.h"
#include "io/manifest.h"
#include "io/output.h"

namespace bigdna::io {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr uint64_t kSmallFile = 4 << 20, kParts = 256, kPart = 16 << 10;
constexpr const char* kMd5OfParts = "md5_of_parts";
constexpr const char* kChanged = "changed";  // the time of its last change, which older versions recorded instead

bool is_input(const ordered_json& value) { return value.is_object() && value.contains("path"); }

int64_t time_of_change(const std::string& path) {
  std::error_code missing;
  const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(path, missing));
  return time.time_since_epoch() / std::chrono::seconds(1);
}

std::string md5_of_parts(const std::string& path, uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string part(kPart, '\0');
  Md5 md5;
  for (uint64_t i = 0; i < kParts; ++i) {
    const auto start = static_cast<double>(bytes - kPart) * static_cast<double>(i) / (kParts - 1);
    if (!file.seekg(static_cast<std::streamoff>(start)).read(part.data(), kPart)) fail(path, ": ", errno_text(errno));
    md5.update(part);
  }
  return md5.hex();
}

/// The path of an input ("/genome.fa"), text without quotes, everything else as JSON.
std::string text_of(const ordered_json& value) {
  if (is_input(value)) return text_of(value["path"]);
  return value.is_string() && !value.get_ref<const std::string&>().empty() ? value.get<std::string>() : value.dump();
}

bool same(const ordered_json& before, const ordered_json& now) {
  if (before.is_array() && now.is_array() && before.size() == now.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      if (!same(before[i], now[i])) return false;
    return true;
  }
  if (is_input(before) && now == before["path"]) return true;  // the file is gone and cannot be compared
  if (is_input(now) && before.is_string()) return now["path"] == before;  // versions before 0.2 recorded the path alone
  if (!is_input(before) || !is_input(now))
    return before == now || (before.is_null() && now == "") || (before.is_number() && now == before.dump());
  auto first = before, second = now;
  if (first.contains(kChanged) && second.contains(kMd5OfParts)) {
    second.erase(kMd5OfParts);
    second[kChanged] = time_of_change(text_of(now));
  }
  if (first.size() > 1 && second.size() > 1) {
    first.erase("path");
    second.erase("path");
  }
  return first == second;
}

std::string difference(const std::string& option, const ordered_json& before, const ordered_json& now) {
  if (is_input(before) && is_input(now) && before["path"] == now["path"])
    return concat("was made from an earlier version of ", option, " ", text_of(now), ", which has changed since",
                  before.contains(kChanged) && before["bytes"] == now["bytes"]
                      ? " (its size has not, but the time of its last change, which an older version recorded)"
                      : "");
  const auto is_unset = [](const ordered_json& value) {
    return value.is_null() || value == "" || (value.is_array() && value.empty()) || value == false;
  };
  if (is_unset(before)) return concat("was made without ", option, ", which is now ", text_of(now));
  return concat("was made with ", option, " ", text_of(before),
                is_unset(now) ? ", which is not given now" : ", not " + text_of(now));
}
}  // namespace

void Job::add(const std::string& option, ordered_json value, ordered_json initial, std::vector<std::string> names) {
  values_[option] = std::move(value);
  initial_[option] = std::move(initial);
  names_[option] = std::move(names);
}

Job Job::without_output_options() const {
  Job job = *this;
  for (const auto& option : output_options_) job.values_.erase(option);
  return job;
}

void Job::require_same(const Job& earlier, const std::string& where, const std::string& remedy) const {
  for (const auto& [option, now] : values_.items()) {
    const auto found = earlier.values_.find(option);
    const auto initial = initial_.find(option);
    const bool recorded = found != earlier.values_.end();
    ordered_json before = recorded ? *found : initial == initial_.end() ? ordered_json() : *initial;
    if (const auto names = names_.find(option);
        before.is_number_unsigned() && names != names_.end() && before.get<size_t>() < names->second.size())
      before = names->second[before.get<size_t>()];
    if (same(before, now)) continue;
    if (!recorded)
      fail(where, ": was made by another version of bigdna, which did not record ", option, " (now ", text_of(now),
           "; ", remedy, ")");
    fail(where, ": ", difference(option, before, now), " (", remedy, ")");
  }
}

Job Job::parse(const std::string& text, const std::string& path) {
  Job job;
  job.values_ = parse_json(text, path);
  if (!job.values_.is_object()) fail(path, ": is not a JSON object");
  return job;
}

Job Job::load(const std::string& path) { return parse(read_file(path), path); }

void Job::save(const std::string& path) const {
  write_file(path, values_.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

namespace {
Job process_job;
std::string job_folder;
}  // namespace

void set_job(Job job, std::string folder) {
  process_job = std::move(job);
  job_folder = std::move(folder);
}

Job& job() { return process_job; }

bool is_folder_of_job(const std::string& folder) {
  std::error_code error;
  return !job_folder.empty() && !process_job.empty() &&
         fs::weakly_canonical(folder, error) == fs::weakly_canonical(job_folder, error);
}

void require_same_job(const std::string& folder) {
  const std::string record = folder + "/" + kJobFile;
  if (is_folder_of_job(folder) && fs::exists(record))
    process_job.require_same(Job::load(record), folder, "--resume continues the same job only, --force starts over");
}

ordered_json identity_of(const std::string& path) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error), is_folder = fs::is_directory(path, error);
  if (!is_file && !is_folder) return path;
  ordered_json identity{{"path", fs::absolute(path).lexically_normal().string()}};
  if (is_file) {
    const uint64_t bytes = fs::file_size(path);
    identity["bytes"] = bytes;
    if (bytes <= kSmallFile)
      identity["md5"] = md5_of_file(path);
    else
      identity[kMd5OfParts] = md5_of_parts(path, bytes);
  } else if (const std::string kind = kind_of_folder(path); !kind.empty()) {
    identity["md5"] = md5_of_file(path + "/" + manifest_name(kind));
  } else {
    for (const char* weights : {"model.safetensors", "pytorch_model.bin"})  // a model of another program
      if (const auto file = fs::path(path) / weights; fs::exists(file)) identity["bytes"] = fs::file_size(file);
  }
  return identity;
}

}  // namespace bigdna::io
