#include "dataset/chromatin_dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"
#include "dataset/chromatin_folder.h"
#include "dataset/deepsea.h"
#include "dataset/negatives.h"
#include "dataset/peak_check.h"
#include "dataset/start_sites.h"
#include "dataset/tracks.h"
#include "genome/assemblies.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "genome/fasta.h"

namespace bigdna::dataset {

namespace {
using Interval = genome::IntervalSet::Interval;

/// A feature's peaks by contig number of the genome.
struct Peaks {
  PeaksByContig contigs;
  int64_t elsewhere = 0;            // peaks on contigs that the genome lacks or --contigs leaves out
  int64_t all = 0, short_ones = 0;  // of those on the contigs used: at most half a bin, so none labels a bin alone
};

class ChromatinBuilder {
 public:
  explicit ChromatinBuilder(const ChromatinOptions& options)
      : options_(options),
        files_(options.peaks.empty() ? std::vector<PeakFile>() : read_peak_table(options.peaks)),
        sites_(options.start_sites.empty() ? std::vector<StartSite>() : read_start_sites(options.start_sites)),
        genome_(options.genome, options.invalid_bases) {
    if (!options.start_sites.empty())
      for (const char strand : {'+', '-'})
        files_.push_back({{kStartSites, "-", "-", kStartSites, strand}, options.start_sites});
    contigs_ = genome::chosen_contigs(genome_, options.contigs).contigs;
    const bool has_tf =
        std::any_of(files_.begin(), files_.end(), [](const PeakFile& file) { return file.feature.group == "TF"; });
    keep_ = options.keep != "auto" ? options.keep : !options.tracks.empty() ? "all" : has_tf ? "tf" : "any";
    if (keep_ == "tf" && !has_tf)
      throw UsageError(concat("--keep tf: ", options.peaks.empty() ? options.start_sites : options.peaks,
                              " has no feature of group TF"));
    if (keep_ == "all" && options.negatives > 0)
      throw UsageError(concat("--negatives: ", options.keep == "all" ? "--keep all" : "a dataset of tracks",
                              " has all bins without a label already"));
    if (files_.empty() && keep_ == "any") throw UsageError("--keep any: there are only tracks, which label no bin");
    if (!options.exclude.empty()) exclude_ = genome::intervals_of_bed(options.exclude, contigs_);
  }

  void build() {
    read_peaks();
    if (!options_.tracks.empty())
      tracks_.emplace(read_track_table(options_.tracks), coverage::Contigs(contigs_, options_.genome, options_.genome),
                      bin_, exclude_, options_.threads);
    const SplitMap splits =
        make_splits(options_.split, contigs_, positions(), options_.held_out ? &*options_.held_out : nullptr);
    uint64_t total = 0, done = 0;
    for (const auto& contig : contigs_) total += static_cast<uint64_t>(contig.length);
    log::Progress progress("bins", total, "bp");
    for (size_t i = 0; i < contigs_.size(); ++i) {
      add_contig(i, splits);
      progress.update(done += static_cast<uint64_t>(contigs_[i].length));
    }
    if (bins_.empty())
      fail(files_.empty() ? options_.tracks : files_.front().path, ": no bin of ", options_.genome,
           files_.empty() ? "" : " that has a label", " lies in a split");
    add_unlabelled();
    thin_out();
    if (tracks_)
      for (const auto& bin : bins_) tracks_->append(bin.contig, bin.start, counts_, halves_);
    write();
  }

