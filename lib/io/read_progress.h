/// How much of the files that a stage reads has been read, whatever reads them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"

namespace bigdna::io {

/// A stage that reads files: the bytes of all of them are what is to be done. Of stdin and of pipes the length is
/// unknown, and nothing is counted.
class ReadProgress {
 public:
  ReadProgress(std::string label, const std::vector<std::string>& paths);

  /// One of the files, while one thread reads it. It may outlive the stage, as in a reader that an error unwinds.
  class File {
   public:
    File(ReadProgress& progress, const std::string& path);
    ~File();  // all of it has been read
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    /// To be called for each record: looks now and then how far the file is, which its descriptor knows.
    void tick() {
      if (++records_ % kRecords == 0) look();
    }
    /// The same for records that take a while, such as contigs.
    void look();

   private:
    static constexpr uint64_t kRecords = 4096;
    void advance(uint64_t to);
    std::shared_ptr<log::Progress> progress_;
    std::string path_;  // as the descriptor has it
    int fd_ = -1;
    uint64_t records_ = 0, bytes_ = 0, done_ = 0;
    std::chrono::steady_clock::time_point looked_;
  };

 private:
  std::shared_ptr<log::Progress> progress_;
};

}  // namespace bigdna::io
