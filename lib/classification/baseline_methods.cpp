#include "classification/baseline_methods.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/log.h"
#include "classification/calibration.h"
#include "classification/kmer_fit.h"
#include "classification/row_parts.h"
#include "task_model/baselines.h"

namespace bigdna::classification {

std::vector<int64_t> calibration_rows(const TaskRows& data) { return data.of(dataset::Split::validation, 20'000); }

task_model::Calibration calibration_of(const std::vector<double>& logits, const TaskRows& data,
                                       const std::vector<int64_t>& rows) {
  if (rows.empty()) return task_model::Calibration(data.labels());
  return fit_calibration(at::tensor(logits, at::kFloat).view({-1, data.labels()}), data.label_matrix(rows),
                         data.groups(), data.type);
}

namespace {
/// Of predictions of calibration_rows(), of which there are some, where some are called.
double threshold_among(const TaskRows& data, const std::vector<float>& predictions) {
  std::vector<float> scores;
  std::vector<uint8_t> labels;
  for (const size_t f : data.called()) {
    for (size_t i = f; i < predictions.size(); i += data.features.size()) scores.push_back(predictions[i]);
    const auto of_feature = data.labels_of(calibration_rows(data), static_cast<int64_t>(f));
    labels.insert(labels.end(), of_feature.begin(), of_feature.end());
  }
  return scores.empty() ? Method().threshold : choose_threshold(scores, labels);
}
}  // namespace

double threshold_of(const TaskRows& data,
                    const std::function<std::vector<float>(const std::vector<int64_t>&)>& predictions) {
  const auto validation = calibration_rows(data);
  if (data.called().empty() || validation.empty()) return Method().threshold;
  return threshold_among(data, in_row_parts("choosing a threshold", validation, predictions));
}

Method calibrated(const std::string& name, const TaskRows& data, const LogitsOfRows& logits) {
  const auto validation = calibration_rows(data);
  const auto of_validation = in_row_parts("calibrating", validation, logits);
  const auto predictions = [&data,
                            calibration = calibration_of(of_validation, data, validation)](std::vector<double> values) {
    calibration.apply(values);
    data.answers({1}).of_part(values, data.labels());
    return std::vector<float>(values.begin(), values.end());
  };
  Method method{name, [logits, predictions](const std::vector<int64_t>& rows) { return predictions(logits(rows)); }};
  method.threshold = threshold_among(data, predictions(of_validation));
  return method;
}

Method constant(const TaskRows& data) {
  return calibrated("constant", data, [odds = training_odds(data)](const std::vector<int64_t>& rows) {
    std::vector<double> all;
    for (size_t i = 0; i < rows.size(); ++i) all.insert(all.end(), odds.begin(), odds.end());
    return all;
  });
}

Method refitted_kmers(const TaskRows& data, session::Strands trained, session::Strands strands, int threads) {
  using session::Strands;
  auto fitted = fit_kmers_alone(data, threads, /*reversed=*/trained == Strands::average);
  if (const auto all = std::ssize(data.of(dataset::Split::train)); fitted.rows < all)
    log::info("k-mers: fitted to ", fitted.rows, " of ", counted(all, "training row"));
  const auto model = std::make_shared<const task_model::KmerModel>(std::move(fitted.model));
  if (model->counts.same_on_both_strands()) strands = Strands::forward;
  return calibrated("kmers-refit", data,
                    [&data, model, threads, strands,
                     other = dataset::features_of_other_strand(data.features)](const std::vector<int64_t>& rows) {
                      const auto of_reading = [&](const std::vector<std::string>& sequences, bool reversed) {
                        const double anchor = reversed ? 1 - data.anchor() : data.anchor();
                        const auto values = task_model::kmer_logits(*model, sequences, anchor, threads);
                        std::vector<double> ordered(values.begin(), values.end());
                        // what lies on one strand of the sequence lies on the other one of its reading
                        if (reversed && !other.empty())
                          for (size_t i = 0; i < ordered.size(); ++i)
                            ordered[i] = values[i - i % other.size() + static_cast<size_t>(other[i % other.size()])];
                        return ordered;
                      };
                      return task_model::of_strands(data.bases_of(rows), strands, of_reading);
                    });
}

std::vector<double> training_odds(const TaskRows& data) {
  const auto train = data.of(dataset::Split::train);
  const bool classes = data.type == dataset::LabelType::classes;
  std::vector<double> odds(data.features.size(), 0);
  if (data.type == dataset::LabelType::regression) return odds;
  const double rows = static_cast<double>(train.size()), outputs = static_cast<double>(odds.size());
  for (int64_t f = 0; f < data.labels(); ++f) {
    const auto ones = std::count_if(train.begin(), train.end(), [&](int64_t row) { return data.label(row, f) > 0; });
    const double frequency = (static_cast<double>(ones) + 0.5) / (rows + (classes ? outputs / 2 : 1));
    odds[static_cast<size_t>(f)] = classes ? std::log(frequency) : std::log(frequency / (1 - frequency));
  }
  return odds;
}

}  // namespace bigdna::classification
