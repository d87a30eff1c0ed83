/// What fuzz_readers reads: each reader of bigdna with files that it takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bigdna::fuzz {

struct Reader {
  std::string name;
  std::vector<std::string> files;    // and folders, of the seeds, that it needs
  std::vector<std::string> damaged;  // of which one or two are changed; ends in /: all files of that folder
  /// Reads them in a folder. An Error is fine.
  std::function<void(const std::string& folder)> read;
  /// Reads a changed text instead; `texts` are what is changed.
  std::vector<std::string> texts = {};
  std::function<void(const std::string& folder, const std::string& text)> read_text = {};
};

std::vector<Reader> readers();
/// From now on a reader throws the Error of each part, instead of going on with the next: files that are whole have
/// none.
void expect_no_errors();

}  // namespace bigdna::fuzz
