#include "variant_effects/strong_alleles.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "model/parallel.h"

namespace bigdna::variant_effects {

using variants::Effect;

namespace {
/// Keeps a value that the table has beside the effect.
void set(StrongAllele& allele, Effect effect, float value) {
  if (effect == Effect::p_ref) allele.p_ref = value;
  if (effect == Effect::p_alt) allele.p_alt = value;
  if (effect == Effect::logit) allele.logit = value;
  if (effect == Effect::spread) allele.spread = value;
}
}  // namespace

void StrongAlleles::add(const variants::VcfRecord& record, size_t alt, const PlannedAllele& planned,
                        const variants::ScoredAllele& scored, std::span<const variants::EffectColumn> columns) {
  if (most_ == 0 || planned.intervals.empty()) return;
  const auto values = scored.effects, percentiles = scored.percentiles;
  const auto size_of = [](float value) { return std::isnan(value) ? -1 : std::abs(value); };
  const auto change =
      std::ranges::find_if(columns, [](const auto& column) { return variants::is_change(column.effect); });
  const auto begin = static_cast<size_t>(change == columns.end() ? 0 : change - columns.begin());
  size_t largest = begin;
  for (size_t i = begin; i < columns.size() && columns[i].effect == columns[begin].effect; ++i)
    if (size_of(values[i]) > size_of(values[largest])) largest = i;
  if (std::isnan(values[largest])) return;
  ++offered_;
  const auto place = std::ranges::upper_bound(all_, -std::abs(values[largest]), {},
                                              [](const StrongAllele& of) { return -std::abs(of.value); });
  if (place == all_.end() && all_.size() == most_) return;
  StrongAllele kept{.planned = planned,
                    .contig = record.contig,
                    .id = record.id,
                    .ref = record.ref,
                    .alt = record.alts[alt],
                    .column = columns[largest],
                    .value = values[largest],
                    .percentile = percentiles.empty() ? NAN : percentiles[largest],
                    .seen = scored.seen,
                    .tracks = {scored.tracks.begin(), scored.tracks.end()}};
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i].feature == kept.column.feature) set(kept, columns[i].effect, values[i]);
  all_.insert(place, std::move(kept));
  if (all_.size() > most_) all_.pop_back();
}

void StrongAlleles::describe(const VariantScorer& scorer, const VariantPlaces& places) {
  if (all_.empty()) return;
  const model::OneThreadPerOperation guard;  // the order of sums would depend on the number of threads
  log::Progress progress("predictions of the strongest alleles", all_.size(), "alleles");
  parallel_for(std::ssize(all_), scorer.threads(), [&](int64_t i) {
    auto& allele = all_[static_cast<size_t>(i)];
    const auto columns = allele.column.feature < 0 ? std::vector<variants::EffectColumn>()
                                                   : scorer.columns_of({Effect::p_ref, Effect::p_alt, Effect::logit},
                                                                       {allele.column.feature});
    const auto values = scorer.score({&allele.planned, 1}, places, columns);
    for (size_t k = 0; k < columns.size(); ++k) set(allele, columns[k].effect, values[k]);
    progress.add(1);
  });
}

RankedTable::RankedTable(const std::string& path, const io::Provenance& provenance,
                         std::optional<dataset::NearestSites> genes, const std::vector<std::string>& tracks,
                         bool spread)
    : path_(path), genes_(std::move(genes)), spread_(spread) {
  if (path.empty()) return;
  std::vector<io::Column> columns{{"rank"},
                                  {"chrom"},
                                  {"pos"},
                                  {"name"},
                                  {"ref"},
                                  {"alt"},
                                  {"output"},
                                  {"effect"},
                                  {"value", {"value"}},
                                  {"percentile", {"percentile"}},
                                  {"logit", {"logit"}},
                                  {"p_ref", {"p_ref"}},
                                  {"p_alt", {"p_alt"}},
                                  {"seen"}};
  if (spread_) columns.insert(columns.end() - 1, {"spread", {"spread"}});
  if (genes_) columns.insert(columns.end(), {{"gene"}, {"distance"}, {"location"}});
  columns.push_back({"track:NAME"});
  for (const auto& name : tracks) columns.back().block.push_back("track:" + name);
  writer_ = io::make_row_writer(path, io::Format::tsv,
                                {.name = "ranked variants", .columns = std::move(columns), .provenance = provenance});
}

void RankedTable::write(std::span<const StrongAllele> alleles, int64_t of_all) {
  if (!writer_) return;
  writer_->comment("alleles", concat(of_all));
  if (std::ssize(alleles) < of_all)
    log::info(path_, ": the ", alleles.size(), " strongest of ", of_all, " alleles are listed (--table-rows)");
  int64_t rank = 0;
  for (const auto& of : alleles) {
    std::string_view output = of.column.label;
    if (output.empty()) output = of.column.feature < 0 ? "." : "score";
    std::vector<io::Cell> cells{++rank,
                                std::string_view(of.contig),
                                of.planned.allele.position + 1,
                                std::string_view(of.id),
                                std::string_view(of.ref),
                                std::string_view(of.alt),
                                output,
                                std::string_view(variants::effect_name(of.column.effect)),
                                std::span(&of.value, 1),
                                std::span(&of.percentile, 1),
                                std::span(&of.logit, 1),
                                std::span(&of.p_ref, 1),
                                std::span(&of.p_alt, 1),
                                of.seen ? int64_t{*of.seen} : int64_t{-1}};
    if (spread_) cells.insert(cells.end() - 1, std::span(&of.spread, 1));
    const auto gene = genes_ ? genes_->at(of.planned.allele.contig, of.planned.allele.position) : std::nullopt;
    const std::string name = gene && !gene->name.empty() ? gene->name : ".";
    const std::string distance = gene ? concat(gene->distance) : ".";
    if (genes_) {
      const auto& allele = of.planned.allele;
      const auto location = genes_->location(allele.contig, allele.position, allele.position + std::ssize(allele.ref));
      cells.insert(cells.end(),
                   {std::string_view(name), std::string_view(distance), location.empty() ? "." : location});
    }
    cells.emplace_back(std::span(of.tracks));
    writer_->row(cells);
  }
  writer_->commit();
}

}  // namespace bigdna::variant_effects
