/// Predictions: from intervals to rows, in the order of the input and in bounded memory for any number of threads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/log.h"
#include "prediction/interval_stream.h"
#include "prediction/predict_options.h"
#include "prediction/predictor.h"
#include "prediction/score_journal.h"
#include "prediction/sink.h"
#include "prediction/variant_options.h"

namespace bigdna::prediction {

/// "#chrom start end name score strand call [seen] [kmers encoder kernel]", one row per interval (or a record's best),
/// or BED6 of the called ones.
void predict_promoter(const PredictPromoterOptions& options);

/// "#chrom start end name score strand [the input's further columns] [seen] feature ... [kmers:feature ...
/// encoder:feature ... kernel:feature ...]", one row per region or record, by a model of any task: one column per
/// output.
void predict_outputs(const PredictionOptions& options);

/// The records of a VCF or BCF file with what each alternative allele does to the model's output.
void predict_variants(const VariantOptions& options);

// --- what these consist of ---

/// The intervals of a shard, and the halo of neighbouring shards' intervals that is read only for suppression. Both
/// begin with a chunk of the whole input.
struct Part {
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();            // the shard: [first, last)
  int64_t read_first = 0, read_last = std::numeric_limits<int64_t>::max();  // with the halo
  bool to_end = false;  // the last shard: after its intervals there may be records without any
};

/// Warns that --precision auto, which is `precision` on this machine, may be another on those that compute the other
/// parts.
void warn_of_auto_precision(const Shard& shard, const session::RunOptions& run, const char* precision);

/// Files of all sinks.
std::vector<std::string> files_of(const Sinks& sinks);

/// Scores the part's intervals and writes them to the sinks, in the order of the input. Takes scores that the journal
/// has from there, and appends the others. Returns the number of intervals. The sinks must be open; they are not
/// committed.
int64_t stream_predictions(const Predictor& predictor, IntervalStream& intervals, const Part& part,
                           session::Strands strands, ScoreJournal* journal, const Sinks& sinks,
                           log::Progress& progress);

}  // namespace bigdna::prediction
