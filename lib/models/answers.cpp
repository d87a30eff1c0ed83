#include "models/answers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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

void Answers::apply(std::span<double> logits, int64_t labels) const {
  for (size_t i = 0; i < logits.size(); ++i) {
    const Link of = of_output(i % static_cast<size_t>(labels));
    if (of == Link::sigmoid) logits[i] = 1 / (1 + std::exp(-logits[i]));
    if (of == Link::exponential) logits[i] = std::exp(logits[i]);
  }
  if (link == Link::softmax)
    each_row(logits, labels, [](std::span<double> row) {
      const double greatest = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (double& value : row) sum += value = std::exp(value - greatest);
      for (double& value : row) value /= sum;
    });
}

void Answers::correct(std::span<double> answers, int64_t labels) const {
  switch (link) {
    case Link::sigmoid:
      for (size_t i = 0; i < answers.size(); ++i)
        if (of_output(i % static_cast<size_t>(labels)) == Link::sigmoid)
          answers[i] /= answers[i] + weights[i % weights.size()] * (1 - answers[i]);
      return;
    case Link::softmax:
      if (weights.size() < 2) return;
      each_row(answers, labels, [&](std::span<double> row) {
        double sum = 0;
        for (size_t c = 0; c < row.size(); ++c) sum += row[c] /= weights[c];
        for (double& value : row) value /= sum;
      });
      return;
    case Link::linear:
      each_row(answers, labels, [&](std::span<double> row) {
        for (size_t f = 0; f < row.size(); ++f) row[f] = mean[f] + scale[f] * row[f];
      });
      return;
    case Link::exponential:
      return;
  }
}

void Answers::of_part(std::span<double> logits, int64_t labels) const {
  apply(logits, labels);
  if (link == Link::linear) correct(logits, labels);
}

void Answers::to_log_odds(std::span<double> logits) const {
  if (link == Link::linear || link == Link::exponential) return;
  for (size_t f = 0; f < logits.size(); ++f) logits[f] -= std::log(weights[f % weights.size()]);
  if (link == Link::sigmoid) return;
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

void Answers::save(nlohmann::ordered_json& details) const {
  const bool same = std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights[0]; });
  if (link != Link::sigmoid) details["link"] = kLinks[static_cast<size_t>(link)];
  if (link == Link::sigmoid)
    details["positive_weight"] = same ? nlohmann::ordered_json(weights[0]) : nlohmann::ordered_json(weights);
  if (link == Link::softmax) details["class_weights"] = weights;
  if (link == Link::linear) {
    details["mean"] = mean;
    details["scale"] = scale;
  }
}

Answers Answers::load(const nlohmann::ordered_json& details, int64_t labels, const std::string& path) {
  Answers answers;
  const std::string name = details.value("link", kLinks[0]);
  const auto* found = find_row(kLinks, name);
  if (!found) fail(path, ": unknown link '", name, "'");
  answers.link = static_cast<Link>(found - std::begin(kLinks));
  const auto values = [&](const char* key) {
    const auto& json = details.at(key);
    const auto list = json.is_array() ? json.get<std::vector<double>>() : std::vector<double>{json};
    if (list.size() != 1 && static_cast<int64_t>(list.size()) != labels)
      fail(path, ": ", list.size(), key == std::string("positive_weight") ? " positive weights" : " class weights",
           ", the model has ", labels, " features");
    for (const double weight : list)
      if (!(weight > 0)) fail(path, ": ", key, " ", weight, " is not above 0");
    return list;
  };
  if (answers.link == Link::sigmoid && details.contains("positive_weight")) answers.weights = values("positive_weight");
  if (answers.link == Link::softmax) answers.weights = values("class_weights");
  if (answers.link == Link::linear) {
    details.at("mean").get_to(answers.mean);
    details.at("scale").get_to(answers.scale);
    if (static_cast<int64_t>(answers.mean.size()) != labels || answers.mean.size() != answers.scale.size())
      fail(path, ": mean and scale do not have ", labels, " features");
  }
  return answers;
}

std::vector<Answers::Link> links_of(const std::vector<dataset::Feature>& features) {
  constexpr Answers::Link kOfKinds[] = {Answers::Link::sigmoid, Answers::Link::exponential};
  std::vector<Answers::Link> links;
  for (const auto& feature : features) links.push_back(kOfKinds[static_cast<size_t>(feature.kind)]);
  const bool same = std::ranges::all_of(links, [](Answers::Link of) { return of == Answers::Link::sigmoid; });
  return same ? std::vector<Answers::Link>() : links;
}

}  // namespace bigdna::models
