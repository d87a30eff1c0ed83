#include "prediction/attributions.h"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/output.h"
#include "model/profile.h"
#include "motif/motif.h"
#include "prediction/attribution_sinks.h"
#include "prediction/explain_sites.h"
#include "prediction/explainer.h"
#include "prediction/journalled_stream.h"
#include "prediction/output_job.h"
#include "prediction/predict.h"

namespace bigdna::prediction {
namespace {

constexpr double kLargestError = 0.02;  // of integrated gradients, above which a warning says so

session::Strands strands_of(const ExplainOptions& options) {
  return options.strands.value_or(session::Strands::average);
}

}  // namespace

void centre(std::vector<float>& values, int64_t features) {
  for (size_t at = 0; at < values.size(); at += static_cast<size_t>(kBases * features))
    for (int64_t f = 0; f < features; ++f) {
      double mean = 0;
      for (int64_t b = 0; b < kBases; ++b) mean += values[at + static_cast<size_t>(b * features + f)];
      for (int64_t b = 0; b < kBases; ++b)
        values[at + static_cast<size_t>(b * features + f)] -= static_cast<float>(mean / kBases);
    }
}

namespace {

/// Puts a feature's values [count, 4] among those of all features.
void set_feature(Attributions& all, size_t feature, const std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    all.hypothetical[i * static_cast<size_t>(all.features) + feature] = values[i];
}

void add_mutagenesis(Attributions& all, const session::ProfileModel& model, const std::string& window,
                     const session::ProfileModel::Positions& positions, const std::vector<int64_t>& chosen,
                     session::Strands strands) {
  const auto logits = model.substituted_logits(window, positions, strands);
  const auto labels = static_cast<size_t>(model.config().labels);
  for (size_t i = 0; i < static_cast<size_t>(positions.count * kBases); ++i)
    for (size_t f = 0; f < chosen.size(); ++f)
      all.hypothetical[i * chosen.size() + f] = logits[i * labels + static_cast<size_t>(chosen[f])];
  centre(all.hypothetical, all.features);
}

void add_integrated(Attributions& all, const session::ProfileModel& model, const std::string& window,
                    const session::ProfileModel::Positions& positions, const std::vector<int64_t>& chosen,
                    const ExplainOptions& options, int64_t number) {
  const auto first = static_cast<size_t>(positions.first), count = static_cast<size_t>(positions.count);
  std::vector<std::string> references;
  for (int64_t i = 0; i < options.shuffles; ++i) {
    Rng rng(mix({options.seed, static_cast<uint64_t>(number)}), static_cast<uint64_t>(i));
    references.push_back(window);
    references.back().replace(first, count, motif::dinucleotide_shuffle(window.substr(first, count), rng));
  }
  const auto changes = model.changes(window, positions.bin, references, strands_of(options));
  const auto codes = model::base_codes(window);
  for (size_t f = 0; f < chosen.size(); ++f) {
    set_feature(
        all, f,
        model.integrated_gradients(window, positions, chosen[f], references, options.steps, strands_of(options)));
    double difference = 0, sum = 0;
    for (size_t at = static_cast<size_t>(chosen[f]); at < changes.size();
         at += static_cast<size_t>(model.config().labels))
      difference -= changes[at] / static_cast<double>(references.size());
    for (int64_t i = 0; i < positions.count; ++i)
      if (const auto code = codes[first + static_cast<size_t>(i)]; code < kBases)
        sum += all.contribution(i, code, static_cast<int64_t>(f));
    all.differences.push_back(static_cast<float>(difference));
    all.errors.push_back(static_cast<float>(sum - difference));
  }
}

/// How far the contributions of intervals are from adding up.
class Completeness {
 public:
  void add(const Attributions& values) {
    for (size_t f = 0; f < values.errors.size(); ++f)
      errors_ += std::abs(values.errors[f]), differences_ += std::abs(values.differences[f]);
  }
  void report() const {
    if (!(differences_ > 0)) return;
    const double share = errors_ / differences_;
    const auto text = concat("contributions add up to the logit less that of shuffled bases within ",
                             std::round(1000 * share) / 10, " % of it");
    if (share > kLargestError)
      log::warn(text, ": more --steps bring them nearer");
    else
      log::info(text);
  }

