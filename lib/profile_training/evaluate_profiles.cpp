#include "profile_training/evaluate_profiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"
#include "evaluation/baseline_methods.h"
#include "evaluation/evaluation_text.h"
#include "evaluation/verdict.h"
#include "genome/interval_set.h"
#include "metrics/counts.h"
#include "model/parallel.h"
#include "model_folder/training_sequences.h"
#include "profile/distance.h"
#include "profile_training/region_metrics.h"

namespace bigdna::profile_training {

namespace {
using dataset::RegionKind;
using evaluation::Comparison;
using evaluation::Line;
using evaluation::Resamples;

constexpr const char *kOwn = "bigdna", *kBias = "bias", *kMean = "mean", *kShuffled = "shuffled", *kHalves = "halves";

double number_of(std::span<const float> values) { return std::accumulate(values.begin(), values.end(), 0.); }

/// NaN where one of them has no reads.
double distance(std::span<const float> one, std::span<const float> other) {
  if (number_of(one) <= 0 || number_of(other) <= 0) return std::numeric_limits<double>::quiet_NaN();
  return profile::profile_distance(one, other);
}

/// Of peaks or tiles in training: the sum of their counts at each place, and their mean number of reads.
struct MeanRegion {
  std::vector<float> profile;
  float count = 0;

  explicit MeanRegion(const ProfileData& data) {
    std::vector<double> sums(static_cast<size_t>(data.dataset.strands() * data.dataset.width));
    int64_t rows = 0;
    for (const auto kind : {RegionKind::peak, RegionKind::tile})
      for (const int64_t row : data.dataset.of(dataset::Split::train, kind)) {
        const auto counts = data.dataset.counts(row);
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += counts[i];
        ++rows;
      }
    if (rows == 0) return;
    profile.assign(sums.begin(), sums.end());
    count = static_cast<float>(std::accumulate(sums.begin(), sums.end(), 0.) / static_cast<double>(rows));
  }
};

class ProfileEvaluation {
 public:
  ProfileEvaluation(const ProfileData& data, const profile::ProfileNetwork& model, bool baselines,
                    const evaluation::EvaluationOptions& options)
      : data_(data),
        model_(model),
        options_(options),
        rows_(data.rows.of(options.split)),
        split_(dataset::split_name(options.split)),
        trained_(baselines && !data.rows.of(dataset::Split::train).empty()) {
    const auto& config = model.config();
    const auto& dataset = data.dataset;
    if (config.output != dataset.width || config.strands != dataset.strands())
      fail(dataset.folder, ": its profiles have ", dataset.width, " bp of ", dataset.strands(),
           " strands, the profiles of the model ", config.output, " bp of ", config.strands);
    if (rows_.empty()) fail(dataset.folder, ": the ", split_, " split is empty");
  }

  evaluation::Evaluation operator()() {
    const auto blocks = data_.rows.blocks_of(rows_);
    data_.rows.warn_of_few(blocks);
    const Resamples resamples(blocks, options_.resamples, options_.seed);
    auto methods = scores();
    if (trained_) add_count_baselines(methods);
    auto& json = result_.json;
    json = evaluation::evaluation_json(data_.rows, options_);
    json["rows"] = rows_.size();
    json["bootstrap"] = {{"resamples", resamples.draws.size()}, {"blocks", resamples.count}};
    result_.table = "#regions\tmethod\tsplit\trows\tmetric\tvalue\tlow\thigh\n";
    std::vector<Line> judged;
    for (const auto& [name, places, decides] : groups()) {
      auto lines = lines_of(methods, places, resamples);
      for (const auto& line : lines) add(name, places.size(), line);
      if (decides) judged = std::move(lines);
    }
    finish(judged);
    return std::move(result_);
  }

