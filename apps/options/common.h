/// Options that several commands share. Without LibTorch, because both programs link it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/threads.h"
#include "genome/alphabet.h"
#include "io/folder.h"
#include "io/job.h"
#include "io/row_writer.h"
#include "session/run_options.h"

namespace bigdna::apps {

class Option;
class OptionList;  // apps/options/option.h

/// Which program runs a command: `bigdna` itself, or its sibling with LibTorch, `bigdna-model`.
enum class Program { data, model };

/// -@/--threads, --quiet, -v, --log-format: every command has them; --seed: those that draw. Help group "General".
struct CommonOptions {
  int threads = available_threads();
  uint64_t seed = 1;
  bool quiet = false, verbose = false;
  log::LineFormat log_format = log::LineFormat::text;
  io::TableHeader header = io::TableHeader::hash;
  void visit(OptionList& visit);
  void visit_with_seed(OptionList& visit);
  /// --header, of commands that write tables of rows; under the heading that is set.
  void visit_header(OptionList& visit);
};

/// --device, --precision, --backend; the values in `run` are the defaults.
void visit_device(OptionList& visit, session::RunOptions& run);
/// --device alone, under the heading that is set.
void visit_device_name(OptionList& visit, session::RunOptions& run);

/// -o/--output for a folder, --resume, --force.
struct OutputFolderOptions {
  std::string output;
  bool resume = false, force = false;
  /// `what` describes the folder in the help. Returns -o.
  Option& visit(OptionList& visit, const std::string& what);
  /// UsageError if both --resume and --force are given.
  io::Existing existing() const;
};

/// --invalid-bases error|n
Option& visit_invalid_bases(OptionList& visit, genome::InvalidBases& value);

}  // namespace bigdna::apps
