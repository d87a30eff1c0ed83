#include "attribution/explainer.h"

#include <algorithm>

#include "base/error.h"
#include "dataset/chromatin_dataset.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

using TaskSite = dataset::Task::Site;
constexpr int64_t kTogether = 256;  // positions that are changed together, which bounds the memory

const dataset::Task& explained_task(const model_folder::ModelFolder& folder) {
  const auto& head = folder.config.head;
  const dataset::Task* task = dataset::find_task(head);
  if (!task)
    fail(folder.path, ": its head is '", head,
         "', which does not predict; use a model made by bigdna train or finetune");
  return *task;
}

/// Turns a row of logits into what is explained: log-odds, or numbers in their own units but for their means.
void to_explained(std::span<double> row, const models::Link& link) {
  link.to_log_odds(row);
  for (size_t f = 0; f < link.scale.size(); ++f) row[f] *= link.scale[f];
}

}  // namespace

Explainer::Explainer(const ExplainOptions& options)
    : options_(options),
      model_(options.model, ""),
      task_(explained_task(model_.folder())),
      outputs_(model_, options.features),
      placement_(options.run) {
  if (labels_bins()) {
    if (!options.pictures.empty() && options.input.fasta.empty())
      genome_.emplace(options.input.genome, options.input.invalid_bases);
    return;
  }
  if (options.method != ExplainOptions::Method::mutagenesis)
    throw UsageError(concat("--method mutagenesis is all that ", options.model, " has: it ",
                            folder().network ? "answers for whole sequences, not for bins"
                                             : "reads tokens, which have no gradient with respect to a base"));
  if (task_.site == TaskSite::start && options.strands)
    throw UsageError("--strands: a promoter model reads each region's own strand, or both if it was calibrated so");
}

SiteTiling Explainer::tiling() const {
  if (labels_bins()) return tiling_of(*folder().network);
  const auto& details = model_.details();
  if (task_.site == TaskSite::start) return {details.upstream, details.downstream, task_.site};
  if (task_.site == TaskSite::whole) return {0, 0, task_.site};
  const int64_t before = details.upstream + dataset::kBin / 2;
  return {before, details.downstream + dataset::kBin / 2};
}

Attributions Explainer::attributions(const Site& site, int64_t number) const {
  if (!labels_bins()) return by_whole_sequences(site);
  return attribute(model_, site.window, {model_.network()->margin(), site.first, site.count}, outputs_.labels, options_,
                   number);
}

std::optional<Surroundings> Explainer::surroundings(const Site& site) const {
  if (!genome_) return std::nullopt;
  const auto& network = *model_.network();
  const int64_t bin = network.bin(), margin = network.margin() * bin, own = site.window_start + margin;
  const int64_t before = std::clamp<int64_t>(own / bin, 0, kAround),
                after = std::clamp<int64_t>((site.length - own) / bin - 1, 0, kAround);
  Surroundings around{own - before * bin, bin};
  const int64_t bins = before + 1 + after;
  const auto bases = genome_->fetch({site.own_contig, around.start - margin, around.start + bins * bin + margin, '+'});
  std::vector<std::string> sequences;
  for (int64_t i = 0; i < bins; ++i)
    sequences.push_back(bases.substr(static_cast<size_t>(i * bin), static_cast<size_t>(network.context())));
  auto values = model_.predictions(sequences, options_.strands.value_or(session::Strands::average));
  const auto labels = network.config().labels;
  model_.details().link.correct(values, labels);
  for (int64_t i = 0; i < bins; ++i)
    for (const int64_t f : outputs_.labels)
      around.values.push_back(static_cast<float>(values[static_cast<size_t>(i * labels + f)]));
  return around;
}

/// Every changed sequence is read whole; of a model that reads tokens it is tokenised again.
Attributions Explainer::by_whole_sequences(const Site& site) const {
  const auto labels = model_.features().size();
  const auto strands =
      options_.strands.value_or(task_.site == TaskSite::bin ? session::Strands::average : model_.details().strands);
  const auto logits_of = [&](std::vector<std::string> sequences) {
    if (site.strand == '-')
      for (auto& bases : sequences) genome::reverse_complement_in_place(bases);
    const auto logits =
        session::in_chunks(std::span<const std::string>(sequences), static_cast<int64_t>(labels), placement_.streams(),
                           [&](auto part) { return model_.logits(part, strands); });
    std::vector<double> values(logits.begin(), logits.end());
    for (size_t i = 0; i < values.size(); i += labels)
      to_explained(std::span(values).subspan(i, labels), model_.details().link);
    return values;
  };
  const auto codes = model::base_codes(site.window);
  const auto original = logits_of({site.window});
  Attributions result{site.count, std::ssize(outputs_.labels)};
  for (int64_t begin = site.first, end = site.first + site.count; begin < end; begin += kTogether) {
    const int64_t stop = std::min(end, begin + kTogether);
    const auto logits = logits_of(genome::substitutions(site.window, begin, stop));
    size_t next = 0;
    for (int64_t at = begin; at < stop; ++at)
      for (int64_t base = 0; base < kBases; ++base) {
        const double* row = original.data();
        if (base != codes[static_cast<size_t>(at)]) row = logits.data() + labels * next++;
        for (const int64_t f : outputs_.labels)
          result.hypothetical.push_back(static_cast<float>(row[f] - original[static_cast<size_t>(f)]));
      }
  }
  centre(result.hypothetical, result.features);
  return result;
}

}  // namespace bigdna::attribution
