/// The scores of a long prediction, kept chunk by chunk beside its output until that is whole: a job that was
/// killed goes on from there. A line of JSON that says what the scores are of, then for each chunk its number
/// of values, their CRC-32 (both uint32, little-endian) and the values (float32).
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/job.h"

namespace bigdna::prediction {

/// The file beside an output that records the job which made it.
std::string job_record(const std::string& output);
/// Whether an earlier run of `job` has written all of `outputs` (no journal is left), so that --resume has nothing to do: says so.
/// Error where another job has, naming the first difference, or nothing records which; and where an input is missing ("" and "-"
/// are no files).
bool finished_before(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs, const std::string& journal, const io::Job& job);

class ScoreJournal {
 public:
  /// Opens `path`, or begins it. `job` is all that decides the scores; Error naming the first option in which
  /// the journal's differs. A chunk that was being written when the job died is dropped.
  ScoreJournal(const std::string& path, const io::Job& job);
  ~ScoreJournal();
  /// The next chunk recorded before; nullopt from the first that was not. Before any append().
  std::optional<std::vector<float>> next();
  /// On disk at the latest ten seconds later, whatever happens to this process.
  void append(std::span<const float> scores);
  /// Chunks that were there when it was opened.
  int64_t recorded() const { return recorded_; }
  /// The job is done: records it beside `output` and takes the journal away.
  void finish(const std::string& output);
  /// Takes the journal away without a record of the job: the output holds one itself.
  void remove();
  [[noreturn]] void fail_damaged() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  io::Job job_;
  std::unique_ptr<std::FILE, Close> read_, write_;
  int64_t recorded_ = 0, taken_ = 0;
  double synced_ = 0;  // seconds, by a steady clock
};

}  // namespace bigdna::prediction