 private:
  struct Group {
    std::string name;
    std::vector<size_t> places;
    bool decides;  // the verdict
  };
  /// Each kind of regions and, where there are several, all of them last.
  std::vector<Group> groups() const {
    std::vector<Group> all;
    for (size_t kind = 0; kind < dataset::kRegionKinds.size(); ++kind) {
      std::vector<size_t> places;
      for (size_t i = 0; i < rows_.size(); ++i)
        if (data_.dataset.rows[static_cast<size_t>(rows_[i])].kind == static_cast<RegionKind>(kind))
          places.push_back(i);
      if (!places.empty()) all.push_back({std::string(dataset::kRegionKinds[kind]), std::move(places), all.empty()});
    }
    if (all.size() == 1) return all;
    std::vector<size_t> every(rows_.size());
    std::iota(every.begin(), every.end(), size_t{0});
    all.push_back({"all", std::move(every), false});
    return all;
  }

  std::vector<RegionScores> scores() {
    const MeanRegion mean(data_);
    const size_t count = rows_.size();
    const auto empty = [&](const char* name, bool counts) {
      RegionScores method{name};
      method.distances.resize(count);
      if (counts) method.observed.resize(count), method.expected.resize(count);
      return method;
    };
    RegionScores own = empty(kOwn, true), bias = empty(kBias, true), average = empty(kMean, true),
                 shuffled = empty(kShuffled, false), halves = empty(kHalves, true);
    halves.compares_halves = true;
    const bool has_bias = model_.config().has_bias();
    log::Progress progress(concat("evaluate ", split_), count, "regions");
    const model::OneThreadPerOperation guard;
    parallel_for(std::ssize(rows_), model_.placement().streams(), [&](int64_t place) {
      const auto i = static_cast<size_t>(place);
      const auto observed = data_.dataset.counts(rows_[i]);
      const auto total = static_cast<float>(number_of(observed));
      for (auto* method : {&own, &bias, &average}) method->observed[i] = total;
      const std::string bases = data_.rows.sequence(window(rows_[i]));
      const auto predict = [&](RegionScores& method, profile::Part part) {
        const auto prediction = model_.predict(bases, part, options_.strands);
        method.distances[i] = distance(observed, profile::probabilities(prediction.logits));
        method.expected[i] = expected_count(prediction.log_counts);
      };
      predict(own, profile::Part::whole);
      if (has_bias) predict(bias, profile::Part::bias);
      average.expected[i] = mean.count;
      if (!mean.profile.empty()) average.distances[i] = distance(observed, mean.profile);
      shuffled.distances[i] = distance(observed, in_random_order(observed, i));
      compare_halves(halves, i, observed);
      progress.add(1);
    });
    std::vector<RegionScores> methods{std::move(own)};
    if (has_bias) methods.push_back(std::move(bias));
    if (!mean.profile.empty()) methods.push_back(std::move(average));
    methods.push_back(std::move(shuffled));
    if (!std::isnan(data_.rows.half(rows_.front(), 0))) methods.push_back(std::move(halves));
    return methods;
  }

  /// What the model reads, which may be another width than the dataset's window.
  genome::Region window(int64_t row) const {
    const auto& region = data_.dataset.rows[static_cast<size_t>(row)].region;
    const int64_t margin = model_.config().margin();
    return {region.contig, region.start - margin, region.end + margin, '+'};
  }

  std::vector<float> in_random_order(std::vector<float> observed, size_t place) const {
    Rng rng(mix({options_.seed, kShuffledProfiles, place}));
    rng.shuffle(observed);
    return observed;
  }

  void compare_halves(RegionScores& halves, size_t i, const std::vector<float>& observed) const {
    auto half = data_.dataset.halves(rows_[i]);
    if (half.empty()) return;
    std::vector<float> other;
    for (size_t at = 0; at < half.size(); ++at) other.push_back(std::max(0.F, observed[at] - half[at]));
    halves.distances[i] = distance(half, other);
    halves.observed[i] = static_cast<float>(number_of(half));
    halves.expected[i] = static_cast<float>(number_of(other));
  }

