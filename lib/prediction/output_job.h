/// A prediction as a job that --resume continues: whether its outputs are complete, its journal, and the record of its
/// options and outputs beside the first output (OUTPUT.options.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/job.h"
#include "prediction/score_journal.h"

namespace bigdna::prediction {

class OutputJob {
 public:
  /// `outputs`: the files that the command writes ("-": stdout). `journals`: the names that the journal may have,
  /// without ".journal"; a new one gets the first, and one that is there is found by any of them. `weights` identify
  /// the models. With `resume`, UsageError for an output that is no file.
  OutputJob(bool resume, std::vector<std::string> outputs, std::vector<std::string> journals,
            nlohmann::ordered_json weights);

  /// Whether --resume has nothing to do, because an earlier run of this job has written all outputs, which are still as
  /// it wrote them; logs this. Error naming the first difference if another job wrote one of the outputs that are
  /// there, if no record says which did or lists the output as it is, or if an input is missing ("" and "-" are not
  /// files).
  bool is_finished(const std::vector<std::string>& inputs) const;
  /// With --resume, opens the journal and removes what killed runs left of the outputs; otherwise null. `units`: what
  /// the log counts.
  ScoreJournal* open_journal(const char* units, int64_t chunk);
  /// To be called once all outputs have been renamed: records them or, without --resume, removes the records of the
  /// outputs that they replace.
  void finish();

 private:
  bool resume_;
  std::vector<std::string> outputs_;
  std::string journal_path_;
  io::Job job_;
  std::optional<ScoreJournal> journal_;
};

}  // namespace bigdna::prediction
