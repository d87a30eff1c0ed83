#include "dataset/profile_dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "dataset/dataset_genome.h"
#include "dataset/folder_manifest.h"
#include "dataset/peak_check.h"
#include "dataset/tracks.h"
#include "genome/assemblies.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/output.h"

namespace bigdna::dataset {

namespace {
using Intervals = std::vector<genome::IntervalSet::Interval>;

class ProfileBuilder {
 public:
  explicit ProfileBuilder(const ProfileDatasetOptions& options)
      : options_(options),
        tracks_(read_track_table(options.tracks)),
        genome_(options.genome, options.invalid_bases),
        contigs_(genome::chosen_contigs(genome_, options.contigs).contigs, options.genome, options.genome) {
    check_tracks();
    if (!options.exclude.empty()) exclude_ = genome::intervals_of_bed(options.exclude, contigs_.all());
  }

  void build() {
    const Positions centres = options_.peaks.empty() ? tiles() : read_peaks();
    const SplitMap splits =
        make_splits(options_.split, contigs_.all(), centres, options_.held_out ? &*options_.held_out : nullptr);
    uint64_t total = 0, done = 0;
    for (const auto& contig : contigs_.all()) total += static_cast<uint64_t>(contig.length);
    log::Progress progress("regions", total, "bp");
    for (size_t i = 0; i < contigs_.all().size(); ++i) {
      if (const auto found = centres.find(contigs_.all()[i].name); found != centres.end())
        add_contig(i, found->second, splits);
      progress.update(done += static_cast<uint64_t>(contigs_.all()[i].length));
    }
    check_splits();
    write_counts();
    write();
  }

 private:
  RegionKind chosen_kind() const { return options_.peaks.empty() ? RegionKind::tile : RegionKind::peak; }
  int64_t reach() const { return options_.window / 2 + options_.jitter; }

  void check_tracks() const {
    const auto strand = [&](size_t i) { return tracks_[i].feature.strand; };
    const bool one = tracks_.size() == 1, both = tracks_.size() == 2 && strand(0) == '+' && strand(1) == '-';
    if (!one && !both)
      fail(options_.tracks, ": a profile model has one track, or one of strand + and then one of strand -; here ",
           tracks_.size() == 1 ? "is " : "are ", counted(tracks_.size(), "track"));
  }

  Positions tiles() const {
    Positions centres;
    for (const auto& contig : contigs_.all())
      for (int64_t at = reach(); at + reach() <= contig.length; at += options_.width)
        centres[contig.name].push_back(at);
    if (centres.empty())
      fail(options_.genome, ": no contig has ", 2 * reach(), " bp, a window and the --jitter on either side");
    return centres;
  }

  Positions read_peaks() {
    std::map<std::string, size_t> numbers;
    for (size_t i = 0; i < contigs_.all().size(); ++i) numbers[contigs_.all()[i].name] = i;
    Positions centres;
    PeaksByContig by_number;
    PeakCheck check;
    genome::EmptyIntervals empty;
    genome::BedReader bed(options_.peaks, genome::StrandColumn::ignored);
    int64_t elsewhere = 0;
    std::string other;
    while (auto record = bed.next()) {
      check.add(*record);
      if (empty.add(*record)) continue;
      const auto name = genome_.resolve(record->region.contig);
      if (!name || !numbers.contains(*name)) {
        ++elsewhere;
        other = record->region.contig;
        continue;
      }
      const auto number = numbers.at(*name);
      if (const auto& contig = contigs_.all()[number]; record->region.end > contig.length)
        fail(bed.path(), ":", record->line, ": end ", record->region.end, " is past the end of ",
             genome::contig_and_length(contig.name, contig.length));
      centres[*name].push_back(genome::centre_of(*record, bed.path()));
      by_number[number].emplace_back(record->region.start, record->region.end);
      peaks_.add(*name, record->region.start, record->region.end);
    }
    empty.warn(bed.path());
    check.finish(bed.path(), by_number, contigs_.all());
    if (centres.empty())
      fail(bed.path(), ": no peak lies on a contig that is used",
           elsewhere ? concat(": peaks are on ", other, ", and ", options_.genome, " has ", contigs_.all().front().name)
                     : std::string());
    if (elsewhere) log::info(counted(elsewhere, "peak lies", "peaks lie"), " on contigs that are not used");
    left_out_["other_contig"] = elsewhere;
    for (auto& [name, list] : centres) {
      std::ranges::sort(list);
      const auto same = std::ranges::unique(list);
      left_out_["same_summit"] += std::ssize(same);
      list.erase(same.begin(), same.end());
    }
    return centres;
  }

