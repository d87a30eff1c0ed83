/// The scores of a long prediction, kept chunk by chunk beside its output until this is complete, so that a killed job
/// can continue. A line of JSON that begins with "bigdna_journal" describes the job; then follow, for each chunk, its
/// number (uint64), how many values it has, a CRC-32 of its number and values (both uint32, little-endian), and the
/// values (float32).
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/job.h"

namespace bigdna::jobs {

class ScoreJournal {
 public:
  /// Opens or creates the journal `path`, and locks it. `job` holds everything that decides the scores; Error naming
  /// the first option in which the journal's job differs (with --resume=replace, the journal is emptied), if another
  /// process has it open, or if the file is no journal.
  /// An incomplete last chunk is dropped; a journal whose first line is incomplete is an empty one.
  ScoreJournal(const std::string& path, const io::Job& job);
  ~ScoreJournal();
  /// The scores of a chunk, if it was recorded when the journal was opened. Chunks are numbered by their place in the
  /// whole input, so that a run that begins at another chunk does not take it for the first. One thread may call this
  /// while another appends.
  std::optional<std::vector<float>> scores_of(int64_t chunk);
  /// Appends a chunk, which is on disk after at most ten seconds.
  void append(int64_t chunk, std::span<const float> scores);
  /// The number of chunks when the journal was opened.
  int64_t recorded() const { return static_cast<int64_t>(places_.size()); }
  /// Removes the journal, because the output is complete.
  void remove();
  [[noreturn]] void fail_damaged() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  /// Reads the first line; nullopt if it is incomplete. Error if the file is no journal.
  std::optional<std::string> first_line();

  std::string path_;
  std::unique_ptr<std::FILE, Close> read_, write_;
  std::map<int64_t, long> places_;  // where in the file each chunk begins
  double synced_ = 0;               // seconds, by a steady clock
};

}  // namespace bigdna::jobs
