#include "prediction/predictor.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/chromatin_dataset.h"
#include "genome/alphabet.h"
#include "io/identity.h"
#include "io/md5.h"
#include "model/profile.h"
#include "prediction/explain.h"
#include "session/stream.h"

namespace bigdna::prediction {

namespace {
const dataset::Feature kPromoter{"promoter", "-", "-", "promoter", '.'};

/// The labels of start sites on + and on -.
std::array<size_t, 2> start_sites_of(const std::vector<dataset::Feature>& features, const std::string& path) {
  std::array<size_t, 2> sites{};
  for (const char strand : {'+', '-'}) {
    const auto found = std::ranges::find_if(features, [&](const dataset::Feature& feature) {
      return feature.group == dataset::kStartSites && feature.strand == strand;
    });
    if (found == features.end())
      fail(path, ": does not label start sites (bigdna dataset chromatin --start-sites, then bigdna train)");
    sites[strand == '-'] = static_cast<size_t>(found - features.begin());
  }
  return sites;
}
}  // namespace

std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder) {
  if (folder.config.head == "promoter") return {kPromoter};
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

Predictor::Predictor(const std::string& model, const std::vector<std::string>& others,
                     const std::string& head, const session::RunOptions& run) {
  std::vector<std::string> paths{model};
  paths.insert(paths.end(), others.begin(), others.end());
  double thresholds = 0;
  for (const auto& path : paths) {
    Member member{session::open_task_model(path, head), {}, nullptr, nullptr, nullptr, {}};
    member.details = session::TaskDetails::of(member.folder);
    member.words = session::WordModel::of(member.folder);
    auto features = features_of(member.folder);
    if (member.folder.profile && head == "promoter") {
      member.sites = start_sites_of(features, member.folder.path);
      member.details.context = member.details.upstream;
      member.details.upstream = member.folder.profile->bin() / 2;
      member.details.downstream = member.folder.profile->bin() - member.details.upstream;
      features = {kPromoter};
    }
    if (members_.empty()) {
      features_ = features;
      details_ = member.details;
    } else {
      const auto differs = [&](const auto&... what) {
        fail(member.folder.path, ": cannot be averaged with ", members_.front().folder.path, ": ", what...);
      };
      if (member.details.upstream != details_.upstream || member.details.downstream != details_.downstream)
        differs("it reads -", member.details.upstream, "/+", member.details.downstream, " bp, the other -",
                details_.upstream, "/+", details_.downstream);
      if (features != features_)
        differs("their features differ");
    }
    thresholds += member.details.threshold;
    members_.push_back(std::move(member));
  }
  details_.threshold = thresholds / static_cast<double>(members_.size());
  placement_.emplace(run);
}

void Predictor::load(bool with_baselines) {
  for (auto& member : members_) {
    const auto& details = member.details;
    if (member.folder.profile) {
      member.profile = std::make_unique<session::ProfileModel>(
          *member.folder.profile, model::load_profile_weights(*member.folder.profile, member.folder.weights_path()),
          *placement_, member.folder.path);
      continue;
    }
    member.reader =
        std::make_unique<session::SequenceReader>(member.folder.vocabulary, details.max_length, details.anchor);
    member.session = std::make_unique<session::Session>(member.folder, *placement_);
    if (with_baselines) member.kmers = session::WordModel::of(member.folder, model_folder::kKmersFile);
  }
}

std::vector<double> Predictor::positive_weights() const {
  const auto of = [](const Member& member) {
    const auto& answers = member.details.answers;
    return answers.link == session::Answers::Link::sigmoid ? answers.weights : std::vector<double>{1};
  };
  const auto first = of(members_.front());
  return std::ranges::all_of(members_, [&](const Member& member) { return of(member) == first; })
             ? first
             : std::vector<double>();
}

bool Predictor::was_trained_on(const std::string& negatives) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    const auto& kinds = member.details.negatives;
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), negatives) != kinds.end();
  });
}

genome::IntervalSet Predictor::training_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder.training_intervals());
  return all;
}

genome::IntervalSet Predictor::held_out_intervals() const {
  genome::IntervalSet all;
  for (const auto& member : members_) all.add(member.folder.held_out_intervals());
  return all;
}

std::vector<std::string> Predictor::weights_paths() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder.weights_path());
  return paths;
}

std::vector<std::string> Predictor::folders() const {
  std::vector<std::string> paths;
  for (const auto& member : members_) paths.push_back(member.folder.path);
  return paths;
}

io::Provenance Predictor::provenance() const {
  io::Provenance provenance;
  for (const auto& member : members_) provenance.add("model", name_and_md5(member.folder));
  return provenance;
}

nlohmann::ordered_json Predictor::identity() const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& member : members_) all.push_back(identity_of(member.folder));
  return all;
}

void Predictor::give_parts() {
  for (const auto& member : members_)
    if (!member.words)
      fail(member.folder.path,
           ": has no words (it was made with --no-words, or by an older version), so --parts cannot be used");
  parts_ = true;
}

