#include "prediction/output_job.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "io/temporary_file.h"
#include "session/run_options.h"

namespace bigdna::prediction {

namespace fs = std::filesystem;

namespace {
/// The file beside an output that records the job which made it.
std::string record_of(const std::string& output) { return output + "." + io::kJobFile; }

constexpr const char* kRemedy = "remove it to make it again";
}  // namespace

OutputJob::OutputJob(bool resume, std::vector<std::string> outputs, std::vector<std::string> journals,
                     nlohmann::ordered_json weights)
    : resume_(resume), outputs_(std::move(outputs)) {
  if (!resume_) return;
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
    if (fs::exists(record))
      job_.require_same(io::Job::load(record), output, kRemedy);
    else if (!started)  // a run that was killed at its end leaves some of its outputs without a record
      fail(output, ": exists, and no ", record,
           " records its options (it was made without --resume, or by an older version); ", kRemedy);
  }
  if (all) log::info(outputs_.front(), ": is complete");
  return all;
}

ScoreJournal* OutputJob::open_journal(const char* units) {
  if (!resume_) return nullptr;
  journal_.emplace(journal_path_, job_);
  io::remove_abandoned(outputs_);
  if (journal_->recorded())
    log::info(journal_path_, ": continues after ", journal_->recorded() * session::kPredictionChunk, " ", units);
  return &*journal_;
}

void OutputJob::before_commit() const {
  if (resume_) return;
  std::error_code ignored;
  for (const std::string& output : outputs_)
    if (output != "-") fs::remove(record_of(output), ignored);
}

void OutputJob::finish() {
  if (!resume_) return;
  job_.save(record_of(outputs_.front()));
  journal_->remove();
}

}  // namespace bigdna::prediction