  void add_count_baselines(std::vector<RegionScores>& methods) const {
    const log::Progress stage("GC content and k-mers (--no-baseline leaves them out)");
    const auto strands = session::Strands::average;
    const std::vector<float> observed = methods.front().observed;
    const auto add = [&](const char* name, const evaluation::Method& method) {
      methods.push_back({.name = name, .observed = observed, .expected = method.score(rows_)});
    };
    add("gc", evaluation::gc_content(data_.rows, strands, options_.threads));
    add("kmers", evaluation::refitted_kmers(data_.rows, strands, strands, options_.threads));
  }

  void add(const std::string& group, size_t rows, const Line& line) {
    const auto estimate = line.estimate();
    result_.table += concat(group, '\t', line.method, '\t', split_, '\t', rows, '\t', line.metric, '\t',
                            evaluation::number_text(estimate.value), '\t', evaluation::number_text(estimate.low), '\t',
                            evaluation::number_text(estimate.high), '\n');
    result_.json["groups"][group][line.method][std::string(line.metric)] = evaluation::json_estimate(estimate);
  }

  /// What the first method gains over each other one: a smaller distance, or a larger correlation.
  static std::vector<Comparison> gains(const std::vector<Line>& lines, std::string_view metric, double sign) {
    std::vector<Comparison> all;
    for (const auto& line : lines) {
      if (line.metric != metric || !line.method.starts_with(concat(kOwn, "-"))) continue;
      auto resampled = line.resampled;
      for (double& value : resampled) value *= sign;
      all.push_back({line.method.substr(std::string_view(kOwn).size() + 1), std::string(metric),
                     metrics::interval_of(sign * line.value, std::move(resampled))});
    }
    return all;
  }

  void finish(const std::vector<Line>& judged) {
    const std::string_view counted = metrics::kCountMetrics[0].name;
    auto counts = gains(judged, counted, 1);
    for (const auto& line : judged)
      if (line.method == kOwn && line.metric == counted)
        counts.push_back({std::string(evaluation::kChance), std::string(counted), line.estimate()});
    std::vector<evaluation::Verdict> verdicts{evaluation::verdict_on("profiles", gains(judged, kDistanceMedian, -1)),
                                              evaluation::verdict_on("counts", counts)};
    for (auto& verdict : verdicts) {
      verdict.text.insert(0, verdict.of + ": ");
      evaluation::add_seen(verdict, options_.seen, std::ssize(rows_));
    }
    io::Provenance provenance = options_.provenance;
    if (options_.resamples > 0) provenance.add("resampled", data_.rows.resampled);
    provenance.add_to(result_.json);
    if (options_.seen) result_.json["rows_seen_in_training"] = *options_.seen;
    result_.json["verdicts"] = evaluation::to_json(verdicts);
    for (const auto& verdict : verdicts) provenance.add("verdict", verdict.text);
    result_.table.insert(0, provenance.comments());
  }

  const ProfileData& data_;
  const profile::ProfileNetwork& model_;
  const evaluation::EvaluationOptions& options_;
  const std::vector<int64_t> rows_;
  const std::string split_;
  const bool trained_;  // baselines are fitted to training rows
  evaluation::Evaluation result_;
};
}  // namespace

evaluation::Evaluation evaluate_profiles(const ProfileData& data, const profile::ProfileNetwork& model, bool baselines,
                                         const evaluation::EvaluationOptions& options) {
  return ProfileEvaluation(data, model, baselines, options)();
}

evaluation::Evaluation evaluate_model(const std::string& model, const std::string& dataset, const std::string& genome,
                                      bool baselines, const session::RunOptions& run,
                                      evaluation::EvaluationOptions options) {
  const auto folder = model_folder::ProfileFolder::open(model);
  profile::refuse_bf16(run, model);
  const ProfileData data(dataset, genome);
  options.provenance.add("model", model_folder::name_and_md5(folder.path));
  if (const auto seen = folder.training_intervals(); !seen.empty())
    options.seen = data.rows.count_seen(seen, {}, data.rows.of(options.split));
  const profile::ProfileNetwork network(folder, session::Placement(run));
  return evaluate_profiles(data, network, baselines, options);
}

}  // namespace bigdna::profile_training
