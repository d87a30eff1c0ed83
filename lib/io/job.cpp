#include "io/job.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/identity.h"
#include "io/json.h"
#include "io/output.h"

namespace bigdna::io {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr const char* kAuto = "auto";
constexpr const char* kReplaces = "--resume=replace starts over";

/// Text without quotes, an input's path, everything else as JSON.
std::string text_of(const ordered_json& value) {
  if (is_input(value)) return text_of(value["path"]);
  return value.is_string() && !value.get_ref<const std::string&>().empty() ? value.get<std::string>() : value.dump();
}

bool is_unset(const ordered_json& value) {
  return value.is_null() || value == "" || (value.is_array() && value.empty()) || value == false;
}

/// "" if the values are the same; otherwise how they differ.
std::string difference(const std::string& option, const ordered_json& before, const ordered_json& now,
                       Versions versions) {
  if (before.is_array() && now.is_array() && before.size() == now.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      if (auto text = difference(option, before[i], now[i], versions); !text.empty()) return text;
    return "";
  }
  if ((is_input(before) || is_input(now)) && !is_unset(before) && !is_unset(now))
    return difference_of_inputs(option, before, now, versions);
  if (before == now || (is_unset(before) && is_unset(now))) return "";
  if (is_unset(before)) return concat("was made without ", option, ", which is now ", text_of(now));
  return concat("was made with ", option, " ", text_of(before),
                is_unset(now) ? ", which is not given now" : ", not " + text_of(now));
}
/// Error unless each input among the values is what identity_of() gives.
void check_inputs(const ordered_json& value, const std::string& path) {
  if (value.is_array())
    for (const auto& each : value) check_inputs(each, path);
  if (!is_input(value) || !value.contains("files")) return;
  const auto named = [](const ordered_json& file) {
    return file.is_object() && file.contains("name") && file["name"].is_string();
  };
  if (!value["files"].is_array() || !std::ranges::all_of(value["files"], named))
    fail(path, ": is damaged: it lists a file of ", text_of(value), " without a name");
}
}  // namespace

void Job::resolve(const std::string& option, const std::string& value) {
  const auto found = values_.find(option);
  if (found == values_.end() || *found != kAuto) return;
  *found = value;
  resolved_.insert(option);
}

void Job::add(const Job& other) {
  values_.update(other.values_);
  output_options_.insert(other.output_options_.begin(), other.output_options_.end());
  recorded_options_.insert(other.recorded_options_.begin(), other.recorded_options_.end());
  to_resolve_.insert(other.to_resolve_.begin(), other.to_resolve_.end());
  resolved_.insert(other.resolved_.begin(), other.resolved_.end());
  replaces_others_ |= other.replaces_others_;
}

void Job::require_resolved() const {
  for (const auto& option : to_resolve_)
    if (values_.value(option, "") == kAuto) throw std::logic_error(option + " auto has not been resolved");
}

Job Job::without_output_options() const {
  Job job = *this;
  for (const auto& option : output_options_) job.values_.erase(option);
  return job;
}

void Job::require_same(const Job& earlier, const std::string& where, const std::string& remedy,
                       Versions versions) const {
  require_resolved();
  for (const auto& [option, now] : values_.items()) {
    if (recorded_options_.contains(option)) continue;
    const auto found = earlier.values_.find(option);
    if (found == earlier.values_.end())
      fail(where, ": was made by another version of bigdna, which did not record ", option, " (now ", text_of(now),
           "; ", remedy, ")");
    const auto text = difference(option, *found, now, versions);
    if (text.empty()) continue;
    if (resolved_.contains(option))
      fail(where, ": was made with ", option, " ", text_of(*found), ", and auto is ", text_of(now),
           " on this machine: give ", option, " ", text_of(*found), " (or ", remedy, ")");
    fail(where, ": ", text, " (", remedy, ")");
  }
}

namespace {
void warn_once(const std::string& text) {  // several checks come upon the same difference
  static std::string said;
  if (text != said) log::warn(text);
  said = text;
}
}  // namespace

bool Job::continues(const Job& earlier, const std::string& where, const std::string& remedy) const {
  try {
    require_same(earlier, where, replaces_others_ ? kReplaces : remedy);
    return true;
  } catch (const Error& difference) {
    if (!replaces_others_) throw;
    warn_once(difference.what());
    return false;
  }
}

void Job::refuse(const std::string& text, const std::string& remedy) const {
  if (!replaces_others_) fail(text, " (", remedy, ")");
  warn_once(concat(text, " (", kReplaces, ")"));
}

Job Job::parse(const std::string& text, const std::string& path) {
  Job job;
  job.values_ = parse_json(text, path);
  if (!job.values_.is_object()) fail(path, ": is not a JSON object");
  for (const auto& [option, value] : job.values_.items()) check_inputs(value, path);
  return job;
}

Job Job::load(const std::string& path) { return parse(read_file(path), path); }

std::string Job::dump(int indent) const {
  require_resolved();
  return values_.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

void Job::save(const std::string& path) const { write_file(path, dump(1) + "\n"); }

void Job::record_again(const std::string& path) const {
  Job there = load(path);
  const auto before = there.values_;
  for (const auto& option : recorded_options_) there.values_[option] = values_.at(option);
  if (there.values_ != before) there.save(path);
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

bool is_of_this_command(const std::string& folder) {
  const std::string record = folder + "/" + kJobFile;
  if (!is_folder_of_job(folder) || !fs::exists(record)) return false;
  const auto& only_recorded = process_job.recorded_options_;  // earlier versions did not record them
  const auto options = [&](const ordered_json& values) {
    std::set<std::string> names;
    for (const auto& [option, value] : values.items())
      if (!only_recorded.contains(option)) names.insert(option);
    return names;
  };
  return options(Job::load(record).values()) == options(process_job.values());
}

bool is_of_this_job(const std::string& folder) {
  const std::string record = folder + "/" + kJobFile;
  return !is_folder_of_job(folder) || !fs::exists(record) ||
         process_job.continues(Job::load(record), folder, "--resume continues the same job only, --force starts over");
}

}  // namespace bigdna::io
