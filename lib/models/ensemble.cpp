#include "models/ensemble.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "dataset/task.h"

namespace bigdna::models {

Ensemble::Ensemble(const std::string& model, const std::vector<std::string>& others, const std::string& head,
                   const session::RunOptions& run)
    : head_(head) {
  std::vector<std::string> paths{model};
  paths.insert(paths.end(), others.begin(), others.end());
  double thresholds = 0;
  for (const auto& path : paths) {
    Model member(path, head_);
    if (members_.empty()) {
      if (head_.empty() && dataset::find_task(member.folder().config.head)) head_ = member.folder().config.head;
      details_ = member.details();
    } else {
      check_agrees(member);
    }
    thresholds += member.details().threshold;
    details_.chosen_by_label = details_.chosen_by_label || member.details().chosen_by_label;
    members_.push_back(std::move(member));
  }
  details_.threshold = thresholds / static_cast<double>(members_.size());
  placement_.emplace(run);
}

void Ensemble::check_agrees(const Model& member) const {
  const auto differs = [&](const auto&... what) {
    fail(member.folder().path, ": cannot be averaged with ", path(), ": ", what...);
  };
  const auto& details = member.details();
  if (details.bin != details_.bin) differs("its bins have ", details.bin, " bp, and the other's have ", details_.bin);
  if (details.upstream != details_.upstream || details.downstream != details_.downstream)
    differs("it reads -", details.upstream, "/+", details.downstream, " bp, the other -", details_.upstream, "/+",
            details_.downstream);
  if (details.link.kind != details_.link.kind) differs("its labels are of another type");
  if (details.strands != details_.strands)
    differs("one of them is calibrated on the mean of both strands, the other on one strand");
  if (member.features() != features()) differs("their features differ");
}

void Ensemble::load(bool with_baselines) {
  log::Progress progress("loading the model", members_.size(), members_.size() > 1 ? "models" : "");
  for (auto& member : members_) member.load(*placement_, with_baselines), progress.add(1);
}

std::vector<std::string> Ensemble::terms() const {
  auto terms = members_.front().terms();
  for (const auto& member : members_)
    if (member.terms() != terms) fail(member.folder().path, ": consists of other terms than ", path());
  return terms;
}

std::vector<double> Ensemble::positive_weights() const {
  const auto of = [](const Model& member) {
    const auto& link = member.details().link;
    return link.kind == Link::Kind::sigmoid ? link.weights : std::vector<double>{1};
  };
  const auto first = of(members_.front());
  return std::ranges::all_of(members_, [&](const auto& member) { return of(member) == first; }) ? first
                                                                                                : std::vector<double>();
}

void Ensemble::warn_of_chosen_rows() const {
  for (const auto& member : members_)
    if (member.details().chosen_by_label)
      log::warn(member.folder().path,
                ": was trained on examples that were chosen by their labels. Over a whole genome, where positives are "
                "rarer, its probabilities are too high (bigdna train on all bins learns how rare they are)");
}

bool Ensemble::was_trained_on(const std::string& negatives) const {
  return std::ranges::any_of(members_, [&](const auto& member) {
    const auto& kinds = member.details().negatives;
    return kinds.empty() || std::ranges::find(kinds, negatives) != kinds.end();
  });
}

genome::IntervalSet Ensemble::training_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder().training_intervals());
  return all;
}

model_folder::TrainingSequences Ensemble::training_sequences() const {
  model_folder::TrainingSequences all;
  for (const auto& member : members_) all.add(model_folder::TrainingSequences::of(member.folder()));
  return all;
}

genome::IntervalSet Ensemble::held_out_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder().held_out_intervals());
  return all;
}

std::vector<std::string> Ensemble::weights_paths() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder().weights_path());
  return paths;
}

std::vector<std::string> Ensemble::folders() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder().path);
  return paths;
}

io::Provenance Ensemble::provenance() const {
  io::Provenance provenance;
  for (const auto& member : members_) provenance.add("model", model_folder::name_and_md5(member.folder().path));
  return provenance;
}

nlohmann::ordered_json Ensemble::identity() const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& member : members_) all.push_back(model_folder::identity_of(member.folder().path));
  return all;
}

void Ensemble::report_truncated() const {
  for (const auto& member : members_) member.report_truncated();
}

}  // namespace bigdna::models
