/// Predictions: intervals in, rows out, in input order and bounded memory whatever the threads.
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

/// "#chrom start end name score strand call [seen]", one row per interval (or a record's best), or BED6 of the
/// called ones.
void predict_promoter(const PredictPromoterOptions& options);

/// "#chrom start end name score strand [the input's further columns] [seen] feature ...", one row per interval. With any_head
/// one row per record or region, by a model of any task: one column per output.
void predict_chromatin(const PredictChromatinOptions& options);

/// The records of a VCF or BCF file with what each alternative allele does to the model's output.
void predict_variants(const VariantOptions& options);

// --- what both are made of ---

/// The intervals of a shard, and the halo around them, in whole chunks, that is read for its neighbours' sake alone.
struct Part {
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();            // of the shard: [first, last)
  int64_t read_first = 0, read_last = std::numeric_limits<int64_t>::max();  // what is read
};

/// Files of all sinks.
std::vector<std::string> files_of(const Sinks& sinks);

/// Sends the part's intervals through the model and on to the sinks, in input order. Scores that the journal has are taken
/// from it, others are added. Returns how many intervals there were. The sinks are open; they are not committed.
int64_t predict(const Predictor& predictor, IntervalStream& intervals, const Part& part, session::Strands strands,
                ScoreJournal* journal, const Sinks& sinks, log::Progress& progress);

}  // namespace bigdna::prediction
