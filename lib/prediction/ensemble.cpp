#include "prediction/ensemble.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/task.h"
#include "io/identity.h"
#include "io/md5.h"
#include "prediction/network.h"

namespace bigdna::prediction {

namespace {
/// The only output of a task whose outputs have no names.
dataset::Feature output_of(const dataset::Task& task) {
  return {std::string(task.name), "-", "-", std::string(task.name), '.'};
}

/// The labels of a task's bin_group on + and on -.
std::array<size_t, 2> sites_of(const dataset::Task& task, const std::vector<dataset::Feature>& features,
                               const std::string& path) {
  std::array<size_t, 2> sites{};
  for (const char strand : {'+', '-'}) {
    const auto found = std::ranges::find_if(features, [&](const dataset::Feature& feature) {
      return feature.group == task.bin_group && feature.strand == strand;
    });
    if (found == features.end())
      fail(path, ": does not label start sites (bigdna dataset chromatin --start-sites, then bigdna train)");
    sites[strand == '-'] = static_cast<size_t>(found - features.begin());
  }
  return sites;
}
}  // namespace

std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder) {
  if (const dataset::Task* task = dataset::find_task(folder.config.head); task && !task->named_outputs)
    return {output_of(*task)};
  auto features = dataset::read_features(folder.path + "/features.tsv");
  if (static_cast<int64_t>(features.size()) != folder.config.labels)
    fail(folder.path, "/features.tsv: ", counted(features.size(), "feature"), ", but the model has ",
         folder.config.labels);
  return features;
}

nlohmann::ordered_json identity_of(const model_folder::ModelFolder& folder) {
  return {{"weights", io::md5_of_file(folder.weights_path())},
          {"files", io::md5_of_bytes(io::identity_of(folder.path, model_folder::files_of).at("files").dump())}};
}

std::string name_and_md5(const model_folder::ModelFolder& folder) {
  return concat(model_folder::name_of(folder.path), " ", io::md5_of_file(folder.weights_path()));
}

Ensemble::Ensemble(const std::string& model, const std::vector<std::string>& others, const std::string& head,
                   const session::RunOptions& run)
    : head_(head) {
  std::vector<std::string> paths{model};
  paths.insert(paths.end(), others.begin(), others.end());
  double thresholds = 0;
  for (const auto& path : paths) {
    std::vector<dataset::Feature> features;
    EnsembleMember member = open(path, features);
    if (members_.empty()) {
      if (head_.empty() && dataset::find_task(member.folder.config.head)) head_ = member.folder.config.head;
      features_ = std::move(features);
      details_ = member.details;
    } else {
      check_agrees(member, features);
    }
    thresholds += member.details.threshold;
    details_.chosen_by_label = details_.chosen_by_label || member.details.chosen_by_label;
    members_.push_back(std::move(member));
  }
  details_.threshold = thresholds / static_cast<double>(members_.size());
  placement_.emplace(run);
}

EnsembleMember Ensemble::open(const std::string& path, std::vector<dataset::Feature>& features) const {
  EnsembleMember member{head_.empty() ? model_folder::ModelFolder::open_any(path)
                                      : task_model::open_model_with_head(path, head_)};
  const auto& folder = member.folder;
  if (!folder.profile) folder.check_reads_sequences();
  const dataset::Task* task = dataset::find_task(head_.empty() ? folder.config.head : head_);
  if (!task) {
    member.details.max_length = folder.config.max_length;
    return member;
  }
  member.details = task_model::TaskDetails::of(folder);
  member.kmers = task_model::KmerModel::of(folder);
  features = features_of(folder);
  if (folder.labels_bins() && !task->bin_group.empty()) {
    member.start_sites = sites_of(*task, features, folder.path);
    member.details.context = member.details.upstream;
    member.details.upstream = folder.profile->bin() / 2;
    member.details.downstream = folder.profile->bin() - member.details.upstream;
    features = {output_of(*task)};
  }
  return member;
}

void Ensemble::check_agrees(const EnsembleMember& member, const std::vector<dataset::Feature>& features) const {
  const auto differs = [&](const auto&... what) {
    fail(member.folder.path, ": cannot be averaged with ", path(), ": ", what...);
  };
  const auto& details = member.details;
  if (details.upstream != details_.upstream || details.downstream != details_.downstream)
    differs("it reads -", details.upstream, "/+", details.downstream, " bp, the other -", details_.upstream, "/+",
            details_.downstream);
  if (details.answers.link != details_.answers.link) differs("its labels are of another type");
  if (details.strands != details_.strands)
    differs("one of them is calibrated on the mean of both strands, the other on one strand");
  if (features != features_) differs("their features differ");
}

void Ensemble::load(bool with_baselines) {
  const log::Progress stage("loading the model");
  for (auto& member : members_) {
    const auto& folder = member.folder;
    if (folder.profile) {
      member.profile = std::make_unique<session::ProfileModel>(load_network(folder, *placement_));
      continue;
    }
    member.reader =
        std::make_unique<session::SequenceReader>(folder.vocabulary, member.details.max_length, member.details.anchor);
    member.session = std::make_unique<session::Session>(folder, *placement_);
    member.tokens.emplace(*member.reader, *member.session, member.kmers ? &*member.kmers : nullptr,
                          member.details.answers);
    if (with_baselines) member.kmer_baseline = task_model::KmerModel::of(folder, model_folder::kKmerBaselineFile);
  }
}

std::vector<double> Ensemble::positive_weights() const {
  const auto of = [](const EnsembleMember& member) {
    const auto& answers = member.details.answers;
    return answers.link == task_model::Answers::Link::sigmoid ? answers.weights : std::vector<double>{1};
  };
  const auto first = of(members_.front());
  return std::ranges::all_of(members_, [&](const auto& member) { return of(member) == first; }) ? first
                                                                                                : std::vector<double>();
}

void Ensemble::warn_of_chosen_rows() const {
  for (const auto& member : members_)
    if (member.details.chosen_by_label)
      log::warn(
          member.folder.path,
          ": was trained on rows that were chosen by their labels, so over a whole genome, where these are rarer, "
          "its probabilities are too high (bigdna train chromatin on all bins learns how rare they are)");
}

bool Ensemble::was_trained_on(const std::string& negatives) const {
  return std::ranges::any_of(members_, [&](const auto& member) {
    const auto& kinds = member.details.negatives;
    return kinds.empty() || std::ranges::find(kinds, negatives) != kinds.end();
  });
}

genome::IntervalSet Ensemble::training_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder.training_intervals());
  return all;
}

model_folder::TrainingSequences Ensemble::training_sequences() const {
  model_folder::TrainingSequences all;
  for (const auto& member : members_) all.add(model_folder::TrainingSequences::of(member.folder));
  return all;
}

genome::IntervalSet Ensemble::held_out_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder.held_out_intervals());
  return all;
}

std::vector<std::string> Ensemble::weights_paths() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder.weights_path());
  return paths;
}

std::vector<std::string> Ensemble::folders() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder.path);
  return paths;
}

io::Provenance Ensemble::provenance() const {
  io::Provenance provenance;
  for (const auto& member : members_) provenance.add("model", name_and_md5(member.folder));
  return provenance;
}

nlohmann::ordered_json Ensemble::identity() const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& member : members_) all.push_back(identity_of(member.folder));
  return all;
}

void Ensemble::report_truncated() const {
  for (const auto& member : members_) {
    if (member.reader) member.reader->report_truncated();
    if (member.profile) member.profile->report_truncated();
  }
}

}  // namespace bigdna::prediction
