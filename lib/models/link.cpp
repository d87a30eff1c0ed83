#include "models/link.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/error.h"
#include "base/table.h"

namespace bigdna::models {

namespace {
constexpr const char* kLinks[] = {"sigmoid", "softmax", "linear", "exponential"};

template <class Row>
void each_row(std::span<double> values, int64_t labels, Row row) {
  for (size_t i = 0; i < values.size(); i += static_cast<size_t>(labels))
    row(values.subspan(i, static_cast<size_t>(labels)));
}
}  // namespace

void Link::apply(std::span<double> logits, int64_t labels) const {
  for (size_t i = 0; i < logits.size(); ++i) {
    const Kind of = of_output(i % static_cast<size_t>(labels));
    if (of == Kind::sigmoid) logits[i] = 1 / (1 + std::exp(-logits[i]));
    if (of == Kind::exponential) logits[i] = std::exp(logits[i]);
  }
  if (kind == Kind::softmax)
    each_row(logits, labels, [](std::span<double> row) {
      const double greatest = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (double& value : row) sum += value = std::exp(value - greatest);
      for (double& value : row) value /= sum;
    });
}

void Link::correct(std::span<double> answers, int64_t labels) const {
  switch (kind) {
    case Kind::sigmoid:
      for (size_t i = 0; i < answers.size(); ++i)
        if (of_output(i % static_cast<size_t>(labels)) == Kind::sigmoid)
          answers[i] /= answers[i] + weights[i % weights.size()] * (1 - answers[i]);
      return;
    case Kind::softmax:
      if (weights.size() < 2) return;
      each_row(answers, labels, [&](std::span<double> row) {
        double sum = 0;
        for (size_t c = 0; c < row.size(); ++c) sum += row[c] /= weights[c];
        for (double& value : row) value /= sum;
      });
      return;
    case Kind::linear:
      each_row(answers, labels, [&](std::span<double> row) {
        for (size_t f = 0; f < row.size(); ++f) row[f] = mean[f] + scale[f] * row[f];
      });
      return;
    case Kind::exponential:
      return;
  }
}

void Link::of_part(std::span<double> logits, int64_t labels) const {
  apply(logits, labels);
  if (kind == Kind::linear) correct(logits, labels);
}

void Link::to_log_odds(std::span<double> logits) const {
  if (kind == Kind::linear || kind == Kind::exponential) return;
  for (size_t f = 0; f < logits.size(); ++f) logits[f] -= std::log(weights[f % weights.size()]);
  if (kind == Kind::sigmoid) return;
  const std::vector<double> classes(logits.begin(), logits.end());
  for (size_t c = 0; c < classes.size(); ++c) {  // of a class against all others
    double greatest = -INFINITY, sum = 0;
    for (size_t other = 0; other < classes.size(); ++other)
      if (other != c) greatest = std::max(greatest, classes[other]);
    for (size_t other = 0; other < classes.size(); ++other)
      if (other != c) sum += std::exp(classes[other] - greatest);
    logits[c] = classes[c] - greatest - std::log(sum);
  }
}

void Link::to_own_units(std::span<double> logits) const {
  to_log_odds(logits);
  for (size_t f = 0; f < scale.size(); ++f) logits[f] *= scale[f];
}

void Link::save(nlohmann::ordered_json& details) const {
  const bool same = std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights[0]; });
  if (kind != Kind::sigmoid) details["link"] = kLinks[static_cast<size_t>(kind)];
  if (kind == Kind::sigmoid)
    details["positive_weight"] = same ? nlohmann::ordered_json(weights[0]) : nlohmann::ordered_json(weights);
  if (kind == Kind::softmax) details["class_weights"] = weights;
  if (kind == Kind::linear) {
    details["mean"] = mean;
    details["scale"] = scale;
  }
}

Link Link::load(const nlohmann::ordered_json& details, int64_t labels, const std::string& path) {
  Link link;
  const std::string name = details.value("link", kLinks[0]);
  const auto* found = find_row(kLinks, name);
  if (!found) fail(path, ": unknown link '", name, "'");
  link.kind = static_cast<Kind>(found - std::begin(kLinks));
  const auto values = [&](const char* key) {
    const auto& json = details.at(key);
    const auto list = json.is_array() ? json.get<std::vector<double>>() : std::vector<double>{json};
    if (list.size() != 1 && static_cast<int64_t>(list.size()) != labels)
      fail(path, ": ", list.size(), key == std::string("positive_weight") ? " positive weights" : " class weights",
           ", the model has ", counted(labels, "feature"));
    for (const double weight : list)
      if (!(weight > 0)) fail(path, ": ", key, " ", weight, " is not above 0");
    return list;
  };
  if (link.kind == Kind::sigmoid && details.contains("positive_weight")) link.weights = values("positive_weight");
  if (link.kind == Kind::softmax) link.weights = values("class_weights");
  if (link.kind == Kind::linear) {
    details.at("mean").get_to(link.mean);
    details.at("scale").get_to(link.scale);
    if (static_cast<int64_t>(link.mean.size()) != labels || link.mean.size() != link.scale.size())
      fail(path, ": mean and scale do not have ", counted(labels, "feature"));
  }
  return link;
}

std::vector<Link::Kind> links_of(const std::vector<dataset::Feature>& features) {
  constexpr Link::Kind kOfKinds[] = {Link::Kind::sigmoid, Link::Kind::exponential};
  std::vector<Link::Kind> links;
  for (const auto& feature : features) links.push_back(kOfKinds[static_cast<size_t>(feature.kind)]);
  const bool same = std::ranges::all_of(links, [](Link::Kind of) { return of == Link::Kind::sigmoid; });
  return same ? std::vector<Link::Kind>() : links;
}

}  // namespace bigdna::models
