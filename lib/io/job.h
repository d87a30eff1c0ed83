/// The options that decide a command's result: one type for "is this the same job?". A folder keeps them as
/// options.json, a prediction as OUTPUT.options.json, and --resume compares them.
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
  /// Adds an option. `initial` is its default, which is also assumed for a record that lacks the option because an
  /// older version wrote it. `names` are the values of an enumeration, which older versions recorded as an index.
  void add(const std::string& option, nlohmann::ordered_json value, nlohmann::ordered_json initial = nullptr,
           std::vector<std::string> names = {});
  /// Marks an option that decides how scores are written, not the scores: a journal of scores is continued without
  /// comparing it.
  void only_shapes_output(const std::string& option) { output_options_.insert(option); }
  Job without_output_options() const;
  /// Changes an option's value.
  void set(const std::string& option, nlohmann::ordered_json value) { values_[option] = std::move(value); }
  const nlohmann::ordered_json& values() const { return values_; }
  bool empty() const { return values_.empty(); }

  /// Error naming the first option in which `earlier` differs: "WHERE: was made with OPTION X, not Y (REMEDY)".
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
/// Whether `folder` is this process's output folder.
bool is_folder_of_job(const std::string& folder);
/// For --resume: Error if `folder` is this process's output folder and records another job. Does nothing for other
/// folders, or where there is no record.
void require_same_job(const std::string& folder);

/// What a job records of an input: {path, bytes, md5} of a file of up to 4 MB; {path, bytes, md5_of_parts} of a larger
/// one (of 256 parts of 16 KiB, evenly spread from its first byte to its last: a change of other bytes alone is not
/// seen); {path, md5} of a folder that bigdna made (MD5 of its manifest);
/// {path, bytes} of another program's model folder (size of its weights); or the text itself if it names none of these
/// (stdin, a pipe, a fraction, nothing). Two inputs are the same if everything but the path agrees, or, where there is
/// nothing else, the path. Paths are absolute.
nlohmann::ordered_json identity_of(const std::string& path);

}  // namespace bigdna::io