std::vector<double> Predictor::predictions(const Member& member, const std::vector<std::string>& bases,
                                           session::Strands strands, session::LogitParts* parts) const {
  if (!member.profile)
    return session::probabilities(*member.reader, *member.session, bases, strands, member.word_model(), parts,
                                  member.details.answers);
  const auto logits = member.profile->middle_logits(bases, member.sites ? session::Strands::average : strands);
  std::vector<double> values(logits.begin(), logits.end());
  member.details.answers.apply(values, member.profile->config().labels);
  if (!member.sites) return values;
  // a bin's two labels are what its strands predict
  const auto all = static_cast<size_t>(member.profile->config().labels);
  std::vector<double> of_strands(2 * bases.size());
  for (size_t i = 0; i < bases.size(); ++i)
    for (size_t side = 0; side < 2; ++side)
      of_strands[side * bases.size() + i] = values[i * all + (*member.sites)[side]];
  if (strands == session::Strands::average)
    for (size_t i = 0; i < bases.size(); ++i) of_strands[i] = (of_strands[i] + of_strands[bases.size() + i]) / 2;
  if (strands != session::Strands::both) of_strands.resize(bases.size());
  return of_strands;
}

std::vector<float> Predictor::score(std::vector<std::string> bases, session::Strands strands) const {
  const size_t labels = features_.size(), width = static_cast<size_t>(columns()), half = bases.size() * width;
  std::vector<double> sum(strands == session::Strands::both ? 2 * half : half, 0);
  const auto add = [&](const Member& member, session::Strands side, size_t offset) {
    session::LogitParts parts;
    auto values = predictions(member, bases, side, parts_ ? &parts : nullptr);
    const auto& answers = member.details.answers;
    answers.correct(values, this->labels());
    for (size_t i = 0; i < values.size(); ++i) {
      double* place = sum.data() + offset + i / labels * width + i % labels;
      *place += values[i];
      if (!parts_) continue;
      const bool number = answers.link == session::Answers::Link::linear;
      const double unit = number ? answers.scale[i % labels] : 1,
                   base = number ? answers.mean[i % labels] : -std::log(answers.weights[i % answers.weights.size()]);
      place[labels] += base + unit * parts.words[i];
      place[2 * labels] += unit * parts.encoder[i];
      place[3 * labels] += unit * parts.kernel[i];
    }
  };
  const auto side = strands == session::Strands::average ? session::Strands::average : session::Strands::forward;
  for (const auto& member : members_) add(member, member.sites ? strands : side, 0);
  if (strands == session::Strands::both) {
    for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
    for (const auto& member : members_)
      if (!member.sites) add(member, session::Strands::forward, half);
  }
  const auto count = static_cast<double>(members_.size());
  for (double& value : sum) value /= count;
  return {sum.begin(), sum.end()};
}

std::vector<float> Predictor::score_all(std::span<const std::string> bases, session::Strands strands) const {
  return session::in_chunks(bases, columns(), threads(),
                            [&](auto part) { return score({part.begin(), part.end()}, strands); });
}

namespace {
const session::Calibration* find(const session::Calibrations& calibrations, const std::string& name) {
  const auto found = std::ranges::find(calibrations, name, [](const auto& entry) { return entry.first; });
  return found == calibrations.end() ? nullptr : &found->second;
}
}  // namespace

std::vector<std::string> Predictor::baselines() const {
  std::vector<std::string> names;
  for (const auto& member : members_)
    for (const auto& [name, calibration] : member.details.baselines)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::vector<float> Predictor::score_baseline(const std::string& name, std::span<const std::string> bases,
                                             session::Strands strands) const {
  std::vector<double> sum(bases.size() * features_.size(), 0), count = sum;
  for (const auto& member : members_) {
    const auto* calibration = find(member.details.baselines, name);
    if (!calibration) continue;
    const session::Baselines baselines(*member.reader, *member.session, member.details.answers,
                                       member.kmers ? &*member.kmers : nullptr);
    const auto values = baselines.predictions(name, *calibration, bases, strands);
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
  for (const auto& member : members_)
    if (const auto* calibration = find(member.details.baselines, name)) {
      sum += calibration->threshold;
      ++count;
    }
  return sum / count;
}

std::vector<double> Predictor::importance(const std::string& bases, int64_t label,
                                          PredictPromoterOptions::Explanation method) const {
  std::vector<double> sum(bases.size(), 0);
  for (const auto& member : members_) {
    if (member.profile)
      fail(member.folder.path,
           ": --explain is for models that read tokens; bigdna explain explains networks on bases");
    const auto values =
        method == PredictPromoterOptions::Explanation::gradient
            ? gradient_importance(*member.reader, *member.session, bases, label, member.word_model())
            : mutagenesis_importance(*member.reader, *member.session, bases, label, member.word_model());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i] / static_cast<double>(members_.size());
  }
  return sum;
}

void Predictor::report_truncated() const {
  for (const auto& member : members_)
    if (member.reader) member.reader->report_truncated();
}

}  // namespace bigdna::prediction
