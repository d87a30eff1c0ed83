#include "apps/options/run_options.h"

#include <algorithm>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "base/table.h"
#include "genome/signals.h"
#include "io/lines.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

void visit_sided_strands(OptionList& visit, std::optional<session::Strands>& value) {
  using session::Strands;
  visit.choice<std::optional<Strands>>(
      value, "--strands", {{"forward", Strands::forward}, {"average", Strands::average}, {"both", Strands::both}},
      "forward: as given; both: one row per strand; average: the mean over both strands of the same site, not for "
      "networks that label bins (default: average for models of bigdna train --reverse-complement, which are "
      "calibrated for it; otherwise forward, and both for a scan)");
}

void visit_strands(OptionList& visit, std::optional<session::Strands>& value) {
  using session::Strands;
  visit.choice<std::optional<Strands>>(
      value, "--strands", {{"forward", Strands::forward}, {"average", Strands::average}},
      "forward: read the sequence as given; average: the mean of the log-odds of both strands (default: average for "
      "models that are calibrated for it, which are networks that label bins and models of --reverse-complement; "
      "otherwise forward)");
}

void visit_part(OptionList& visit, std::optional<profile::Part>& value) {
  using profile::Part;
  visit.choice<std::optional<Part>>(value, "--part",
                                    {{"whole", Part::whole}, {"model", Part::model}, {"bias", Part::bias}},
                                    "Profile models with a bias model: whole, with the bias; model: without it; bias: "
                                    "the bias model alone (default: model)");
}

void visit_ensemble(OptionList& visit, std::vector<std::string>& models) {
  visit(models, "--ensemble",
        "Another model of the same task, interval and features; probabilities are averaged over all models")
      .model()
      .repeatable();
}

Option& visit_track(OptionList& visit, std::vector<std::string>& files, const std::string& bases) {
  return visit(files, "--track",
               concat("Add a column, track:NAME: the mean of a bigWig file's values at ", bases,
                      " (bases without a value do not count; . if none has one), such as conservation. NAME is the "
                      "file's name unless it is given"))
      .type("FILE|NAME=FILE")
      .input(genome::files_of_named)
      .check(CLI::Validator(
          [](std::string& given) {
            genome::named_file(given);
            return std::string();
          },
          ""))
      .repeatable()
      .shapes_output();
}

void visit_strict(OptionList& visit, bool& value, const std::string& what) {
  visit(value, "--strict", "Stop with an error at " + what).shapes_output();
}

void visit_counts(OptionList& visit, std::string& path) {
  visit(path, "--counts", "Write a JSON summary: how many records were read, scored and skipped, and why; - is stdout")
      .type("FILE")
      .writes({io::Format::json});
}

void visit_shard(OptionList& visit, Shard& shard) {
  Option::Text text;
  text.get = [&shard] { return to_string(shard); };
  text.set = [&shard](const std::string& given) {
    const auto parsed = parse_shard(given);
    if (!parsed) throw UsageError(concat("--shard ", given, ": expected I/N, from 1/N to N/N"));
    shard = *parsed;
  };
  visit(text, kShardOption,
        "Process only part I of N (for array jobs). OUTPUT.options.json records the part; bigdna merge needs it to "
        "join the outputs. Not for stdin or a pipe")
      .type("I/N")
      .chooses_part();
}

void require_files(const Shard& shard, bool resume, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  const bool piped = std::ranges::any_of(inputs, io::reads_once);
  if (!shard.whole() && piped) throw UsageError("--shard cannot divide stdin or a pipe: name a file");
  if (resume && (piped || std::ranges::find(outputs, "-") != outputs.end()))
    throw UsageError("--resume needs regular files, not stdin, stdout or pipes");
}

void visit_ranks(OptionList& visit, train::RankOptions& value) {
  visit.group(kRankOptions);
  visit(value.shard_optimiser, "--shard-optimiser",
        "Divide the optimiser state among the ranks (ZeRO-1), which saves memory")
      .not_decisive();
  visit(value.timeout, "--timeout", "Seconds that a rank waits for the others before it stops with an error")
      .check(positive())
      .type("S")
      .not_decisive();
}

std::vector<std::string> pattern_names() { return row_names(sparsity::patterns()); }

std::string number_help(const sparsity::PatternNumber& number) {
  const std::string names = number.read_by ? sparsity::patterns_that_read(number.read_by) : "";
  return concat(number.help, names.empty() ? "" : "; used by ", names);
}

session::RunOptions run_options(const CommonOptions& common, session::RunOptions run) {
  run.threads = common.threads;
  return run;
}

}  // namespace bigdna::apps
