#include "dataset/promoter_dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/table.h"
#include "dataset/folder_manifest.h"
#include "dataset/leakage.h"
#include "dataset/promoter_sites.h"
#include "dataset/start_sites.h"
#include "dataset/unique_names.h"
#include "genome/assemblies.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "genome/fasta.h"
#include "io/output.h"

namespace bigdna::dataset {

namespace {
constexpr int64_t kCpgUpstream = 700, kCpgDownstream = 201;  // -700..+200

struct RowWithBases {
  PromoterRow row;
  std::string bases;
};

/// Counts for dataset.json and the last line on stderr.
struct Counts {
  std::map<std::string, std::map<std::string, int64_t>> rows;  // split -> kind -> rows
  int64_t genomic = 0, genomic_missing = 0, unchanged = 0, cpg = 0;
  double gc_difference = 0;  // summed over genomic negatives
};

class PromoterBuilder {
 public:
  explicit PromoterBuilder(const PromoterOptions& options)
      : options_(options),
        genome_(options.genome, options.invalid_bases),
        regions_(options.output + "/regions.bed.gz", options.threads),
        sequences_(options.output + "/sequences.fa.gz", options.threads),
        dropped_(options.output) {
    if (!options.cpg_islands.empty()) {
      islands_ = genome::intervals_of_bed(options.cpg_islands, genome_.contigs());
      if (islands_->empty()) fail(options.cpg_islands, ": no island lies on a contig of ", options.genome);
    }
  }

  void build() {
    const auto placed = place_start_sites(options_, genome_, dropped_);
    const auto& sites = placed.contigs;
    read_ = placed.read;
    Positions positions;
    for (const auto& [contig, list] : sites)
      for (const auto& site : list) positions[contig].push_back(site.position);
    const SplitMap splits = make_splits(options_.split, genome::chosen_contigs(genome_, options_.contigs).contigs,
                                        positions, options_.held_out ? &*options_.held_out : nullptr);
    regions_ << "#chrom\tstart\tend\tname\tlabel\tstrand\tsplit\tkind\tcpg\n";
    for (const auto& [contig, list] : sites)
      for (const auto& site : list) names_.reserve(site.name);
    uint64_t total = 0, done = 0;  // bases of contigs with start sites; others are not read
    for (const auto& contig : genome_.contigs())
      if (sites.contains(contig.name)) total += static_cast<uint64_t>(contig.length);
    log::Progress progress("promoters", total, "bp");
    for (const auto& contig : genome_.contigs()) {
      const auto found = sites.find(contig.name);
      if (found == sites.end()) continue;
      add_contig(contig, found->second, splits);
      progress.update(done += static_cast<uint64_t>(contig.length));
    }
    check_splits();
    regions_.commit();
    sequences_.commit();
    dropped_.commit();
    leakage_.write(options_.output + "/leakage.tsv");
    genome::Genome(options_.output + "/sequences.fa.gz");  // builds the index beside it
    save_manifest();
  }

 private:
  std::string read(std::string_view contig_bases, const genome::Region& region) const {
    std::string bases(contig_bases.substr(static_cast<size_t>(region.start), static_cast<size_t>(region.length())));
    if (region.strand == '-') genome::reverse_complement_in_place(bases);
    return bases;
  }

  bool is_cpg(const StartSite& site, const genome::Contig& contig, std::string_view contig_bases) const {
    auto around = promoter_interval(site, kCpgUpstream, kCpgDownstream);
    around.start = std::max<int64_t>(0, around.start);
    around.end = std::min(contig.length, around.end);
    return islands_ ? islands_->overlaps(around)
                    : is_cpg_promoter(
                          contig_bases.substr(static_cast<size_t>(around.start), static_cast<size_t>(around.length())));
  }

