#include "attribution/de_novo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "attribution/explainer.h"
#include "attribution/motif_tables.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "motif/files.h"
#include "motif/hits.h"
#include "motif/patterns.h"
#include "motif/seqlets.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

constexpr uint64_t kNull = 0x6e756c6c;  // the stream of random numbers that shuffles sequences

/// The regions with what their bases contribute to each feature, and the same of shuffled bases.
struct Explained {
  struct Region {
    std::string name, contig;  // as the input spells them
  };
  std::vector<Region> regions;
  std::vector<std::vector<motif::BaseContributions>> observed, null;  // of each feature: of each region
};

/// The motifs of one feature, of one sign.
struct Found {
  size_t feature = 0;
  bool negative = false;
  size_t seqlets = 0;
  std::vector<motif::Pattern> patterns = {};
  std::vector<motif::Hit> hits = {};
};

std::vector<motif::BaseContributions> contributions_of(const Site& site, const Attributions& values, int64_t sequence,
                                                       int64_t start) {
  std::vector<motif::BaseContributions> all(static_cast<size_t>(values.features), {sequence, start});
  for (auto& of : all) of.bases = site.window.substr(static_cast<size_t>(site.first), static_cast<size_t>(site.count));
  for (int64_t i = 0; i < site.count; ++i) {
    const auto code = static_cast<int64_t>(motif::code_of(site.base(i)));
    for (int64_t f = 0; f < values.features; ++f)
      all[static_cast<size_t>(f)].values.push_back(code < kBases ? values.contribution(i, code, f) : 0);
  }
  return all;
}

Explained explained(const ExplainOptions& options, const Explainer& explainer) {
  Sites sites(options.input, options.around, explainer.tiling());
  const size_t features = explainer.outputs().names.size();
  Explained result;
  result.observed.resize(features), result.null.resize(features);
  struct Both {
    Site site;
    int64_t number;
    std::vector<motif::BaseContributions> observed = {}, null = {};
  };
  std::map<std::string, int64_t> contigs;
  int64_t number = 0;
  log::Progress progress("motifs", sites.expected(), "intervals");
  session::stream(
      explainer.streams(),
      [&]() -> std::optional<Both> {
        auto site = sites.next();
        return site ? std::optional(Both{std::move(*site), number++}) : std::nullopt;
      },
      [&](Both&& both) {
        auto& site = both.site;
        const auto values = explainer.attributions(site, both.number);
        both.observed = contributions_of(site, values, 0, site.position(0));
        const auto begin = static_cast<size_t>(site.first), size = static_cast<size_t>(site.count);
        Rng rng(mix({options.seed, kNull}), static_cast<uint64_t>(both.number));
        site.window.replace(begin, size, motif::dinucleotide_shuffle(site.window.substr(begin, size), rng));
        both.null = contributions_of(site, explainer.attributions(site, both.number), both.number, 0);
        return std::move(both);
      },
      [&](Both&& both) {
        const int64_t sequence = options.input.fasta.empty()
                                     ? contigs.emplace(both.site.own_contig, std::ssize(contigs)).first->second
                                     : both.number;
        result.regions.push_back({both.site.name, both.site.contig});
        for (size_t f = 0; f < features; ++f) {
          both.observed[f].sequence = sequence;
          result.observed[f].push_back(std::move(both.observed[f]));
          result.null[f].push_back(std::move(both.null[f]));
        }
        progress.update(result.regions.size());
      });
  if (result.regions.empty()) fail("there is no interval to explain");
  if (sites.cut())
    log::warn(counted(sites.cut(), "interval"), " reached past the ", sites.window(),
              " bp that the model reads; motifs are not sought in the bases outside");
  explainer.report_truncated();
  return result;
}

Found find(const MotifOptions& options, const Explained& explained, size_t feature, bool negative) {
  Found found{feature, negative};
  auto observed = explained.observed[feature], null = explained.null[feature];
  if (negative) observed = motif::negated(std::move(observed)), null = motif::negated(std::move(null));
  const auto seqlets = motif::find_seqlets(observed);
  found.seqlets = seqlets.size();
  motif::PatternOptions of_patterns;
  of_patterns.least = options.min_seqlets;
  of_patterns.seed = options.seed;
  found.patterns = motif::find_patterns(observed, seqlets, options.run.threads, of_patterns);
  motif::HitOptions of_hits;
  of_hits.largest_q = options.max_q;
  found.hits = motif::find_hits(observed, null, found.patterns, options.run.threads, of_hits);
  return found;
}

