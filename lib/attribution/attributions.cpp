#include "attribution/attributions.h"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "io/output.h"
#include "model/network.h"
#include "motif/motif.h"
#include "attribution/attribution_sinks.h"
#include "attribution/explain_sites.h"
#include "attribution/explainer.h"
#include "jobs/journalled_stream.h"
#include "jobs/output_job.h"
#include "prediction/predict.h"

namespace bigdna::attribution {
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

std::vector<std::string> shuffled_references(const ExplainOptions& options, const std::string& window, int64_t first,
                                             int64_t count, int64_t number) {
  const auto begin = static_cast<size_t>(first), size = static_cast<size_t>(count);
  std::vector<std::string> references;
  for (int64_t i = 0; i < options.shuffles; ++i) {
    Rng rng(mix({options.seed, static_cast<uint64_t>(number)}), static_cast<uint64_t>(i));
    references.push_back(window);
    references.back().replace(begin, size, motif::dinucleotide_shuffle(window.substr(begin, size), rng));
  }
  return references;
}

namespace {

/// Explains the outputs `chosen` of a model's bin by what changes of bases do to their logits.
class Explanation {
 public:
  Explanation(const models::Model& model, const std::string& window, const models::Network::Positions& positions,
              const std::vector<int64_t>& chosen, const ExplainOptions& options)
      : model_(model), window_(window), positions_(positions), chosen_(chosen), options_(options) {
    all_.count = positions.count;
    all_.features = std::ssize(chosen);
    all_.hypothetical.resize(static_cast<size_t>(positions.count * kBases) * chosen.size());
  }

  Attributions mutagenesis() && {
    const auto logits = network().substituted_logits(window_, positions_, strands_of(options_));
    for (size_t f = 0; f < chosen_.size(); ++f) add(f, column(logits, chosen_[f]), weight(f));
    add_kmers();
    centre(all_.hypothetical, all_.features);
    return std::move(all_);
  }

  Attributions gradient() && {
    for (size_t f = 0; f < chosen_.size(); ++f)
      add(f, network().gradients(window_, positions_, chosen_[f], strands_of(options_)), weight(f));
    centre(all_.hypothetical, all_.features);
    add_centred_kmers();
    return std::move(all_);
  }

  /// `number`: of the interval, by which references are drawn.
  Attributions integrated(int64_t number) && {
    const auto references = shuffled_references(options_, window_, positions_.first, positions_.count, number);
    for (size_t f = 0; f < chosen_.size(); ++f)
      add(f,
          network().integrated_gradients(window_, positions_, chosen_[f], references, options_.steps,
                                         strands_of(options_)),
          weight(f));
    add_kmer_shares(references);
    const auto changes = model_.changes(window_, references, strands_of(options_));
    std::vector<double> differences(chosen_.size());
    for (size_t f = 0; f < chosen_.size(); ++f)
      for (const float change : column(changes, chosen_[f]))
        differences[f] -= change / static_cast<double>(references.size());
    all_.compare_with(differences, model::base_codes(window_), positions_.first);
    return std::move(all_);
  }

 private:
  const models::Network& network() const { return *model_.network(); }
  /// Of the network in the model's logit.
  float weight(size_t f) const {
    const auto& weights = model_.base_weight();
    return weights.empty() ? 1 : weights[static_cast<size_t>(chosen_[f])];
  }
  /// A label's values of [rows, labels].
  std::vector<float> column(const std::vector<float>& values, int64_t label) const {
    std::vector<float> one;
    for (auto at = static_cast<size_t>(label); at < values.size(); at += static_cast<size_t>(network().config().labels))
      one.push_back(values[at]);
    return one;
  }
  /// Adds values [count, 4] to those of a feature.
  void add(size_t feature, const std::vector<float>& values, float factor) {
    for (size_t i = 0; i < values.size(); ++i) all_.hypothetical[i * chosen_.size() + feature] += factor * values[i];
  }
  /// Adds the k-mers' logits of each substitution: differences, since a base's change moves whole k-mers.
  void add_kmers() {
    if (!model_.kmers()) return;
    const int64_t end = positions_.first + positions_.count;
    std::vector<std::string> sequences{window_};
    for (auto& edit : genome::substitutions(window_, positions_.first, end)) sequences.push_back(std::move(edit));
    const auto logits = model_.kmer_logits(sequences, strands_of(options_));
    const auto codes = model::base_codes(window_);
    const auto labels = static_cast<size_t>(network().config().labels);
    size_t next = 1, at = 0;
    for (int64_t i = positions_.first; i < end; ++i)
      for (int64_t base = 0; base < kBases; ++base) {
        const size_t row = base == codes[static_cast<size_t>(i)] ? 0 : next++;
        for (const int64_t f : chosen_) all_.hypothetical[at++] += logits[row * labels + static_cast<size_t>(f)];
      }
  }
  /// What the k-mers' part of the logit has at each base in excess of its mean over the references; another base has as
  /// much more as its substitution adds.
  void add_kmer_shares(const std::vector<std::string>& references) {
    if (!model_.kmers()) return;
    const auto strands = strands_of(options_);
    auto shares = model_.kmer_shares(window_, positions_.first, positions_.count, strands);
    for (const auto& reference : references) {
      const auto of_reference = model_.kmer_shares(reference, positions_.first, positions_.count, strands);
      for (size_t i = 0; i < shares.size(); ++i) shares[i] -= of_reference[i] / static_cast<float>(references.size());
    }
    auto before = std::exchange(all_.hypothetical, std::vector<float>(all_.hypothetical.size(), 0));
    add_kmers();
    const auto codes = model::base_codes(window_);
    const auto labels = static_cast<size_t>(network().config().labels);
    const size_t width = chosen_.size();
    for (int64_t i = 0; i < positions_.count; ++i) {
      const auto code = codes[static_cast<size_t>(positions_.first + i)];
      const size_t first = static_cast<size_t>(i * kBases) * width;
      for (size_t f = 0; f < width; ++f) {
        // an unknown base has no substitution to compare with
        const float own = code < kBases ? all_.hypothetical[first + static_cast<size_t>(code) * width + f] : 0;
        const float share = shares[static_cast<size_t>(i) * labels + static_cast<size_t>(chosen_[f])];
        for (size_t base = 0; base < static_cast<size_t>(kBases); ++base) {
          float& value = all_.hypothetical[first + base * width + f];
          value = before[first + base * width + f] + (code < kBases ? value - own : 0) + share;
        }
      }
    }
  }
  /// The logits of substitutions, less their mean over the four bases.
  void add_centred_kmers() {
    if (!model_.kmers()) return;
    auto network = std::exchange(all_.hypothetical, std::vector<float>(all_.hypothetical.size(), 0));
    add_kmers();
    centre(all_.hypothetical, all_.features);
    for (size_t i = 0; i < network.size(); ++i) all_.hypothetical[i] += network[i];
  }