  void add_contig(const genome::Contig& contig, const std::vector<StartSite>& sites, const SplitMap& splits) {
    const std::string bases = genome_.fetch({contig.name, 0, contig.length, '+'});
    const Composition composition(bases);
    genome::IntervalSet near_sites, taken;
    for (const auto& site : sites)
      near_sites.add(contig.name, std::max<int64_t>(0, site.position - options_.tss_distance),
                     site.position + options_.tss_distance + 1);
    std::map<Split, std::vector<genome::IntervalSet::Interval>>
        away;  // by split: its territory without what is near a start site
    for (const Split split : kSplits)
      for (const auto& [start, end] : splits.territory(split).intervals(contig.name))
        for (const auto& [free_start, free_end] : near_sites.gaps(contig.name, end))
          if (std::max(start, free_start) < free_end) away[split].emplace_back(std::max(start, free_start), free_end);

    std::vector<RowWithBases> rows;
    const StartSite* previous = nullptr;
    for (const auto& site : sites) {
      const auto region = promoter_interval(site, options_.upstream, options_.downstream);
      if (previous && previous->position == site.position && previous->strand == site.strand) {
        dropped_.add(site, "duplicate");
        continue;
      }
      previous = &site;
      if (site.position >= contig.length)
        fail(options_.promoters, ":", site.line, ": position ", site.position, " is past the end of ",
             genome::contig_and_length(contig.name, contig.length));
      if (region.start < 0 || region.end > contig.length) {
        dropped_.add(site, "contig_end");
        continue;
      }
      if (composition.n_fraction(region.start, region.end) > options_.genomic.max_n_fraction) {
        dropped_.add(site, "too_many_n");
        continue;
      }
      const auto split = splits.of(region);
      if (!split) {
        dropped_.add(site, "between_splits");
        continue;
      }
      RowWithBases positive{{region, names_.take(site.name.empty() ? concat("tss", ++unnamed_) : site.name), 1, *split,
                             "promoter", is_cpg(site, contig, bases)},
                            read(bases, region)};
      counts_.cpg += positive.row.cpg;
      add_negatives(positive, composition, bases, away[*split], taken, rows);
      rows.push_back(std::move(positive));
    }
    std::sort(rows.begin(), rows.end(), [](const RowWithBases& a, const RowWithBases& b) {
      return std::tie(a.row.region.start, a.row.region.end, a.row.name) <
             std::tie(b.row.region.start, b.row.region.end, b.row.name);
    });
    for (const auto& row : rows) write(row);
  }

  void add_negatives(const RowWithBases& positive, const Composition& composition, std::string_view contig_bases,
                     const std::vector<genome::IntervalSet::Interval>& away, genome::IntervalSet& taken,
                     std::vector<RowWithBases>& rows) {
    const auto& region = positive.row.region;
    uint64_t kind_number = 0;
    for (const auto& kind : options_.negatives) {
      ++kind_number;
      for (int64_t copy = 1; copy <= options_.ratio; ++copy) {
        Rng rng(
            mix({options_.split.seed, static_cast<uint64_t>(positives_), kind_number, static_cast<uint64_t>(copy)}));
        RowWithBases negative{
            {region, concat(positive.row.name, "/", kind, copy), 0, positive.row.split, kind, positive.row.cpg}, {}};
        if (kind == "genomic") {
          const double gc = composition.gc_fraction(region.start, region.end);
          const auto start =
              draw_genomic(composition, region.contig, away, taken, region.length(), gc, options_.genomic, rng);
          if (!start) {
            ++counts_.genomic_missing;
            continue;
          }
          negative.row.region = {region.contig, *start, *start + region.length(), rng.below(2) ? '-' : '+'};
          negative.bases = read(contig_bases, negative.row.region);
          taken.add(negative.row.region);
          ++counts_.genomic;
          counts_.gc_difference += std::abs(composition.gc_fraction(*start, *start + region.length()) - gc);
        } else {
          constexpr int kTries = 100;  // small changes may bring back what was there
          const SyntheticKind& row = *find_row(synthetic_kinds(), kind);
          for (int i = 0; i < kTries && (i == 0 || negative.bases == positive.bases); ++i)
            negative.bases = row.make(positive.bases, options_.synthetic, rng);
          if (negative.bases == positive.bases) {
            ++counts_.unchanged;
            continue;
          }
        }
        rows.push_back(std::move(negative));
      }
    }
    ++positives_;
  }

  void write(const RowWithBases& item) {
    const auto& row = item.row;
    ++counts_.rows[std::string(split_name(row.split))][row.kind];
    regions_ << concat(row.region.contig, '\t', row.region.start, '\t', row.region.end, '\t', row.name, '\t',
                       int{row.label}, '\t', row.region.strand, '\t', split_name(row.split), '\t', row.kind,
                       row.cpg ? "\t1\n" : "\t0\n");
    used_contigs_.insert(row.region.contig);
    leakage_.add(row.name, row.region, row.split, item.bases);
    sequences_ << ">" << row.name << "\n" << item.bases << "\n";
  }

