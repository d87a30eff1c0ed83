/// Methods that models are compared with, made of a dataset's own rows. They get what a model gets: a calibration
/// fitted to the validation rows, and a threshold chosen on them where probabilities are called.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "linear/kmer_fit.h"
#include "rows/task_rows.h"
#include "session/run_options.h"
#include "models/calibration.h"
#include "models/kmer_model.h"

namespace bigdna::evaluation {

/// The validation rows that networks and baselines are calibrated on, and that thresholds are chosen on: 20 000 at
/// most.
std::vector<int64_t> calibration_rows(const rows::TaskRows& data);

/// Logits of rows that count no weight of labels, row-major [rows, outputs]; numbers in units of training's standard
/// deviations.
using LogitsOfRows = std::function<std::vector<double>(const std::vector<int64_t>& rows)>;

/// A method that predicts from these logits, calibrated, with its threshold, on calibration_rows().
/// `data` must outlive it.
Method calibrated(const std::string& name, const rows::TaskRows& data, const LogitsOfRows& logits);

/// The method "constant", the same for every row: the odds of the labels in training. `data` must outlive it.
Method constant(const rows::TaskRows& data);

/// What `counts` counts, fitted to the training rows of `data` (linear::fit_kmers()); says how many rows, if that
/// is not all. `reversed`: to their reverse complements, too.
linear::FittedKmers fitted_kmers(const rows::TaskRows& data, const models::KmerCounts& counts, bool reversed,
                                 int threads);
/// A method that predicts by these k-mers, calibrated. `strands`: that are read. `data` must outlive it.
Method kmer_method(const std::string& name, std::shared_ptr<const models::KmerModel> kmers, const rows::TaskRows& data,
                   session::Strands strands, int threads);
/// The method "gc": what the shares of single bases in the k-mers' windows tell, by the same regressions as k-mers.
/// `strands`: that are read. `data` must outlive it.
Method gc_content(const rows::TaskRows& data, session::Strands strands, int threads);
/// Logits of k-mers, row-major [rows, outputs]: of the rows' bases as they are given or, for session::Strands::average,
/// the means of both strands.
std::vector<float> kmer_logits(const models::KmerModel& kmers, const rows::TaskRows& data,
                               const std::vector<int64_t>& rows, session::Strands strands, int threads);

/// The method "kmers-refit": a k-mer regression fitted to the training rows of `data`. It reads what a network beside
/// it reads: in training rows as given or (`trained`: average) their reverse complements, too; afterwards the strands
/// as `strands` says, with the mean of both readings' log-odds. It shows what these rows hold; it is no baseline of a
/// model that was trained on other rows. `data` must outlive it. Says how many rows it was fitted to, if that is not
/// all.
Method refitted_kmers(const rows::TaskRows& data, session::Strands trained, session::Strands strands, int threads);

/// The log-odds of each label among the training rows (with half a row more of either value), of classes the logarithms
/// of their frequencies, of counts those of their means; numbers: 0, which is their mean.
std::vector<double> training_odds(const rows::TaskRows& data);
/// The same odds as shares, which labels of 0 and 1 have.
std::vector<double> training_shares(const rows::TaskRows& data);

/// fit_calibration() to logits of these rows; none: nothing is calibrated.
models::Calibration calibration_of(const std::vector<double>& logits, const rows::TaskRows& data,
                                   const std::vector<int64_t>& rows);
/// What bigdna.json keeps of methods that a model is compared with ("baselines"): calibrations and thresholds, and
/// those of "constant", where the task has that baseline.
nlohmann::ordered_json baselines_json(std::span<const Method> methods, const rows::TaskRows& data);
/// Of what is called (TaskRows::called(); both strands' start sites together): choose_threshold() on
/// calibration_rows(), if there are any. Otherwise 0.5. `predictions`: Method::score.
double threshold_of(const rows::TaskRows& data,
                    const std::function<std::vector<float>(const std::vector<int64_t>&)>& predictions);

}  // namespace bigdna::evaluation
