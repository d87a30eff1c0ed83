/// Predictions: from intervals to rows, in the order of the input and in bounded memory for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/provenance.h"
#include "prediction/interval_stream.h"
#include "prediction/predict_options.h"
#include "models/predictor.h"
#include "prediction/sink.h"

namespace bigdna::prediction {

/// "#chrom start end name score strand call [seen] [kmers encoder kernel]", one row per interval (or a record's best),
/// or BED6 of the called ones.
void predict_promoter(const PredictPromoterOptions& options);

/// "#chrom start end name score strand [the input's further columns] [seen] feature ... [kmers:feature ...
/// encoder:feature ... kernel:feature ...]", one row per region or record, by a model of any task: one column per
/// output.
void predict_outputs(const PredictionOptions& options);

// --- what these consist of ---

/// A prediction of intervals whose models are open: what it reads and writes.
struct PredictionPlan {
  const char* command;
  std::string what;  // an interval, in messages: "region"
  IntervalInput input;
  const Tiling& tiling;
  session::Strands strands;
  Sinks sinks;                           // of all outputs but the counts
  std::vector<std::string> beside = {};  // files that the sinks read
  std::vector<std::string> outputs;      // as the command line names them; empty: the files of `sinks`
  io::Provenance provenance;             // of the counts
  models::TrainedLengths lengths;        // RecordCounts
  int64_t halo = 0;  // intervals on either side of a shard by which what is written of it is decided
  /// Called once the input is open, with the number of intervals, if that is known.
  std::function<void(std::optional<int64_t>)> announce;
};
struct PredictionResult {
  int64_t intervals = 0, without_score = 0;
  bool tiled = false;  // a record had several intervals
};

/// Checks inputs and outputs, scores the intervals and writes them to the sinks, in the order of the input, and warns
/// of what the records lacked. Scores that the journal has are taken from there. nullopt if --resume has nothing to do.
std::optional<PredictionResult> run_prediction(models::Predictor& predictor, const IntervalOptions& options,
                                               PredictionPlan plan);

/// Warns that --precision auto, which is `precision` on this machine, may be another on those that compute the other
/// parts.
void warn_of_auto_precision(const Shard& shard, const session::RunOptions& run, const char* precision);

}  // namespace bigdna::prediction