  void check_splits() {
    for (const Split split : kSplits) {
      const bool wanted = has_rows(split, options_.split, options_.held_out.has_value());
      auto& kinds = counts_.rows[std::string(split_name(split))];
      const auto positives = kinds["promoter"];
      int64_t negatives = 0;
      for (const auto& [kind, rows] : kinds) negatives += kind == "promoter" ? 0 : rows;
      if (wanted && positives == 0)
        fail(options_.output, ": the ", split_name(split),
             " split has no promoter: choose another --test, --validation, --split-block or --seed");
      if (wanted && negatives == 0)
        fail(options_.output, ": the ", split_name(split), " split has no negative: no interval there is ",
             options_.tss_distance, " bp away from every start site (--tss-distance)");
    }
  }

  void save_manifest() {
    io::Manifest manifest;
    manifest.kind = "dataset";
    manifest.seed = options_.split.seed;
    manifest.add_input(options_.promoters);
    manifest.add_input(options_.genome);
    if (!options_.chain.empty()) manifest.add_input(options_.chain);
    if (!options_.cpg_islands.empty()) manifest.add_input(options_.cpg_islands);
    for (const auto& file : files_of(options_.split)) manifest.add_input(file);
    auto& details = manifest.details;
    details["task"] = "promoter";
    details["upstream"] = options_.upstream;
    details["downstream"] = options_.downstream;
    details["negatives"] = options_.negatives;
    details["ratio"] = options_.ratio;
    details["start_sites_read"] = read_;
    details["dropped"] = dropped_.counts();
    if (options_.split.folds) {
      details["folds"] = options_.split.folds;
      details["fold"] = options_.split.fold;
    }
    details["cpg_promoters"] = counts_.cpg;
    details["cpg_rule"] = islands_ ? "an island within -700..+200"
                                   : "500 bp of -700..+200 with observed/expected CpG > 0.75 and GC > 0.55";
    details["rows"] = counts_.rows;
    details["contigs"] = genome::to_json(genome::contigs_named(genome_.contigs(), used_contigs_));
    if (counts_.genomic)
      details["genomic_mean_gc_difference"] = counts_.gc_difference / static_cast<double>(counts_.genomic);
    if (counts_.genomic_missing) details["genomic_not_placed"] = counts_.genomic_missing;
    if (counts_.unchanged) details["negatives_like_their_promoter"] = counts_.unchanged;
    for (const char* name : {"regions.bed.gz", "sequences.fa.gz", "dropped.tsv", "leakage.tsv"})
      manifest.add_file(options_.output, name);
    if (!options_.chain.empty()) manifest.add_file(options_.output, "unmapped.bed");
    manifest.save(manifest_path(options_.output));
    report();
  }

  void report() const {
    int64_t positives = 0, dropped = 0;
    std::string reasons;
    for (const auto& [reason, count] : dropped_.counts()) {
      dropped += count;
      reasons += concat(reasons.empty() ? " (" : ", ", reason, " ", count);
    }
    for (const auto& [split, kinds] : counts_.rows) {
      std::string line;
      for (const auto& [kind, rows] : kinds) line += concat(line.empty() ? "" : ", ", rows, " ", kind);
      log::info(split, ": ", line);
      if (const auto found = kinds.find("promoter"); found != kinds.end()) positives += found->second;
    }
    log::info(counted(read_, "start site"), " read, ", positives, " kept, ", counts_.cpg, " of them CpG promoters, ",
              dropped, " dropped", reasons, reasons.empty() ? "" : ")");
    if (counts_.genomic)
      log::info("genomic negatives differ from their promoter by ",
                counts_.gc_difference / static_cast<double>(counts_.genomic), " in GC on average");
    if (counts_.genomic_missing)
      log::warn(counted(counts_.genomic_missing, "genomic negative"), " could not be placed");
    names_.warn("promoter");
    if (counts_.unchanged)
      log::warn(counted(counts_.unchanged, "negative that equals its promoter is",
                        "negatives that equal their promoters are"),
                " left out");
  }

