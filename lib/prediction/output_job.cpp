#include "prediction/output_job.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "io/identity.h"
#include "io/output.h"
#include "io/temporary_file.h"
#include "session/run_options.h"

namespace bigdna::prediction {

namespace fs = std::filesystem;

namespace {
/// The file beside an output that records the job which made it.
std::string record_of(const std::string& output) { return output + "." + io::kJobFile; }

constexpr const char* kRemedy = "remove it to make it again";
constexpr const char* kOutputs = "outputs";  // of a record: [{name, bytes, md5} ...]

nlohmann::ordered_json entry_of(const std::string& output) {
  nlohmann::ordered_json entry{{"name", fs::path(output).filename().string()}};
  entry.update(io::content_of_file(output));
  return entry;
}
}  // namespace

OutputJob::OutputJob(bool resume, std::vector<std::string> outputs, std::vector<std::string> journals,
                     nlohmann::ordered_json weights)
    : resume_(resume), outputs_(std::move(outputs)) {
  if (!resume_) return;
  for (const std::string& output : outputs_)
    if (io::is_written_directly(output)) throw UsageError(output + ": --resume needs outputs that are regular files");
  for (std::string& journal : journals) journal += ".journal";
  const auto found = std::ranges::find_if(journals, [](const auto& name) { return fs::exists(name); });
  journal_path_ = found == journals.end() ? journals.front() : *found;
  job_ = io::job();
  job_.set("weights", std::move(weights));
}

bool OutputJob::is_finished(const std::vector<std::string>& inputs) const {
  if (!resume_) return false;
  for (const std::string& input : inputs)
    if (!input.empty() && input != "-" && !fs::exists(input)) fail(input, ": ", errno_text(ENOENT));
  const bool started = fs::exists(journal_path_);
  bool all = !started;
  for (const std::string& output : outputs_) {
    if (!fs::exists(output)) {
      all = false;
      continue;
    }
    std::string record = record_of(output);
    if (!fs::exists(record)) record = record_of(outputs_.front());
    if (fs::exists(record)) {
      const auto made = io::Job::load(record);
      job_.require_same(made, output, kRemedy);
      const auto listed = made.values().value(kOutputs, nlohmann::ordered_json::array());
      if (!started && std::ranges::find(listed, entry_of(output)) == listed.end())
        fail(output, ": exists, but is not what the job of ", record, " wrote; ", kRemedy);
    } else if (!started) {  // a run that was killed at its end leaves some of its outputs without a record
      fail(output, ": exists, and no ", record, " records its options (it was made without --resume); ", kRemedy);
    }
  }
  if (all) log::info(outputs_.front(), ": is complete");
  return all;
}

ScoreJournal* OutputJob::open_journal(const char* units, int64_t chunk) {
  if (!resume_) return nullptr;
  journal_.emplace(journal_path_, job_);
  io::remove_abandoned(outputs_);
  if (journal_->recorded())
    log::info(journal_path_, ": continues after ", journal_->recorded() * chunk, " ", units);
  return &*journal_;
}

void OutputJob::finish() {
  if (resume_) {
    auto outputs = nlohmann::ordered_json::array();
    for (const std::string& output : outputs_) outputs.push_back(entry_of(output));
    job_.set(kOutputs, std::move(outputs));
    job_.save(record_of(outputs_.front()));
    journal_->remove();
  }
  std::error_code ignored;
  for (const std::string& output : outputs_)
    if (!io::is_written_directly(output) && (!resume_ || output != outputs_.front()))
      fs::remove(record_of(output), ignored);
}

}  // namespace bigdna::prediction
