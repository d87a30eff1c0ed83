/// What was asked for, as far as it decides the result: one type for "is this the same job?". A folder keeps it as options.json, a
/// prediction in OUTPUT.options.json, and both are compared by --resume.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bigdna::io {

/// The file of an output folder that holds the job.
inline constexpr const char* kJobFile = "options.json";

class Job {
 public:
  /// Adds an option, or gives it another value. `initial`: its value where the user says nothing, which is taken for that of a
  /// record without the option (the version that wrote it did not have it yet).
  void set(const std::string& option, nlohmann::ordered_json value, nlohmann::ordered_json initial = nullptr);
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
};

/// What a job remembers of an input: {path, bytes, changed} of a file (changed: seconds, of its last modification), {path, md5} of a
/// folder of bigdna's (md5: of its manifest), {path, bytes} of another program's model folder (of its weights); the text itself where
/// it names neither (stdin, a pipe, a fraction, nothing). Two inputs are the same where all but the path is, or the path where
/// there is nothing else. Paths are absolute.
nlohmann::ordered_json identity_of(const std::string& path);

}  // namespace bigdna::io