  const models::Model& model_;
  const std::string& window_;
  const models::Network::Positions& positions_;
  const std::vector<int64_t>& chosen_;
  const ExplainOptions& options_;
  Attributions all_;
};

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
    const auto text = concat("contributions add up to the difference from the logit of shuffled bases within ",
                             std::round(1000 * share) / 10, " % of it");
    if (share > kLargestError)
      log::warn(text, ": more --steps make them more exact");
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

void Attributions::compare_with(const std::vector<double>& differences_of_features, const std::vector<int32_t>& codes,
                                int64_t first) {
  for (size_t f = 0; f < differences_of_features.size(); ++f) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      if (const auto code = codes[static_cast<size_t>(first + i)]; code < kBases)
        sum += contribution(i, code, static_cast<int64_t>(f));
    differences.push_back(static_cast<float>(differences_of_features[f]));
    errors.push_back(static_cast<float>(sum - differences_of_features[f]));
  }
}

Attributions attribute(const models::Model& model, const std::string& window,
                       const models::Network::Positions& positions, const std::vector<int64_t>& chosen,
                       const ExplainOptions& options, int64_t number) {
  using Method = ExplainOptions::Method;
  Explanation explanation(model, window, positions, chosen, options);
  if (options.method == Method::mutagenesis) return std::move(explanation).mutagenesis();
  if (options.method == Method::gradient) return std::move(explanation).gradient();
  return std::move(explanation).integrated(number);
}

void explain(const ExplainOptions& options) {
  const auto explainer = make_explainer(options);
  const auto& names = explainer->outputs().names;
  const io::Format format = io::format_of(options.output, kExplainFormats);
  const auto outputs = refuse_outputs(options, format, names, explainer->path());
  jobs::OutputJob job(options.resume, outputs, outputs, model_folder::identity_of(explainer->path()));
  if (job.is_finished({options.input.fasta, options.input.regions, options.input.genome})) return;
  Sites sites(options.input, options.around, explainer->tiling());
  int64_t first = 0, last = std::numeric_limits<int64_t>::max();
  if (!options.shard.whole()) std::tie(first, last) = options.shard.of(sites.total(), 1);
  sites.skip(first);
  prediction::warn_of_auto_precision(options.shard, options.run, explainer->precision());
  jobs::ScoreJournal* const journal = job.open_journal("intervals", 1);
  const auto sinks =
      attribution_sinks(options, format, names, sites.contigs(),
                        io::Provenance().add("model", model_folder::name_and_md5(explainer->path())), *explainer);
  const auto features = std::ssize(names);
  explainer->load();

  const bool integrated = options.method == ExplainOptions::Method::integrated;
  struct Numbered {
    Site site;
    int64_t number;  // in the whole input
  };
  int64_t intervals = 0, bases = 0;
  Completeness completeness;
  log::Progress progress("explain", options.shard.whole() ? sites.expected() : static_cast<uint64_t>(last - first),
                         "intervals");
  jobs::JournalledStream<Numbered>{
      .threads = explainer->streams(),
      .journal = journal,
      .first = first,
      .read = [&](int64_t number, bool) -> std::optional<Numbered> {
        if (number == last) return std::nullopt;
        auto site = sites.next();
        if (!site) return std::nullopt;
        return Numbered{std::move(*site), number};
      },
      .size = [&](const Numbered& of) { return journalled_size(of.site.count, features, integrated); },
      .score = [&](const Numbered& of) { return journalled(explainer->attributions(of.site, of.number)); },
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
  explainer->report_truncated();
  log::info(counted(intervals, "interval"), ", ", counted(bases, "base"), ", ", counted(features, "feature"));
}

}  // namespace bigdna::attribution