  genome::Region around(const std::string& contig, int64_t centre, int64_t length) const {
    return {contig, centre - length / 2, centre + length / 2, '.'};
  }

  /// The region's split, or nullopt: counted under the reason.
  std::optional<Split> split_of(const genome::Region& region, const genome::Region& window,
                                const Composition& composition, int64_t length, const SplitMap& splits) {
    const genome::Region moved{window.contig, window.start - options_.jitter, window.end + options_.jitter, '.'};
    const char* reason = nullptr;
    std::optional<Split> split;
    if (moved.start < 0 || moved.end > length)
      reason = "contig_end";
    else if (exclude_.overlaps(region))
      reason = "excluded";
    else if (composition.n_fraction(window.start, window.end) > options_.background.max_n_fraction)
      reason = "too_many_n";
    else if (split = splits.of(moved); !split)
      reason = "between_splits";
    if (reason) ++left_out_[reason];
    return split;
  }

  void add_contig(size_t number, const std::vector<int64_t>& centres, const SplitMap& splits) {
    const auto& contig = contigs_.all()[number];
    const std::string bases = genome_.fetch({contig.name, 0, contig.length, '+'});
    const Composition composition(bases);
    std::map<Split, Intervals> away;  // by split: its territory without peaks and what is excluded
    genome::IntervalSet barred = exclude_;
    barred.add(peaks_);
    for (const Split split : kSplits) away[split] = without(splits.territory(split), barred).intervals(contig.name);
    const auto first = std::ssize(rows_);
    genome::IntervalSet taken;
    for (const int64_t centre : centres) {
      const auto region = around(contig.name, centre, options_.width),
                 window = around(contig.name, centre, options_.window);
      const auto split = split_of(region, window, composition, contig.length, splits);
      if (!split) continue;
      rows_.push_back({region, *split, chosen_kind()});
      if (!options_.peaks.empty()) add_background(window, *split, composition, away[*split], taken);
    }
    std::sort(rows_.begin() + first, rows_.end(),
              [](const auto& a, const auto& b) { return std::tie(a.region, a.kind) < std::tie(b.region, b.kind); });
  }

  /// As many as are due for the peaks so far, of about the same share of G and C as this one.
  void add_background(const genome::Region& window, Split split, const Composition& composition, const Intervals& away,
                      genome::IntervalSet& taken) {
    const auto due = static_cast<int64_t>(options_.negatives * static_cast<double>(++peaks_kept_));
    for (; background_due_ < due; ++background_due_) {
      Rng rng(mix({options_.split.seed, kBackgroundRegions, static_cast<uint64_t>(background_due_)}));
      const double gc = composition.gc_fraction(window.start, window.end);
      const auto start =
          draw_genomic(composition, window.contig, away, taken, window.length(), gc, options_.background, rng);
      if (!start) {
        ++left_out_["background_not_placed"];
        continue;
      }
      taken.add(window.contig, *start, *start + window.length());
      gc_difference_ += std::abs(composition.gc_fraction(*start, *start + window.length()) - gc);
      ++background_;
      const auto region = around(window.contig, *start + window.length() / 2, options_.width);
      rows_.push_back({region, split, RegionKind::background});
    }
  }

  void check_splits() const {
    for (const Split split : kSplits)
      if (has_rows(split, options_.split, options_.held_out.has_value()) &&
          std::ranges::none_of(rows_, [&](const auto& row) { return row.split == split; }))
        fail(options_.output, ": the ", split_name(split), " split has no region", reasons_text(" (left out: ", ")"),
             ": choose another --test, --validation, --split-block or --seed");
    if (!options_.peaks.empty() && options_.negatives > 0 && background_ == 0)
      fail(options_.output, ": no window of ", options_.window,
           " bp outside the peaks is left for a background region (--negatives 0 does without)");
  }

  void write_counts() {
    genome::IntervalSet kept;
    for (const auto& row : rows_) {
      const int64_t more = row.kind == RegionKind::background ? 0 : options_.jitter;
      kept.add(row.region.contig, row.region.start - more, row.region.end + more);
    }
    std::vector<std::unique_ptr<coverage::Pileup>> pileups, of_halves;
    std::vector<coverage::CountSink*> sinks, halves;
    const auto add = [&](auto& to, auto& list) {
      to.push_back(std::make_unique<coverage::Pileup>(contigs_, options_.output + "/counts.safetensors"));
      list.push_back(to.back().get());
    };
    for (size_t i = 0; i < tracks_.size(); ++i) {
      add(pileups, sinks);
      add(of_halves, halves);
    }
    tallies_ = count_tracks(tracks_, contigs_, exclude_, options_.threads, sinks, halves);
    BaseCountsWriter writer(contigs_, kept);
    for (size_t i = 0; i < tracks_.size(); ++i)
      writer.add(*pileups[i], *of_halves[i], factor_of(tracks_[i], tallies_[i]));
    writer.write(options_.output + "/counts.safetensors");
  }

