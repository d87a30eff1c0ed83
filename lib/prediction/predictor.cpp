#include "prediction/predictor.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "genome/alphabet.h"
#include "session/stream.h"

namespace bigdna::prediction {

void Predictor::give_parts() {
  for (const auto& member : models_.members())
    if (!member.kmers)
      fail(member.folder.path,
           ": has no k-mers (it is a network of bigdna train, or was made with --no-kmers), so --parts cannot be used");
  parts_ = true;
}

std::vector<double> Predictor::predictions(const EnsembleMember& member, const std::vector<std::string>& bases,
                                           session::Strands strands, task_model::LogitParts* parts) const {
  if (!member.profile) return member.tokens->predictions(bases, strands, parts);
  const auto logits = member.profile->middle_logits(bases, member.start_sites ? session::Strands::average : strands);
  std::vector<double> values(logits.begin(), logits.end());
  member.details.answers.apply(values, member.profile->config().labels);
  if (!member.start_sites) return values;
  // a bin's two labels are what its strands predict
  const auto all = static_cast<size_t>(member.profile->config().labels);
  std::vector<double> of_strands(2 * bases.size());
  for (size_t i = 0; i < bases.size(); ++i)
    for (size_t side = 0; side < 2; ++side)
      of_strands[side * bases.size() + i] = values[i * all + (*member.start_sites)[side]];
  if (strands != session::Strands::both) of_strands.resize(bases.size());
  return of_strands;
}

std::vector<float> Predictor::score(std::vector<std::string> bases, session::Strands strands) const {
  const size_t labels = models_.features().size(), width = static_cast<size_t>(columns()), half = bases.size() * width;
  std::vector<double> sum(strands == session::Strands::both ? 2 * half : half, 0);
  const auto add = [&](const EnsembleMember& member, session::Strands side, size_t offset) {
    task_model::LogitParts parts;
    auto values = predictions(member, bases, side, parts_ ? &parts : nullptr);
    const auto& answers = member.details.answers;
    answers.correct(values, this->labels());
    for (size_t i = 0; i < values.size(); ++i) {
      double* place = sum.data() + offset + i / labels * width + i % labels;
      *place += values[i];
      if (!parts_) continue;
      const bool number = answers.link == task_model::Answers::Link::linear;
      const double unit = number ? answers.scale[i % labels] : 1,
                   base = number ? answers.mean[i % labels] : -std::log(answers.weights[i % answers.weights.size()]);
      place[labels] += base + unit * parts.kmers[i];
      place[2 * labels] += unit * parts.encoder[i];
      place[3 * labels] += unit * parts.kernel[i];
    }
  };
  const auto side = strands == session::Strands::average ? session::Strands::average : session::Strands::forward;
  for (const auto& member : models_.members()) add(member, member.start_sites ? strands : side, 0);
  if (strands == session::Strands::both) {
    for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
    for (const auto& member : models_.members())
      if (!member.start_sites) add(member, session::Strands::forward, half);
  }
  const auto count = static_cast<double>(models_.size());
  for (double& value : sum) value /= count;
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
const task_model::Calibration* find(const task_model::Calibrations& calibrations, const std::string& name) {
  const auto found = std::ranges::find(calibrations, name, [](const auto& entry) { return entry.first; });
  return found == calibrations.end() ? nullptr : &found->second;
}
}  // namespace

std::vector<std::string> Predictor::baselines() const {
  std::vector<std::string> names;
  for (const auto& member : models_.members())
    for (const auto& [name, calibration] : member.details.baselines)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::vector<float> Predictor::score_baseline(const std::string& name, std::span<const std::string> bases,
                                             session::Strands strands) const {
  std::vector<double> sum(bases.size() * models_.features().size(), 0), count = sum;
  for (const auto& member : models_.members()) {
    const auto* calibration = find(member.details.baselines, name);
    if (!calibration) continue;
    const task_model::Baselines baselines(*member.reader, *member.session, member.details.answers,
                                          member.kmer_baseline ? &*member.kmer_baseline : nullptr);
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
  for (const auto& member : models_.members())
    if (const auto* calibration = find(member.details.baselines, name)) {
      sum += calibration->threshold;
      ++count;
    }
  return sum / count;
}

}  // namespace bigdna::prediction