 private:
  void read_peaks() {
    peaks_.resize(files_.size());
    std::map<std::string, size_t> numbers;
    for (size_t i = 0; i < contigs_.size(); ++i) numbers[contigs_[i].name] = i;
    std::map<std::string, std::optional<size_t>> known;  // the number of a contig by its name in any of the files
    const auto number_of = [&](const std::string& name) {
      const std::lock_guard lock(resolve_mutex_);
      const auto [found, added] = known.try_emplace(name);
      if (added)
        if (const auto ours = genome_.resolve(name); ours && numbers.contains(*ours)) found->second = numbers[*ours];
      return found->second;
    };
    log::Progress progress("peaks", files_.size(), "files");
    parallel_for(static_cast<int64_t>(files_.size()), options_.threads, [&](int64_t i) {
      const auto& file = files_[static_cast<size_t>(i)];
      Peaks& peaks = peaks_[static_cast<size_t>(i)];
      const auto add = [&](const std::string& contig, int64_t start, int64_t end, int64_t line, bool whole_bins) {
        const auto number = number_of(contig);
        if (!number) {
          ++peaks.elsewhere;
          return;
        }
        const auto& [name, length] = contigs_[*number];
        if (end > length)
          fail(file.path, ":", line, ": end ", end, " is past the end of ", genome::contig_and_length(name, length));
        ++peaks.all;
        peaks.short_ones += !whole_bins && end - start <= bin_ / 2;
        if (whole_bins) start = start / bin_ * bin_, end = start + bin_;
        peaks.contigs[*number].emplace_back(start, end);
      };
      if (file.feature.strand != '.') {  // the bins that hold a start site
        for (const auto& site : sites_)
          if (site.strand == file.feature.strand)
            add(contig_of_site(genome_, site, file.path).value_or(site.contig), site.position, site.position + 1,
                site.line, true);
        return;
      }
      genome::EmptyIntervals empty;
      PeakCheck check;
      genome::BedReader bed(file.path, genome::StrandColumn::ignored);
      while (auto record = bed.next()) {
        check.add(*record);
        if (!empty.add(*record))
          add(record->region.contig, record->region.start, record->region.end, record->line, false);
      }
      empty.warn(bed.path());
      check.finish(bed.path(), peaks.contigs, contigs_);
      progress.add(1);
    });
    warn_of_same_peaks();
    int64_t elsewhere = 0;
    for (size_t i = 0; i < peaks_.size(); ++i) {
      elsewhere += peaks_[i].elsewhere;
      const auto& [contigs, other, all, short_ones] = peaks_[i];
      const char strand = files_[i].feature.strand;
      if (contigs.empty())
        log::warn(files_[i].path, ": no ", strand == '.' ? "peak" : concat("start site of strand ", strand),
                  " on the contigs used");
      if (2 * short_ones > all)
        log::warn(files_[i].path, ": ", short_ones, " of ", counted(all, "peak"),
                  short_ones == 1 ? " has at most " : " have at most ", bin_ / 2,
                  " bp, half a bin, which labels no bin by itself (start sites: --start-sites)");
    }
    if (elsewhere > 0 && std::ranges::all_of(peaks_, [](const Peaks& peaks) { return peaks.contigs.empty(); }))
      fail(files_.front().path, ": no peak lies on a contig that is used: peaks are on ",
           std::ranges::find_if(known, [](const auto& entry) { return !entry.second; })->first, ", and ",
           options_.genome, " has ", contigs_.front().name);
    if (elsewhere) log::info(counted(elsewhere, "peak lies", "peaks lie"), " on contigs that are not used");
    peaks_elsewhere_ = elsewhere;
  }

