/// A prediction as a job that --resume continues and bigdna merge joins: whether its outputs are complete, its journal,
/// and the record of its options and outputs (io/output_record.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/job.h"
#include "jobs/score_journal.h"

namespace bigdna::jobs {

class OutputJob {
 public:
  /// `outputs`: the files that the command writes ("-": stdout). `names`: the outputs as the command line names them,
  /// of which one may be a folder ("": not given). The record lies beside the first and, of a part of a job (--shard),
  /// beside each; a new journal has the first name, and one that is there is found by any of them. `weights` identify
  /// the models. With `resume`, UsageError for an output that is no file.
  OutputJob(bool resume, std::vector<std::string> outputs, std::vector<std::string> names,
            nlohmann::ordered_json weights);

  /// Whether --resume has nothing to do, because an earlier run of this job has written all outputs, which are still as
  /// it wrote them; logs this. Error naming the first difference if another job wrote one of the outputs that are
  /// there, or if no record says which did or lists the output as it is: with --resume=replace these are warnings.
  /// Error if an input is missing ("" and "-" are not files).
  bool is_finished(const std::vector<std::string>& inputs) const;
  /// With --resume, opens the journal and removes what killed runs left of the outputs; otherwise null. `units`: what
  /// the log counts.
  ScoreJournal* open_journal(const char* units, int64_t chunk);
  /// To be called once all outputs have been renamed: records them or, without --resume and --shard, removes records
  /// of the outputs that they replace.
  void finish();

 private:
  bool resume_;
  std::vector<std::string> outputs_, names_;
  std::string journal_path_;
  io::Job job_;
  std::optional<ScoreJournal> journal_;
};

}  // namespace bigdna::jobs
