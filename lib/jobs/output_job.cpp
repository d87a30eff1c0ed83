#include "jobs/output_job.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "base/shard.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/output_record.h"
#include "io/paths.h"
#include "io/temporary_file.h"
#include "session/run_options.h"

namespace bigdna::jobs {

namespace fs = std::filesystem;

namespace {
constexpr const char* kRemedy = "remove it to make it again";
}  // namespace

OutputJob::OutputJob(bool resume, std::vector<std::string> outputs, std::vector<std::string> names,
                     nlohmann::ordered_json weights)
    : resume_(resume), outputs_(std::move(outputs)), names_(std::move(names)), job_(io::job()) {
  std::erase(names_, "");
  job_.set("weights", std::move(weights));
  if (!resume_) return;
  for (const std::string& output : outputs_)
    if (io::is_written_directly(output)) throw UsageError(output + ": --resume needs outputs that are regular files");
  const auto journal_of = [](const std::string& name) { return name + ".journal"; };
  const auto found = std::ranges::find_if(names_, [&](const auto& name) { return fs::exists(journal_of(name)); });
  journal_path_ = journal_of(found == names_.end() ? names_.front() : *found);
}

bool OutputJob::is_finished(const std::vector<std::string>& inputs) const {
  if (!resume_) return false;
  for (const std::string& input : inputs)
    if (!input.empty() && input != "-" && !io::exists(input)) fail(input, ": ", errno_text(ENOENT));
  const bool started = fs::exists(journal_path_);
  bool all = !started;
  for (const std::string& output : outputs_) {
    if (!fs::exists(output)) {
      all = false;
      continue;
    }
    std::string record = io::record_of(output);
    if (!fs::exists(record)) record = io::record_of(names_.front());
    if (fs::exists(record)) {
      const auto made = io::Job::load(record);
      if (!job_.continues(made, output, kRemedy)) {
        all = false;
      } else if (!started && !io::is_recorded(made, output)) {
        job_.refuse(concat(output, ": exists, but is not what the job of ", record, " wrote"), kRemedy);
        all = false;
      }
    } else if (!started) {  // a run that was killed at its end leaves some of its outputs without a record
      job_.refuse(concat(output, ": exists, and no ", record, " records its options: it was made without --resume"),
                  kRemedy);
      all = false;
    }
  }
  if (!all) return false;
  io::remove_abandoned(outputs_);
  log::info(outputs_.front(), ": is complete");
  return true;
}

ScoreJournal* OutputJob::open_journal(const char* units, int64_t chunk) {
  if (!resume_) return nullptr;
  journal_.emplace(journal_path_, job_);
  io::remove_abandoned(outputs_);
  if (journal_->recorded()) log::info(journal_path_, ": continues after ", journal_->recorded() * chunk, " ", units);
  return &*journal_;
}

void OutputJob::finish() {
  const bool part = job_.values().value(kShardOption, "") != "";
  auto outputs = nlohmann::ordered_json::array();
  for (const std::string& output : outputs_)
    if ((resume_ || part) && !io::is_written_directly(output)) outputs.push_back(io::record_entry(output));
  job_.set(io::kRecordedOutputs, std::move(outputs));
  job_.set(io::kRecordedVersion, io::program_version());
  for (const std::string& name : names_) {
    if (io::is_written_directly(name)) continue;
    if (part || (resume_ && name == names_.front()))
      job_.save(io::record_of(name));
    else
      io::remove_record(name);
  }
  if (resume_) journal_->remove();
}

}  // namespace bigdna::jobs
