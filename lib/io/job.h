/// The options that decide a command's result: one type for "is this the same job?". A folder keeps them as
/// options.json, a prediction as OUTPUT.options.json, and --resume compares them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "io/identity.h"

namespace bigdna::io {

/// The file of an output folder that holds the job.
inline constexpr const char* kJobFile = "options.json";

class Job {
 public:
  /// Marks an option that decides how scores are written, not the scores: a journal of scores is continued without
  /// comparing it.
  void only_shapes_output(const std::string& option) { output_options_.insert(option); }
  Job without_output_options() const;
  /// Marks an option whose value "auto" stands for another on each machine: resolve() must say which before the job is
  /// recorded or compared.
  void must_resolve(const std::string& option) { to_resolve_.insert(option); }
  /// What "auto" stands for here; nothing is changed if the option has another value.
  void resolve(const std::string& option, const std::string& value);
  /// Marks an option that is recorded for a resumed run, and not compared: it may have another value there.
  void only_record(const std::string& option) { recorded_options_.insert(option); }
  /// Writes the values of these options over those in a file of save(), if they differ.
  void record_again(const std::string& path) const;
  /// Adds an option, or changes its value.
  void set(const std::string& option, nlohmann::ordered_json value) { values_[option] = std::move(value); }
  void remove(const std::string& option) { values_.erase(option); }
  /// Adds the options of another job.
  void add(const Job& other);
  const nlohmann::ordered_json& values() const { return values_; }
  bool empty() const { return values_.empty(); }

  /// Error naming the first option in which `earlier` differs: "WHERE: was made with OPTION X, not Y (REMEDY)". Inputs
  /// are compared by content (io/identity.h); what cannot be compared is an Error, too.
  void require_same(const Job& earlier, const std::string& where, const std::string& remedy,
                    Versions versions = Versions::in_order) const;
  /// With --resume=replace: what is not of this job is replaced, with a warning that says why.
  void replace_others() { replaces_others_ = true; }
  /// Whether `earlier` is the same job. If it is not: the Error of require_same() or, with replace_others(), a warning
  /// of the same text.
  bool continues(const Job& earlier, const std::string& where, const std::string& remedy) const;
  /// What is there is not of this job, because of `text`: Error "TEXT (REMEDY)" or, with replace_others(), a warning.
  void refuse(const std::string& text, const std::string& remedy) const;

  /// Error: no such file, not JSON.
  static Job load(const std::string& path);
  static Job parse(const std::string& json, const std::string& path);
  /// On one line, or with an indentation.
  std::string dump(int indent = -1) const;
  void save(const std::string& path) const;

 private:
  nlohmann::ordered_json values_ = nlohmann::ordered_json::object();
  void require_resolved() const;
  friend bool is_of_this_command(const std::string& folder);

  std::set<std::string> output_options_, recorded_options_, to_resolve_, resolved_;
  bool replaces_others_ = false;
};

/// The job of this process and the output folder that it fills ("": none); apps/ sets them once, as io::set_program().
void set_job(Job job, std::string folder);
Job& job();
/// Whether `folder` is this process's output folder.
bool is_folder_of_job(const std::string& folder);
/// Whether `folder` is this process's output folder and records a job of the same command, the same or another.
bool is_of_this_command(const std::string& folder);
/// For --resume: false, or an Error (Job::continues), if `folder` is this process's output folder and records another
/// job. True for other folders, and where there is no record.
bool is_of_this_job(const std::string& folder);

}  // namespace bigdna::io
