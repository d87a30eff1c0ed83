/// Options that several commands share, spelled once. Torch-free: linked into both programs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/threads.h"
#include "genome/alphabet.h"
#include "io/output.h"

namespace bigdna::apps {

/// Which program runs a command: `bigdna` itself, or its sibling with LibTorch, `bigdna-model`.
enum class Program { data, model };

/// -@/--threads, --quiet, -v: every command has them; --seed: those that draw. Help group "General".
struct CommonOptions {
  int threads = available_threads();
  uint64_t seed = 1;
  bool quiet = false, verbose = false;
  void define(CLI::App& app);
  void define_seed(CLI::App& app);
};

/// --device, --precision: commands that run a model. Help group "Device".
struct DeviceOptions {
  std::string device = "auto";     // auto, cpu, cuda, cuda:N
  std::string precision = "auto";  // auto, fp32, bf16
  std::string backend = "auto";    // an attention backend
  void define(CLI::App& app);
};

/// -o/--output for a folder, --resume, --force.
struct OutputFolderOptions {
  std::string output;
  bool resume = false, force = false;
  void define(CLI::App& app, const std::string& what);
  /// UsageError where both --resume and --force are given.
  io::Existing existing() const;
};

/// --invalid-bases error|n
void add_invalid_bases(CLI::App& app, genome::InvalidBases& value);

}  // namespace bigdna::apps
