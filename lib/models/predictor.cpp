#include "models/predictor.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "genome/alphabet.h"
#include "session/stream.h"

namespace bigdna::models {

void Predictor::give_parts() { parts_ = models_.terms(); }

void Predictor::give_spread() {
  Spread::require_several(models_);
  gives_spread_ = true;
}

void Predictor::load(bool with_baselines) {
  models_.load(with_baselines);
  if (gives_spread_) spread_.emplace(models_);
}

void Predictor::add(const Model& member, Sequences bases, session::Strands strands, std::span<double> sum) const {
  const size_t labels = models_.features().size(), width = static_cast<size_t>(columns());
  const auto& link = member.details().link;
  const bool numbers = link.kind == Link::Kind::linear;
  Contributions parts;
  auto values = member.predictions(bases, strands, parts_.empty() ? nullptr : &parts);
  link.correct(values, this->labels());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t label = i % labels;
    double* const of_row = sum.data() + i / labels * width;
    of_row[label] += values[i];
    for (size_t part = 0; part < parts_.size(); ++part) {
      const double unit = numbers ? link.scale[label] : 1;
      double base = 0;  // the first term has what belongs to none
      if (part == 0) base = numbers ? link.mean[label] : -std::log(link.weights[i % link.weights.size()]);
      of_row[(1 + part) * labels + label] += base + unit * parts[part][i];
    }
  }
}

void Predictor::set_spread(Sequences bases, session::Strands strands, std::span<double> rows) const {
  const auto spread = spread_->of(models_, bases, strands);
  const auto labels = static_cast<size_t>(this->labels()), width = static_cast<size_t>(columns());
  for (size_t i = 0; i < spread.size(); ++i) rows[(i / labels + 1) * width - labels + i % labels] = spread[i];
}

std::vector<float> Predictor::score(std::vector<std::string> bases, session::Strands strands) const {
  using session::Strands;
  const size_t half = bases.size() * static_cast<size_t>(columns());
  std::vector<double> sum(strands == Strands::both ? 2 * half : half, 0);
  const Strands one = strands == Strands::average ? Strands::average : Strands::forward;
  for (const auto& member : models_.members()) add(member, bases, member.labels_sites() ? strands : one, sum);
  if (strands == Strands::both) {
    for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
    for (const auto& member : models_.members())
      if (!member.labels_sites()) add(member, bases, Strands::forward, std::span(sum).subspan(half));
  }
  const auto count = static_cast<double>(models_.size());
  for (double& value : sum) value /= count;
  if (spread_) set_spread(bases, one, sum);
  return {sum.begin(), sum.end()};
}

std::vector<float> Predictor::score_all(std::span<const std::string> bases, session::Strands strands) const {
  return session::in_chunks(
      bases, columns(), threads(),
      [&](auto part) {
        return score({part.begin(), part.end()}, strands);
      },
      chunk());
}

namespace {
const Calibration* find(const Calibrations& calibrations, const std::string& name) {
  const auto found = std::ranges::find(calibrations, name, [](const auto& entry) { return entry.first; });
  return found == calibrations.end() ? nullptr : &found->second;
}
}  // namespace

std::vector<std::string> Predictor::baselines() const {
  std::vector<std::string> names;
  for (const auto& member : models_.members())
    for (const auto& [name, calibration] : member.details().baselines)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::vector<float> Predictor::score_baseline(const std::string& name, std::span<const std::string> bases,
                                             session::Strands strands) const {
  std::vector<double> sum(bases.size() * models_.features().size(), 0), count = sum;
  for (const auto& member : models_.members()) {
    const auto* calibration = find(member.details().baselines, name);
    if (!calibration) continue;
    const auto values = member.baselines().predictions(name, *calibration, bases, strands);
    for (size_t i = 0; i < sum.size(); ++i) {
      if (std::isnan(values[i])) continue;
      sum[i] += values[i];
      ++count[i];
    }
  }
  std::vector<float> means;
  for (size_t i = 0; i < sum.size(); ++i) means.push_back(static_cast<float>(sum[i] / count[i]));
  return means;
}

double Predictor::baseline_threshold(const std::string& name) const {
  double sum = 0, count = 0;
  for (const auto& member : models_.members())
    if (const auto* calibration = find(member.details().baselines, name)) {
      sum += calibration->threshold;
      ++count;
    }
  return sum / count;
}

}  // namespace bigdna::models