  /// Two features of one file, or of copies of it, have the same labels: often a path that was not changed.
  void warn_of_same_peaks() const {
    for (size_t i = 0; i < peaks_.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (!peaks_[i].contigs.empty() && peaks_[i].contigs == peaks_[j].contigs)
          log::warn(options_.peaks, ": ", label(files_[j].feature), " and ", label(files_[i].feature),
                    " have the same peaks (", files_[j].path,
                    files_[i].path == files_[j].path ? std::string() : " and " + files_[i].path, ")");
  }

  /// Where rows will lie, for the splits: starts of up to about a million bins if all are kept, otherwise of peaks;
  /// only those of TF features if only bins with their labels are kept.
  Positions positions() const {
    if (keep_ == "all") return all_bins();
    size_t total = 0;
    for (const auto& peaks : peaks_)
      for (const auto& [contig, list] : peaks.contigs) total += list.size();
    const size_t every = 1 + total / 1'000'000;
    Positions result;
    for (size_t f = 0; f < peaks_.size(); ++f) {
      if (keep_ == "tf" && files_[f].feature.group != "TF") continue;
      for (const auto& [contig, list] : peaks_[f].contigs)
        for (size_t i = 0; i < list.size(); i += every) result[contigs_[contig].name].push_back(list[i].first);
    }
    for (auto& [contig, list] : result) std::sort(list.begin(), list.end());
    return result;
  }

  Positions all_bins() const {
    int64_t total = 0;
    for (const auto& contig : contigs_) total += contig.length / bin_;
    const int64_t every = bin_ * (1 + total / 1'000'000);
    Positions result;
    for (const auto& contig : contigs_)
      for (int64_t start = 0; start + bin_ <= contig.length; start += every) result[contig.name].push_back(start);
    return result;
  }

  bool has_tf_label(std::span<const uint8_t> labels) const {
    for (size_t f = 0; f < files_.size(); ++f)
      if (files_[f].feature.group == "TF" && label_at(labels, static_cast<int64_t>(f))) return true;
    return false;
  }

  void add_contig(size_t number, const SplitMap& splits) {
    const auto& contig = contigs_[number];
    const int64_t bins = contig.length / bin_;
    const bool any_peaks =
        std::any_of(peaks_.begin(), peaks_.end(), [&](const Peaks& peaks) { return peaks.contigs.count(number) > 0; });
    if (bins == 0 || (!any_peaks && keep_ != "all")) return;
    LabelBits labels(bins, static_cast<int64_t>(files_.size()));
    for (size_t f = 0; f < files_.size(); ++f)
      if (const auto found = peaks_[f].contigs.find(number); found != peaks_[f].contigs.end()) {
        label_bins(std::move(found->second), bins, bin_, static_cast<int64_t>(f), labels);
        peaks_[f].contigs.erase(found);
      }
    const std::string bases = genome_.fetch({contig.name, 0, contig.length, '+'});
    const Composition composition(bases);
    for (int64_t bin = 0; bin < bins; ++bin) {
      const auto row = labels.row(bin);
      const bool labelled = std::any_of(row.begin(), row.end(), [](uint8_t byte) { return byte != 0; });
      const bool keep = keep_ == "all" || (labelled && (keep_ == "any" || has_tf_label(row)));
      if (!keep && (labelled || options_.negatives == 0)) continue;
      const genome::Region region{contig.name, bin * bin_, (bin + 1) * bin_, '.'};
      const auto context = with_context(region, options_.upstream, options_.downstream);
      const genome::Region inside{contig.name, std::max<int64_t>(0, context.start),
                                  std::min(contig.length, context.end), '.'};
      const auto split = splits.of(inside);
      if (!split) {
        between_ += keep;
        continue;
      }
      if (exclude_.overlaps(region)) {
        excluded_ += keep;
        continue;
      }
      const int64_t n = composition.n(inside.start, inside.end) + context.length() - inside.length();
      if (static_cast<double>(n) > options_.max_n_fraction * static_cast<double>(context.length())) {
        too_many_n_ += keep;
        continue;
      }
      (keep ? bins_ : unlabelled_).push_back({static_cast<uint32_t>(number), *split, region.start});
      if (keep) labels_.insert(labels_.end(), row.begin(), row.end());
    }
  }

  /// --negatives: drawn once from all contigs that have peaks, so that one with few bins does not lower their number.
  /// On the others nothing may have been measured.
  void add_unlabelled() {
    const double wanted = options_.negatives * static_cast<double>(bins_.size());
    if (std::floor(wanted) > static_cast<double>(unlabelled_.size()))
      log::warn("--negatives ", options_.negatives, ": contigs with peaks have only ",
                counted(unlabelled_.size(), "bin without a label", "bins without a label"), " in the splits, for ",
                counted(bins_.size(), "bin"), " with one");
    if (unlabelled_.empty()) return;
    Rng rng(mix({options_.split.seed, kUnlabelledBins}));
    rng.shuffle(unlabelled_);
    if (wanted < static_cast<double>(unlabelled_.size())) unlabelled_.resize(static_cast<size_t>(wanted));
    const size_t kept = bins_.size(), bytes = kept ? labels_.size() / kept : 0;
    bins_.insert(bins_.end(), unlabelled_.begin(), unlabelled_.end());
    labels_.resize(bins_.size() * bytes);
    std::vector<size_t> order(bins_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(bins_[i].contig, bins_[i].start); });
    std::vector<LabelledBin> bins;
    std::vector<uint8_t> labels;
    labels.reserve(labels_.size());
    for (const size_t i : order) {
      bins.push_back(bins_[i]);
      labels.insert(labels.end(), labels_.begin() + static_cast<int64_t>(i * bytes),
                    labels_.begin() + static_cast<int64_t>((i + 1) * bytes));
    }
    bins_ = std::move(bins);
    labels_ = std::move(labels);
    unlabelled_ = {};
  }

  void thin_out() {
    if (options_.max_bins == 0 || static_cast<int64_t>(bins_.size()) <= options_.max_bins) return;
    const Permutation permutation(bins_.size(), mix({options_.split.seed, kThinnedBins}));
    const size_t bytes = labels_.size() / bins_.size();
    size_t drawn = 0;
    for (size_t i = 0; i < bins_.size(); ++i)
      if (static_cast<int64_t>(permutation(i)) < options_.max_bins) {
        bins_[drawn] = bins_[i];
        std::copy_n(labels_.begin() + static_cast<int64_t>(i * bytes), bytes,
                    labels_.begin() + static_cast<int64_t>(drawn * bytes));
        ++drawn;
      }
    log::info(drawn, " of ", counted(bins_.size(), "bin"), " drawn (--max-bins)");
    bins_.resize(drawn);
    labels_.resize(drawn * bytes);
  }