/// All motifs with their names, and what they were found in.
class Results {
 public:
  Results(const MotifOptions& options, const Explained& explained, const std::vector<std::string>& features)
      : options_(options), explained_(explained), features_(features) {
    log::Progress progress("motifs: patterns", 2 * features.size(), "searches");
    for (size_t f = 0; f < features.size(); ++f)
      for (const bool negative : {false, true}) {
        found_.push_back(find(options, explained, f, negative));
        const Found& found = found_.back();
        log::info(features[f], ", ", sign(found), ": ", counted(found.seqlets, "seqlet"), ", ",
                  counted(found.patterns.size(), "motif"));
        for (size_t p = 0; p < found.patterns.size(); ++p) {
          motifs_.push_back(found.patterns[p].motif);
          motifs_.back().name = concat(features[f], "_", negative ? "neg" : "pos", p + 1);
        }
        progress.update(found_.size());
      }
    if (motifs_.empty())
      log::warn("no motif was found: no ", options.min_seqlets,
                " seqlets are alike, or too few stand out from "
                "shuffled sequence; more regions have more");
  }

  std::vector<motif::Motif>& motifs() { return motifs_; }

  void write_table(const std::vector<motif::Motif>& known, const std::vector<std::vector<motif::Match>>& matches,
                   const io::Provenance& provenance) const;
  void write_hits(const io::Provenance& provenance) const;

 private:
  static const char* sign(const Found& found) { return found.negative ? "negative" : "positive"; }
  double factor(const Found& found) const { return found.negative ? -1 : 1; }

  const MotifOptions& options_;
  const Explained& explained_;
  const std::vector<std::string>& features_;
  std::vector<Found> found_;
  std::vector<motif::Motif> motifs_;  // of all patterns, in the order of `found_`
};

void Results::write_table(const std::vector<motif::Motif>& known, const std::vector<std::vector<motif::Match>>& matches,
                          const io::Provenance& provenance) const {
  const auto writer =
      io::make_row_writer(options_.table, io::format_of(options_.table, std::array{io::Format::tsv, io::Format::hdf5}),
                          {.name = "patterns",
                           .columns = {{"motif"},
                                       {"feature"},
                                       {"seqlets"},
                                       {"regions"},
                                       {"hits"},
                                       {"consensus"},
                                       {"information", {}, io::Digits::six},
                                       {"contribution", {}, io::Digits::six},
                                       {"known"},
                                       {"known_name"},
                                       {"p", {}, io::Digits::six},
                                       {"e", {}, io::Digits::six}},
                           .provenance = provenance});
  size_t m = 0;
  for (const Found& found : found_)
    for (size_t p = 0; p < found.patterns.size(); ++p, ++m) {
      const auto& pattern = found.patterns[p];
      std::set<size_t> regions;
      double sum = 0;
      for (const auto& site : pattern.sites) {
        regions.insert(site.of);
        const auto& values = explained_.observed[found.feature][site.of].values;
        const int64_t first = std::max<int64_t>(0, site.first),
                      last = std::min(site.first + std::ssize(pattern.weights), std::ssize(values));
        for (int64_t i = first; i < last; ++i) sum += values[static_cast<size_t>(i)];
      }
      const motif::Match* match = m < matches.size() && !matches[m].empty() ? &matches[m].front() : nullptr;
      const float numbers[] = {static_cast<float>(motif::information(motifs_[m])),
                               static_cast<float>(sum / static_cast<double>(pattern.sites.size())),
                               match ? static_cast<float>(match->p) : std::nanf(""),
                               match ? static_cast<float>(match->e) : std::nanf("")};
      const auto number = [&](size_t i) { return std::span<const float>(&numbers[i], 1); };
      const std::string consensus = motif::consensus(motifs_[m]);
      const io::Cell cells[] = {std::string_view(motifs_[m].name),
                                std::string_view(features_[found.feature]),
                                static_cast<int64_t>(pattern.sites.size()),
                                static_cast<int64_t>(regions.size()),
                                static_cast<int64_t>(std::ranges::count(found.hits, p, &motif::Hit::pattern)),
                                std::string_view(consensus),
                                number(0),
                                number(1),
                                std::string_view(match ? known[match->known].name : ""),
                                std::string_view(match ? known[match->known].other_name : ""),
                                number(2),
                                number(3)};
      writer->row(cells);
    }
  writer->commit();
}