  void write() {
    io::Output regions(options_.output + "/regions.bed.gz");
    regions << "#chrom\tstart\tend\tname\tscore\tstrand\tsplit\tkind\n";
    std::map<std::string, std::map<std::string, int64_t>> counts;
    int64_t number = 0;
    for (const auto& row : rows_) {
      const auto kind = kRegionKinds[static_cast<size_t>(row.kind)];
      ++counts[std::string(split_name(row.split))][std::string(kind)];
      regions << concat(row.region.contig, '\t', row.region.start, '\t', row.region.end, '\t', kind, ++number,
                        "\t0\t.\t", split_name(row.split), '\t', kind, '\n');
    }
    regions.commit();
    std::vector<Feature> features;
    for (const auto& track : tracks_) features.push_back(track.feature);
    write_features(options_.output + "/features.tsv", features);
    report(counts);
    save_manifest(counts);
  }

  /// Why regions were left out, and how many; "" if none were.
  std::string reasons_text(const char* before, const char* after) const {
    std::string reasons;
    for (const auto& [reason, rows] : left_out_)
      if (rows) reasons += concat(reasons.empty() ? before : ", ", reason, " ", rows);
    return reasons.empty() ? reasons : reasons + after;
  }

  void report(const std::map<std::string, std::map<std::string, int64_t>>& counts) const {
    for (const auto& [split, kinds] : counts) {
      std::string line;
      for (const auto& [kind, rows] : kinds) line += concat(line.empty() ? "" : ", ", rows, " ", kind);
      log::info(split, ": ", line);
    }
    if (const auto reasons = reasons_text("left out: ", ""); !reasons.empty()) log::info(reasons);
    if (background_)
      log::info("background regions differ from their peaks by ", gc_difference_ / static_cast<double>(background_),
                " in GC on average");
  }

  void save_manifest(const std::map<std::string, std::map<std::string, int64_t>>& counts) const {
    io::Manifest manifest;
    manifest.kind = "dataset";
    manifest.seed = options_.split.seed;
    std::set<std::string> inputs{options_.genome};
    for (const auto& path : {options_.peaks, options_.exclude})
      if (!path.empty()) inputs.insert(path);
    for (const auto& files : {files_of(options_.split), track_files_of(options_.tracks)})
      inputs.insert(files.begin(), files.end());
    for (const auto& input : inputs) manifest.add_input(input);
    auto& details = manifest.details;
    details["task"] = "profile";
    record_genome(options_.genome, options_.invalid_bases, details);
    details["window"] = options_.window;
    details["width"] = options_.width;
    details["jitter"] = options_.jitter;
    details["rows"] = counts;
    details["left_out"] = left_out_;
    if (background_) details["mean_gc_difference"] = gc_difference_ / static_cast<double>(background_);
    details["tracks"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < tracks_.size(); ++i) details["tracks"].push_back(counted_json(tracks_[i], tallies_[i]));
    details["contigs"] = genome::to_json(contigs_.all());
    for (const char* name : {"regions.bed.gz", "counts.safetensors", "features.tsv"})
      manifest.add_file(options_.output, name);
    manifest.save(manifest_path(options_.output));
  }

  const ProfileDatasetOptions& options_;
  const std::vector<TrackRow> tracks_;
  genome::Genome genome_;
  const coverage::Contigs contigs_;
  genome::IntervalSet exclude_, peaks_;
  std::vector<ProfileRow> rows_;
  std::vector<coverage::Tally> tallies_;
  std::map<std::string, int64_t> left_out_;  // by reason
  int64_t peaks_kept_ = 0, background_ = 0, background_due_ = 0;
  double gc_difference_ = 0;
};
}  // namespace

void build_profile_dataset(const ProfileDatasetOptions& options) {
  if (options.window % 2 || options.width % 2 || options.width < 2 || options.width > options.window)
    throw UsageError(concat("--window ", options.window, ", --width ", options.width,
                            ": both must be even, and the width at most the window"));
  const std::vector<std::string> inputs{options.tracks, options.peaks, options.genome, options.exclude};
  io::build_output_folder({options.output, "dataset", options.existing, inputs},
                          [&] { ProfileBuilder(options).build(); });
}

}  // namespace bigdna::dataset