 private:
  double errors_ = 0, differences_ = 0;
};

/// How many numbers an interval of `count` bases has in the journal.
size_t journalled_size(int64_t count, int64_t features, bool integrated) {
  return static_cast<size_t>(features * (count * kBases + (integrated ? 2 : 0)));
}

std::vector<float> journalled(Attributions values) {
  auto all = std::move(values.hypothetical);
  all.insert(all.end(), values.differences.begin(), values.differences.end());
  all.insert(all.end(), values.errors.begin(), values.errors.end());
  return all;
}

/// The same from the journal.
Attributions from_journal(const std::vector<float>& all, int64_t count, int64_t features, bool integrated) {
  const auto bases = all.begin() + count * kBases * features, differences = bases + (integrated ? features : 0);
  return {count, features, {all.begin(), bases}, {bases, differences}, {differences, all.end()}};
}

}  // namespace

float Attributions::contribution(int64_t i, int64_t code, int64_t feature) const {
  return code < kBases ? at(i, code, feature) : std::numeric_limits<float>::quiet_NaN();
}

float Attributions::change(int64_t i, int64_t base, int64_t code, int64_t feature) const {
  return at(i, base, feature) - contribution(i, code, feature);
}

Attributions attribute(const session::ProfileModel& model, const std::string& window,
                       const session::ProfileModel::Positions& positions, const std::vector<int64_t>& chosen,
                       const ExplainOptions& options, int64_t number) {
  using Method = ExplainOptions::Method;
  Attributions result{positions.count, std::ssize(chosen)};
  result.hypothetical.resize(static_cast<size_t>(positions.count * kBases) * chosen.size());
  if (options.method == Method::mutagenesis) {
    add_mutagenesis(result, model, window, positions, chosen, strands_of(options));
  } else if (options.method == Method::integrated) {
    add_integrated(result, model, window, positions, chosen, options, number);
  } else {
    for (size_t f = 0; f < chosen.size(); ++f)
      set_feature(result, f, model.gradients(window, positions, chosen[f], strands_of(options)));
    centre(result.hypothetical, result.features);
  }
  return result;
}

void explain(const ExplainOptions& options) {
  Explainer explainer(options);
  const io::Format format = io::format_of(options.output, kExplainFormats);
  const auto outputs = refuse_outputs(options, format, explainer.names(), explainer.folder().path);
  OutputJob job(options.resume, outputs, {options.output}, identity_of(explainer.folder()));
  if (job.is_finished({options.input.fasta, options.input.regions, options.input.genome})) return;
  Sites sites(options.input, options.around, explainer.tiling());
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();
  if (!options.shard.whole()) std::tie(first, last) = options.shard.of(sites.total(), 1);
  sites.skip(first);
  warn_of_auto_precision(options.shard, options.run, explainer.precision());
  ScoreJournal* const journal = job.open_journal("intervals", 1);
  const auto sinks = attribution_sinks(options, format, explainer.names(), sites.contigs(),
                                       io::Provenance().add("model", name_and_md5(explainer.folder())), explainer);
  const auto features = std::ssize(explainer.names());
  const auto attribute = explainer.load();

  const bool integrated = options.method == ExplainOptions::Method::integrated;
  struct Numbered {
    Site site;
    int64_t number;  // in the whole input
  };
  int64_t intervals = 0, bases = 0;
  Completeness completeness;
  log::Progress progress("explain", options.shard.whole() ? sites.expected() : static_cast<uint64_t>(last - first),
                         "intervals");
  JournalledStream<Numbered>{
      .threads = explainer.streams(),
      .journal = journal,
      .first = first,
      .read = [&](int64_t number, bool) -> std::optional<Numbered> {
        if (number == last) return std::nullopt;
        auto site = sites.next();
        if (!site) return std::nullopt;
        return Numbered{std::move(*site), number};
      },
      .size = [&](const Numbered& of) { return journalled_size(of.site.count, features, integrated); },
      .score = [&](const Numbered& of) { return journalled(attribute(of.site, of.number)); },
      .write =
          [&](const Numbered& of, const std::vector<float>& journal_values) {
            const auto values = from_journal(journal_values, of.site.count, features, integrated);
            for (const auto& sink : sinks) sink->write(of.site, values, of.number);
            completeness.add(values);
            bases += of.site.count;
            return static_cast<uint64_t>(++intervals);
          }}
      .run(progress);
  if (intervals == 0 && options.shard.whole()) fail("there is no interval to explain");
  for (const auto& sink : sinks) sink->commit();
  job.finish();
  if (sites.cut())
    log::warn(counted(sites.cut(), "interval"), " reached past the ", sites.window(),
              " bp that the model reads; the bases outside have no rows");
  completeness.report();
  explainer.report_truncated();
  log::info(counted(intervals, "interval"), ", ", counted(bases, "base"), ", ", counted(features, "feature"));
}

}  // namespace bigdna::prediction
