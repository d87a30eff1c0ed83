#include "evaluation/baseline_methods.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/counted.h"
#include "base/log.h"
#include "linear/calibration_fit.h"
#include "linear/kmer_fit.h"
#include "models/kmer_terms.h"
#include "models/sum.h"
#include "rows/row_parts.h"

namespace bigdna::evaluation {

std::vector<int64_t> calibration_rows(const rows::TaskRows& data) {
  return data.of(dataset::Split::validation, 20'000);
}

models::Calibration calibration_of(const std::vector<double>& logits, const rows::TaskRows& data,
                                   const std::vector<int64_t>& rows) {
  if (rows.empty()) return models::Calibration(data.labels());
  const at::Tensor all = at::tensor(logits, at::kFloat).view({-1, data.labels()}), labels = data.label_matrix(rows);
  models::Calibration calibration(data.labels());
  std::vector<double> shares_of_all;  // counted where a label needs its own
  const auto shares_of = [&](const std::vector<int64_t>& features, const at::Tensor& y) {
    std::vector<double> shares;
    if (!std::ranges::any_of(features, [&](int64_t f) { return linear::is_of_few(y.select(1, f)); })) return shares;
    if (shares_of_all.empty()) shares_of_all = training_shares(data);
    for (const int64_t f : features) shares.push_back(shares_of_all[static_cast<size_t>(f)]);
    return shares;
  };
  const auto fit = [&](dataset::LabelType type, const std::vector<int64_t>& features, const at::Tensor& z,
                       const at::Tensor& y) {
    const at::Tensor columns = at::tensor(features);
    const auto shares = rows::is_binary(type) ? shares_of(features, y) : std::vector<double>();
    const auto fitted = linear::fit_calibration(z.index_select(1, columns), y.index_select(1, columns),
                                                data.groups_of(features), type, shares);
    for (size_t i = 0; i < features.size(); ++i) {
      calibration.scale[static_cast<size_t>(features[i])] = fitted.scale[i];
      calibration.shift[static_cast<size_t>(features[i])] = fitted.shift[i];
    }
  };
  for (const auto& [type, features] : data.by_type()) {
    if (data.parts.empty()) {
      fit(type, features, all, labels);
      continue;
    }
    for (const auto& [known, places] : data.by_known(rows, features)) {
      const at::Tensor some = at::tensor(places, at::kLong);
      if (!places.empty()) fit(type, known, all.index_select(0, some), labels.index_select(0, some));
    }
  }
  return calibration;
}

namespace {
/// Of predictions of calibration_rows(), of which there are some, where some are called.
double threshold_among(const rows::TaskRows& data, const std::vector<float>& predictions) {
  std::vector<float> scores;
  std::vector<uint8_t> labels;
  const auto rows = calibration_rows(data);
  for (const size_t f : data.called())
    for (const int64_t place : data.known_of(rows, static_cast<int64_t>(f))) {
      scores.push_back(predictions[static_cast<size_t>(place) * data.features.size() + f]);
      labels.push_back(data.label(rows[static_cast<size_t>(place)], static_cast<int64_t>(f)) > 0);
    }
  return scores.empty() ? Method().threshold : choose_threshold(scores, labels);
}
}  // namespace

double threshold_of(const rows::TaskRows& data,
                    const std::function<std::vector<float>(const std::vector<int64_t>&)>& predictions) {
  const auto validation = calibration_rows(data);
  if (data.called().empty() || validation.empty()) return Method().threshold;
  return threshold_among(data, rows::in_row_parts("choosing a threshold", validation, predictions));
}

Method calibrated(const std::string& name, const rows::TaskRows& data, const LogitsOfRows& logits) {
  const auto validation = calibration_rows(data);
  const auto of_validation = rows::in_row_parts("calibrating", validation, logits);
  const auto calibration = calibration_of(of_validation, data, validation);
  const auto predictions = [&data, calibration](std::vector<double> values) {
    calibration.apply(values);
    data.link({1}).of_part(values, data.labels());
    return std::vector<float>(values.begin(), values.end());
  };
  Method method{name, [logits, predictions](const std::vector<int64_t>& rows) { return predictions(logits(rows)); }};
  method.calibration = calibration;
  method.threshold = threshold_among(data, predictions(of_validation));
  return method;
}

namespace {
std::vector<double> repeated(const std::vector<double>& odds, size_t rows) {
  std::vector<double> all;
  for (size_t i = 0; i < rows; ++i) all.insert(all.end(), odds.begin(), odds.end());
  return all;
}
}  // namespace

Method constant(const rows::TaskRows& data) {
  return calibrated("constant", data, [odds = training_odds(data)](const std::vector<int64_t>& rows) {
    return repeated(odds, rows.size());
  });
}

nlohmann::ordered_json baselines_json(std::span<const Method> methods, const rows::TaskRows& data) {
  auto json = nlohmann::ordered_json::object();
  const auto add = [&](const Method& method, models::Calibration calibration) {
    calibration.threshold = method.threshold;
    json[method.name] = calibration.json();
  };
  for (const auto& method : methods) add(method, *method.calibration);
  if (!data.task->constant_baseline || !data.parts.empty()) return json;
  const auto method = constant(data);
  auto calibration = *method.calibration;  // of the odds, which become a part of it: a constant has no other logits
  const auto odds = training_odds(data);
  for (size_t f = 0; f < odds.size(); ++f) calibration.shift[f] += calibration.scale[f] * odds[f];
  add(method, std::move(calibration));
  return json;
}

namespace {
/// Fits what `counts` counts of the training rows, and predicts from it.
Method fitted_counts(const std::string& name, const rows::TaskRows& data, const models::KmerCounts& counts,
                     session::Strands trained, session::Strands strands, int threads) {
  const bool reversed = trained == session::Strands::average;
  auto kmers = std::make_shared<const models::KmerModel>(fitted_kmers(data, counts, reversed, threads).model);
  return kmer_method(name, std::move(kmers), data, strands, threads);
}
}  // namespace

Method kmer_method(const std::string& name, std::shared_ptr<const models::KmerModel> kmers, const rows::TaskRows& data,
                   session::Strands strands, int threads) {
  return calibrated(name, data, [&data, kmers = std::move(kmers), threads, strands](const std::vector<int64_t>& of) {
    const auto values = kmer_logits(*kmers, data, of, strands, threads);
    return std::vector<double>(values.begin(), values.end());
  });
}

Method gc_content(const rows::TaskRows& data, session::Strands strands, int threads) {
  return fitted_counts("gc", data, linear::base_counts(data), strands, strands, threads);
}

linear::FittedKmers fitted_kmers(const rows::TaskRows& data, const models::KmerCounts& counts, bool reversed,
                                 int threads) {
  auto fitted = linear::fit_kmers(data, counts, threads, reversed);
  if (const auto all = std::ssize(data.of(dataset::Split::train)); fitted.rows < all)
    log::info("k-mers: fitted to ", fitted.rows, " of ", counted(all, "training example"));
  return fitted;
}

std::vector<float> kmer_logits(const models::KmerModel& kmers, const rows::TaskRows& data,
                               const std::vector<int64_t>& rows, session::Strands strands, int threads) {
  models::Sum sum(data.labels());
  sum.add(std::make_unique<models::KmerTerm>(kmers, data.anchor(), dataset::features_of_other_strand(data.features)));
  return rows::in_row_parts("k-mers", rows, [&](const std::vector<int64_t>& part) {
    return sum.all_logits(data.bases_of(part), strands, threads);
  });
}

Method refitted_kmers(const rows::TaskRows& data, session::Strands trained, session::Strands strands, int threads) {
  return fitted_counts("kmers-refit", data, linear::kmer_counts(data), trained, strands, threads);
}

std::vector<double> training_odds(const rows::TaskRows& data) {
  const auto train = data.of(dataset::Split::train);
  const bool classes = data.type == dataset::LabelType::classes;
  std::vector<double> odds(data.features.size(), 0);
  if (data.type == dataset::LabelType::regression) return odds;
  const double outputs = static_cast<double>(odds.size());
  for (int64_t f = 0; f < data.labels(); ++f) {
    const auto known = data.known_of(train, f);
    const auto rows = static_cast<double>(known.size());
    if (data.type_of(static_cast<size_t>(f)) == dataset::LabelType::counts) {
      double sum = 0;
      for (const int64_t place : known) sum += data.label(train[static_cast<size_t>(place)], f);
      odds[static_cast<size_t>(f)] = std::log((sum + 0.5) / (rows + 0.5));
      continue;
    }
    const auto ones = std::count_if(train.begin(), train.end(), [&](int64_t row) { return data.label(row, f) > 0; });
    const double frequency = (static_cast<double>(ones) + 0.5) / (rows + (classes ? outputs / 2 : 1));
    odds[static_cast<size_t>(f)] = classes ? std::log(frequency) : std::log(frequency / (1 - frequency));
  }
  return odds;
}

std::vector<double> training_shares(const rows::TaskRows& data) {
  auto shares = training_odds(data);
  for (double& share : shares) share = 1 / (1 + std::exp(-share));
  return shares;
}

}  // namespace bigdna::evaluation