  void write() {
    for (const Split split : kSplits) {
      const bool wanted = has_rows(split, options_.split, options_.held_out.has_value());
      if (wanted && std::none_of(bins_.begin(), bins_.end(), [&](const auto& bin) { return bin.split == split; }))
        fail(options_.output, ": the ", split_name(split),
             " split has no bin: choose another --test, --validation, --split-block or --seed");
    }
    if (options_.keep == "auto")
      log::info("--keep ", keep_, ": ",
                keep_ == "all"  ? "all bins (there are tracks)"
                : keep_ == "tf" ? "bins with a label of group TF"
                                : "bins with any label (no feature is of group TF)");
    if (between_ + excluded_ + too_many_n_)
      log::info("bins left out: ", between_, " between splits, ", excluded_, " excluded, ", too_many_n_,
                " with too many N");
    io::Manifest manifest;
    manifest.seed = options_.split.seed;
    std::set<std::string> inputs;
    if (!options_.peaks.empty()) inputs.insert(options_.peaks);
    if (!options_.exclude.empty()) inputs.insert(options_.exclude);
    for (const auto& file : files_of(options_.split)) inputs.insert(file);
    for (const auto& file : files_) inputs.insert(file.path);
    for (const auto& input : inputs) manifest.add_input(input);
    manifest.details["keep"] = keep_;
    manifest.details["left_out"] = {{"between_splits", between_},
                                    {"excluded", excluded_},
                                    {"too_many_n", too_many_n_},
                                    {"peaks_on_other_contigs", peaks_elsewhere_}};
    std::vector<Feature> features;
    for (const auto& file : files_) features.push_back(file.feature);
    if (tracks_) {
      for (const auto& row : tracks_->rows()) features.push_back(row.feature);
      for (const auto& file : track_files_of(options_.tracks)) manifest.add_input(file);
      manifest.details["tracks"] = tracks_->summary(counts_);
    }
    write_chromatin_folder(options_, contigs_, features, bins_, labels_, {counts_, halves_}, std::move(manifest));
  }

  const ChromatinOptions& options_;
  const int64_t bin_ = options_.bin;  // bp
  std::vector<PeakFile> files_;       // of each feature; the file of start sites twice, once for each strand
  std::vector<StartSite> sites_;
  genome::Genome genome_;
  std::mutex resolve_mutex_;
  std::vector<genome::Contig> contigs_;
  std::string keep_;
  genome::IntervalSet exclude_;
  std::vector<Peaks> peaks_;
  std::vector<LabelledBin> bins_;
  std::vector<uint8_t> labels_;          // of bins_, row-major
  std::vector<LabelledBin> unlabelled_;  // that --negatives can draw
  std::optional<TrackCounts> tracks_;
  std::vector<float> counts_, halves_;  // of bins_, row-major
  int64_t between_ = 0, excluded_ = 0, too_many_n_ = 0, peaks_elsewhere_ = 0;
};
}  // namespace

void label_bins(std::vector<Interval> peaks, int64_t bins, int64_t width, int64_t feature, LabelBits& labels) {
  std::sort(peaks.begin(), peaks.end());
  int64_t bin = -1, covered = 0,
          reach = 0;  // `reach`: everything before it has been counted, so that overlaps count once
  auto finish = [&] {
    if (bin >= 0 && bin < bins && 2 * covered > width) labels.set(bin, feature);
  };
  for (const auto& [peak_start, end] : peaks) {
    for (int64_t start = std::max(peak_start, reach); start < end;) {
      const int64_t at = start / width, stop = std::min(end, (at + 1) * width);
      if (at != bin) {
        finish();
        bin = at;
        covered = 0;
      }
      covered += stop - start;
      start = stop;
    }
    reach = std::max(reach, end);
  }
  finish();
}

void build_chromatin_dataset(const ChromatinOptions& options) {
  if (options.upstream < 0 || options.downstream < 0)
    throw UsageError("--upstream and --downstream must not be negative");
  if (!find_bin_width(options.bin))
    throw UsageError(concat("--bin ", options.bin, ": networks have stages for bins of ", bin_widths_text(), " bp"));
  if (options.negatives < 0) throw UsageError("--negatives must not be negative");
  const std::vector<std::string> inputs{options.peaks,   options.start_sites, options.tracks,
                                        options.deepsea, options.genome,      options.exclude};
  io::build_output_folder({options.output, "dataset", options.existing, inputs}, [&] {
    if (options.deepsea.empty())
      ChromatinBuilder(options).build();
    else
      build_from_deepsea(options);
  });
}

}  // namespace bigdna::dataset
