/// What was asked for, as far as it decides the result: one type for "is this the same job?". A folder keeps it as options.json, a
/// prediction in OUTPUT.options.json, and both are compared by --resume.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace bigdna::io {

/// The file of an output folder that holds the job.
inline constexpr const char* kJobFile = "options.json";

class Job {
 public:
  /// Adds an option. `initial`: its value where the user says nothing, which is taken for that of a record without the option (the
  /// version that wrote it did not have it yet). `names`: of an enumeration, which older versions recorded as an index.
  void add(const std::string& option, nlohmann::ordered_json value, nlohmann::ordered_json initial = nullptr, std::vector<std::string> names = {});
  /// The option decides how scores are written, not the scores: a journal of scores goes on without comparing it.
  void only_shapes_output(const std::string& option) { output_options_.insert(option); }
  Job without_output_options() const;
  /// Gives an option another value.
  void set(const std::string& option, nlohmann::ordered_json value) { values_[option] = std::move(value); }
  const nlohmann::ordered_json& values() const { return values_; }
  bool empty() const { return values_.empty(); }

  /// Error naming the first option in which `earlier` is another job than this one: "WHERE: was made with OPTION X, not Y (REMEDY)".
  void require_same(const Job& earlier, const std::string& where, const std::string& remedy) const;

  /// Error: no such file, not JSON.
  static Job load(const std::string& path);
  static Job parse(const std::string& json, const std::string& path);
  void save(const std::string& path) const;

 private:
  nlohmann::ordered_json values_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json initial_ = nlohmann::ordered_json::object();
  std::map<std::string, std::vector<std::string>> names_;
  std::set<std::string> output_options_;
};

/// The job of this process and the output folder that it fills ("": none); apps/ sets them once, as io::set_program().
void set_job(Job job, std::string folder);
Job& job();
/// Whether `folder` is the one that this process's job fills.
bool is_folder_of_job(const std::string& folder);
/// For --resume: Error where the folder of this process's job records another one. Nothing for other folders, or without a record.
void require_same_job(const std::string& folder);

/// What a job remembers of an input: {path, bytes, md5} of a file of up to 4 MB, {path, bytes, changed} of a larger one (changed:
/// seconds, of its last modification), {path, md5} of a folder of bigdna's (md5: of its manifest), {path, bytes} of another
/// program's model folder (of its weights); the text itself if it names neither (stdin, a pipe, a fraction, nothing). Two
/// inputs are the same if all but the path is, or the path if there is nothing else. Paths are absolute.
nlohmann::ordered_json identity_of(const std::string& path);

}  // namespace bigdna::io