void Results::write_hits(const io::Provenance& provenance) const {
  struct Line {
    size_t found, motif;
    const motif::Hit* hit;
  };
  std::vector<Line> lines;
  size_t before = 0;
  for (size_t f = 0; f < found_.size(); before += found_[f++].patterns.size())
    for (const auto& hit : found_[f].hits) lines.push_back({f, before + hit.pattern, &hit});
  std::ranges::stable_sort(lines, {}, [](const Line& line) { return std::pair(line.hit->of, line.hit->first); });
  const auto writer = io::make_row_writer(options_.hits, io::Format::bed,
                                          {.name = "hits",
                                           .columns = {{.name = "chrom", .labels = "contigs"},
                                                       {"start"},
                                                       {"end"},
                                                       {"name"},
                                                       {"score"},
                                                       {"strand"},
                                                       {"importance", {}, io::Digits::six},
                                                       {"coefficient", {}, io::Digits::six},
                                                       {"similarity", {}, io::Digits::six},
                                                       {"bits", {}, io::Digits::six},
                                                       {"q", {}, io::Digits::six},
                                                       {"region"}},
                                           .provenance = provenance});
  for (const auto& [f, m, hit] : lines) {
    const auto& region = explained_.regions[hit->of];
    const int64_t start = explained_.observed[found_[f].feature][hit->of].start + hit->first;
    const float numbers[] = {static_cast<float>(factor(found_[f]) * hit->importance),
                             static_cast<float>(hit->coefficient), static_cast<float>(hit->similarity),
                             static_cast<float>(hit->bits), static_cast<float>(hit->q)};
    const auto number = [&](size_t i) { return std::span<const float>(&numbers[i], 1); };
    const io::Cell cells[] = {io::Label{region.contig},
                              start,
                              start + std::ssize(motifs_[m].columns),
                              std::string_view(motifs_[m].name),
                              static_cast<int64_t>(std::lround(1000 * std::clamp(hit->similarity, 0., 1.))),
                              std::string_view(&hit->strand, 1),
                              number(0),
                              number(1),
                              number(2),
                              number(3),
                              number(4),
                              std::string_view(region.name)};
    writer->row(cells);
  }
  writer->commit();
  log::info(counted(lines.size(), "hit"), " with q up to ", options_.max_q);
}

}  // namespace

void de_novo_motifs(const MotifOptions& options) {
  ExplainOptions explain;
  static_cast<ExplainMethod&>(explain) = options.explain;
  explain.model = options.model;
  explain.input = options.input;
  explain.features = options.features;
  explain.seed = options.seed;
  explain.run = options.run;
  const auto explainer = make_explainer(explain);
  std::vector<std::string> outputs{options.output, options.table, options.matches, options.hits};
  io::refuse_shared_files(outputs, {options.input.fasta, options.input.regions, options.input.genome, options.known});
  outputs.push_back(options.pictures);
  io::refuse_outputs_in(outputs, {explainer->path()});
  const auto known = options.known.empty() ? std::vector<motif::Motif>() : motif::read_motifs(options.known);
  explainer->load();
  const auto all = explained(explain, *explainer);
  Results results(options, all, explainer->outputs().names);

  const auto provenance = io::Provenance().add("model", model_folder::name_and_md5(explainer->path()));
  auto& motifs = results.motifs();
  const auto matches =
      known.empty() ? std::vector<std::vector<motif::Match>>() : matches_of(motifs, known, options.run.threads);
  if (!options.table.empty()) results.write_table(known, matches, provenance);
  if (!options.matches.empty())
    write_matches(options, motifs, known, matches, provenance, {"motif resembles", "motifs resemble"});
  if (!options.hits.empty()) results.write_hits(provenance);
  write_logos(options.pictures, motifs);
  for (size_t m = 0; m < matches.size(); ++m)  // MEME's further name
    if (matches[m].front().e <= kLargestE) {
      const auto& best = known[matches[m].front().known];
      motifs[m].other_name = best.other_name.empty() ? best.name : best.other_name;
    }
  write_meme(options.output, motifs, motif::composition(all.observed.front()));
  log::info(counted(motifs.size(), "motif"), ", ", counted(all.regions.size(), "interval"));
}

}  // namespace bigdna::attribution
