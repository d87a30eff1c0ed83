/// Options of the commands that train, or run a fine-tuned model.
#pragma once

#include <optional>

#include "apps/options/common.h"
#include "prediction/predict_options.h"
#include "profile/part.h"
#include "sparsity/pattern.h"
#include "train/options.h"

namespace bigdna::apps {

/// --strands forward|average; unset: as the model was calibrated.
void visit_strands(OptionList& visit, std::optional<session::Strands>& value);
/// --strands forward|average|both, of start sites.
void visit_sided_strands(OptionList& visit, std::optional<session::Strands>& value);
/// --part whole|model|bias, of a profile model with its bias model; unset: model.
void visit_part(OptionList& visit, std::optional<profile::Part>& value);
/// --ensemble MODEL, which can be repeated.
void visit_ensemble(OptionList& visit, std::vector<std::string>& models);
/// --track FILE|NAME=FILE, which can be repeated: `bases` are those whose mean is taken.
Option& visit_track(OptionList& visit, std::vector<std::string>& files, const std::string& bases);
/// --strict: `what` is an error. --counts FILE.
void visit_strict(OptionList& visit, bool& value, const std::string& what);
void visit_counts(OptionList& visit, std::string& path);
/// --shard I/N
void visit_shard(OptionList& visit, Shard& shard);
/// UsageError for a --shard of inputs that are read once, and for --resume of these or with stdout as an output.
void require_files(const Shard& shard, bool resume, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs);
/// --shard-optimiser, --timeout: training in several processes.
inline constexpr const char* kRankOptions = "Several GPUs or machines";  // their heading
void visit_ranks(OptionList& visit, train::RankOptions& value);
/// Attention patterns by name: the choices of --pattern NAME.
std::vector<std::string> pattern_names();
/// The help of a number of blocks, with the patterns that read it.
std::string number_help(const sparsity::PatternNumber& number);
/// `run` with the number of threads from the common options.
session::RunOptions run_options(const CommonOptions& common, session::RunOptions run);
/// The settings that a command hands to lib/ with what its options share with those of other commands.
template <class Settings>
Settings settings_of(const auto& command, Settings settings) {
  settings.run.threads = command.common.threads;
  if constexpr (requires { settings.seed; }) settings.seed = command.common.seed;
  if constexpr (requires { settings.baseline; }) settings.baseline = !command.no_baseline;
  if constexpr (requires { command.no_kmers; }) settings.kmers = !command.no_kmers;
  if constexpr (requires { settings.existing; }) {
    settings.output = command.folder.output;
    settings.existing = command.folder.existing();
  }
  return settings;
}

}  // namespace bigdna::apps
