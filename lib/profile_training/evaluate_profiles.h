/// Evaluates a profile model on a split of a dataset of profiles: where the reads lie, and how many there are.
#pragma once

#include <string>

#include "evaluation/evaluation.h"
#include "profile/network.h"
#include "profile_training/profile_data.h"
#include "session/run_options.h"

namespace bigdna::profile_training {

/// Profiles: Jensen-Shannon distance of the observed and the predicted one (profile/distance.h), of regions with a
/// read. Counts: metrics::kCountMetrics. Of all regions and, where there are several kinds, of each: `groups` in the
/// JSON. Beside them, of the same regions: the bias model alone (`bias`), the mean profile and count of the training
/// rows (`mean`), the observed profile with its bases in random order (`shuffled`), one half of the reads compared with
/// the other (`halves`) and, with `baselines`, GC content and k-mers fitted to the training rows. Paired differences to
/// the first method have the same resamples of whole blocks of the genome. The verdicts, on profiles and on counts, are
/// of peaks, or of tiles. Options that are read: split, strands, resamples, seed, threads, seen, provenance.
evaluation::Evaluation evaluate_profiles(const ProfileData& data, const profile::ProfileNetwork& model, bool baselines,
                                         const evaluation::EvaluationOptions& options);

/// The model in a folder on a split of a dataset. `genome`: the FASTA; "" for the one that the dataset records.
evaluation::Evaluation evaluate_model(const std::string& model, const std::string& dataset, const std::string& genome,
                                      bool baselines, const session::RunOptions& run,
                                      evaluation::EvaluationOptions options);

}  // namespace bigdna::profile_training