  const PromoterOptions& options_;
  genome::Genome genome_;
  io::Output regions_, sequences_;
  Dropped dropped_;
  Leakage leakage_;
  std::optional<genome::IntervalSet> islands_;  // in the genome's spelling
  UniqueNames names_{"/"};                      // a negative is called PROMOTER/KIND
  Counts counts_;
  std::set<std::string> used_contigs_;
  int64_t unnamed_ = 0, positives_ = 0, read_ = 0;
};
}  // namespace

bool is_cpg_promoter(std::string_view bases) {
  constexpr size_t kStretch = 500;
  const size_t length = std::min(kStretch, bases.size());
  int64_t c = 0, g = 0, cpg = 0;
  const auto count = [&](size_t i, int64_t by) {  // a CpG counts at its C
    c += bases[i] == 'C' ? by : 0;
    g += bases[i] == 'G' ? by : 0;
  };
  const auto pair = [&](size_t i) { return bases[i] == 'C' && bases[i + 1] == 'G'; };
  for (size_t end = 0; end < bases.size(); ++end) {
    count(end, 1);
    if (end > 0) cpg += pair(end - 1);
    if (end >= length) {
      count(end - length, -1);
      cpg -= pair(end - length);
    }
    if (end + 1 >= length && c * g > 0 && static_cast<double>(c + g) > 0.55 * static_cast<double>(length) &&
        static_cast<double>(cpg * static_cast<int64_t>(length)) > 0.75 * static_cast<double>(c * g))
      return true;
  }
  return false;
}

std::span<const PromoterRecipe> promoter_recipes() {
  static constexpr std::array<PromoterRecipe, 4> recipes{{
      {"genomic", "8000 bp, real GC-matched intervals as negatives", 5000, 3000, "genomic"},
      {"paper", "8000 bp, substitute (BigBird, appendix F.2)", 5000, 3000, "substitute"},
      {"deepromoter", "300 bp, substitute", 249, 51, "substitute"},
      {"scan", "2000 bp, genomic", 1250, 750, "genomic"},
  }};
  return recipes;
}

void build_promoter_dataset(const PromoterOptions& options) {
  if (options.upstream < 0 || options.downstream < 1)
    throw UsageError("--upstream must be at least 0 and --downstream at least 1");
  if (options.negatives.empty() || options.ratio < 1)
    throw UsageError("a dataset needs at least one negative for each promoter");
  for (const auto& kind : options.negatives) {
    if (kind == "genomic") continue;
    const SyntheticKind* row = find_row(synthetic_kinds(), kind);
    if (!row) throw UsageError(concat("--negatives ", kind, ": choose from genomic, substitute, permute, shuffle"));
    check_negatives(*row, options.synthetic, options.upstream + options.downstream);
  }
  const std::vector<std::string> inputs{options.promoters, options.chain, options.cpg_islands, options.genome};
  io::build_output_folder({options.output, "dataset", options.existing, inputs},
                          [&] { PromoterBuilder(options).build(); });
}

PromoterDataset PromoterDataset::open(const std::string& folder) try {
  PromoterDataset dataset;
  dataset.folder = folder;
  dataset.manifest = open_manifest(folder, "promoter");
  dataset.upstream = recorded_bases(folder, dataset.manifest, "upstream");
  dataset.downstream = recorded_bases(folder, dataset.manifest, "downstream");
  dataset.negatives = dataset.manifest.details.at("negatives").get<std::vector<std::string>>();
  const std::string path = folder + "/regions.bed.gz";
  genome::BedReader bed(path);
  while (auto record = bed.next()) {
    const auto split = record->extra.size() >= 2 ? split_of_name(record->extra[0]) : std::nullopt;
    if (!split || (record->score != "0" && record->score != "1"))
      fail(path, ":", record->line, ": expected name, label 0 or 1, strand, split and kind");
    dataset.has_cpg = record->extra.size() > 2;
    dataset.rows.push_back({record->region, record->name, static_cast<uint8_t>(record->score == "1"), *split,
                            record->extra[1], dataset.has_cpg && record->extra[2] == "1"});
  }
  dataset.manifest.verify_file(folder, "regions.bed.gz");
  return dataset;
} catch (const nlohmann::json::exception& error) {
  fail(manifest_path(folder), ": damaged: ", error.what());
}

}  // namespace bigdna::dataset
