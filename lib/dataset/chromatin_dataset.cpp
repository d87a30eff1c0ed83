#include "dataset/chromatin_dataset.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/threads.h"
#include "dataset/folder.h"
#include "dataset/negatives.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "genome/fasta.h"

namespace bigdna::dataset {

namespace {
using Interval = genome::IntervalSet::Interval;

/// A feature's peaks by contig number of the genome.
struct Peaks {
  std::map<size_t, std::vector<Interval>> contigs;
  int64_t elsewhere = 0;  // peaks on contigs that the genome lacks or --contigs leaves out
};

class Builder {
 public:
  explicit Builder(const ChromatinOptions& options)
      : options_(options),
        files_(read_peak_table(options.peaks)),
        genome_(options.genome, options.invalid_bases),
        regions_(options.output + "/regions.bed.gz") {
    const genome::ContigFilter filter(options.contigs);
    for (const auto& contig : genome_.contigs())
      if (filter(contig.name)) contigs_.push_back(contig);
    if (contigs_.empty()) fail(options.genome, ": --contigs ", options.contigs, " leaves no contig");
    const bool has_tf = std::any_of(files_.begin(), files_.end(),
                                    [](const PeakFile& file) { return file.feature.group == "TF"; });
    keep_ = options.keep == "auto" ? has_tf ? "tf" : "any" : options.keep;
    if (keep_ == "tf" && !has_tf)
      throw UsageError(concat("--keep tf: ", options.peaks, " has no feature of group TF"));
    if (!options.exclude.empty()) exclude_ = read_exclusions();
  }

  void build() {
    read_peaks();
    const SplitMap splits =
        make_splits(options_.split, contigs_, positions(), options_.held_out ? &*options_.held_out : nullptr);
    log::Progress progress("contigs", contigs_.size(), "contigs");
    for (size_t i = 0; i < contigs_.size(); ++i) {
      add_contig(i, splits);
      progress.update(i + 1);
    }
    if (rows_.empty())
      fail(options_.peaks, ": no bin of ", options_.genome, " has a label and lies in a split");
    thin_out();
    write();
  }

 private:
  struct Row {
    size_t contig;
    int64_t start;
    Split split;
    std::vector<uint8_t> labels;
  };

  genome::IntervalSet read_exclusions() const {
    genome::IntervalSet set;
    for (const auto& record : genome::read_bed(options_.exclude)) set.add(record.region);
    return as_spelled(set, genome_);
  }

  void read_peaks() {
    peaks_.resize(files_.size());
    std::map<std::string, size_t> numbers;
    for (size_t i = 0; i < contigs_.size(); ++i) numbers[contigs_[i].name] = i;
    // names are resolved before the threads start, so that nothing is said twice
    parallel_for(static_cast<int64_t>(files_.size()), options_.threads, [&](int64_t i) {
      auto& peaks = peaks_[static_cast<size_t>(i)];
      std::map<std::string, std::optional<size_t>> known;
      genome::BedReader bed(files_[static_cast<size_t>(i)].path);
      while (auto record = bed.next()) {
        auto found = known.find(record->region.contig);
        if (found == known.end()) {
          std::optional<size_t> number;
          std::optional<std::string> name;
          {
            std::lock_guard lock(resolve_mutex_);
            name = genome_.resolve(record->region.contig);
          }
          if (const auto at = name ? numbers.find(*name) : numbers.end(); at != numbers.end())
            number = at->second;
          found = known.emplace(record->region.contig, number).first;
        }
        if (!found->second) {
          ++peaks.elsewhere;
          continue;
        }
        if (record->region.end > contigs_[*found->second].length)
          fail(bed.path(), ":", record->line, ": end ", record->region.end, " is past the end of ",
               contigs_[*found->second].name, " (", contigs_[*found->second].length, " bp)");
        peaks.contigs[*found->second].emplace_back(record->region.start, record->region.end);
      }
    });
    int64_t elsewhere = 0;
    for (size_t i = 0; i < peaks_.size(); ++i) {
      elsewhere += peaks_[i].elsewhere;
      if (peaks_[i].contigs.empty()) log::warn(files_[i].path, ": no peak on the contigs used");
    }
    if (elsewhere) log::info(elsewhere, " peaks lie on contigs that are not used");
    peaks_elsewhere_ = elsewhere;
  }

  /// Starts of up to about a million peaks, for the splits: of the TF features where only bins with their
  /// labels are kept.
  Positions positions() const {
    size_t total = 0;
    for (const auto& peaks : peaks_)
      for (const auto& [contig, list] : peaks.contigs) total += list.size();
    const size_t every = 1 + total / 1'000'000;
    Positions result;
    for (size_t f = 0; f < peaks_.size(); ++f) {
      if (keep_ == "tf" && files_[f].feature.group != "TF") continue;
      for (const auto& [contig, list] : peaks_[f].contigs)
        for (size_t i = 0; i < list.size(); i += every)
          result[contigs_[contig].name].push_back(list[i].first);
    }
    for (auto& [contig, list] : result) std::sort(list.begin(), list.end());
    return result;
  }

  bool has_tf_label(std::span<const uint8_t> labels) const {
    for (size_t f = 0; f < files_.size(); ++f)
      if (files_[f].feature.group == "TF" && label_at(labels, static_cast<int64_t>(f))) return true;
    return false;
  }

  void add_contig(size_t number, const SplitMap& splits) {
    const auto& contig = contigs_[number];
    const int64_t bins = contig.length / kBin;
    const bool any_peaks = std::any_of(peaks_.begin(), peaks_.end(),
                                       [&](const Peaks& peaks) { return peaks.contigs.count(number) > 0; });
    if (bins == 0 || (!any_peaks && keep_ != "all")) return;
    LabelBits labels(bins, static_cast<int64_t>(files_.size()));
    for (size_t f = 0; f < files_.size(); ++f)
      if (const auto found = peaks_[f].contigs.find(number); found != peaks_[f].contigs.end()) {
        label_bins(std::move(found->second), bins, static_cast<int64_t>(f), labels);
        peaks_[f].contigs.erase(found);
      }
    const std::string bases = genome_.fetch({contig.name, 0, contig.length, '+'});
    const Composition composition(bases);
    std::vector<Row> unlabelled;
    int64_t kept = 0;
    for (int64_t bin = 0; bin < bins; ++bin) {
      const auto row = labels.row(bin);
      const bool labelled = std::any_of(row.begin(), row.end(), [](uint8_t byte) { return byte != 0; });
      const bool keep = keep_ == "all" || (labelled && (keep_ == "any" || has_tf_label(row)));
      if (!keep && (labelled || options_.negatives == 0)) continue;
      const genome::Region region{contig.name, bin * kBin, (bin + 1) * kBin, '.'};
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
      kept += keep;
      (keep ? rows_ : unlabelled).push_back({number, region.start, *split, {row.begin(), row.end()}});
    }
    Rng rng(mix({options_.split.seed, 0xb1, number}));
    rng.shuffle(unlabelled);
    const auto wanted = static_cast<size_t>(options_.negatives * static_cast<double>(kept));
    unlabelled.resize(std::min(unlabelled.size(), wanted));
    for (auto& row : unlabelled) rows_.push_back(std::move(row));
    std::sort(rows_.end() - (kept + static_cast<int64_t>(unlabelled.size())), rows_.end(),
              [](const Row& a, const Row& b) { return a.start < b.start; });
  }

  void thin_out() {
    if (options_.max_bins == 0 || static_cast<int64_t>(rows_.size()) <= options_.max_bins) return;
    const Permutation permutation(rows_.size(), mix({options_.split.seed, 0x741}));
    std::vector<Row> drawn;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (static_cast<int64_t>(permutation(i)) < options_.max_bins) drawn.push_back(std::move(rows_[i]));
    log::info(drawn.size(), " of ", rows_.size(), " bins drawn (--max-bins)");
    rows_ = std::move(drawn);
  }

  void write() {
    const auto features = static_cast<int64_t>(files_.size());
    const int64_t bytes = (features + 7) / 8;
    std::vector<uint8_t> labels;
    labels.reserve(rows_.size() * static_cast<size_t>(bytes));
    std::map<Split, std::vector<int64_t>> positives;
    std::map<Split, int64_t> counts;
    for (const Split split : kSplits) positives[split].assign(files_.size(), 0);
    regions_ << "#chrom\tstart\tend\tname\tscore\tstrand\tsplit\n";
    int64_t number = 0;
    for (const auto& row : rows_) {
      int64_t score = 0;
      for (int64_t f = 0; f < features; ++f)
        if (label_at(row.labels, f)) {
          ++score;
          ++positives[row.split][static_cast<size_t>(f)];
        }
      ++counts[row.split];
      regions_ << concat(contigs_[row.contig].name, '\t', row.start, '\t', row.start + kBin, "\tbin",
                         ++number, '\t', score, "\t.\t", split_name(row.split), '\n');
      labels.insert(labels.end(), row.labels.begin(), row.labels.end());
    }
    regions_.commit();
    io::write_safetensors(
        options_.output + "/labels.safetensors",
        {io::array<uint8_t>("labels", labels, {static_cast<int64_t>(rows_.size()), bytes})});
    std::vector<Feature> table;
    for (const auto& file : files_) table.push_back(file.feature);
    write_features(options_.output + "/features.tsv", table);

    for (const Split split : kSplits) {
      const bool wanted =
          split == Split::train || (split == Split::test ? options_.held_out || options_.split.test != "0"
                                                         : options_.split.validation != "0");
      if (wanted && counts[split] == 0)
        fail(options_.output, ": the ", split_name(split),
             " split has no bin: choose another --test, --validation, --split-block or --seed");
      const auto& ones = positives[split];
      const auto empty = std::count_if(ones.begin(), ones.end(),
                                       [&](int64_t count) { return count == 0 || count == counts[split]; });
      log::info(split_name(split), ": ", counts[split], " bins",
                empty ? concat("; ", empty, " of ", features, " features have one class there") : "");
    }
    if (between_ + excluded_ + too_many_n_)
      log::info("bins left out: ", between_, " between splits, ", excluded_, " excluded, ", too_many_n_,
                " with too many N");

    io::Manifest manifest;
    manifest.kind = "dataset";
    manifest.seed = options_.split.seed;
    manifest.add_input(options_.peaks);
    for (const auto& file : files_) manifest.add_input(file.path);
    manifest.add_input(options_.genome);
    auto& details = manifest.details;
    details["task"] = "chromatin";
    details["genome"] = std::filesystem::absolute(options_.genome).lexically_normal().string();
    details["bin"] = kBin;
    details["upstream"] = options_.upstream;
    details["downstream"] = options_.downstream;
    details["features"] = features;
    details["keep"] = keep_;
    for (const Split split : kSplits) details["rows"][std::string(split_name(split))] = counts[split];
    details["left_out"] = {{"between_splits", between_},
                           {"excluded", excluded_},
                           {"too_many_n", too_many_n_},
                           {"peaks_on_other_contigs", peaks_elsewhere_}};
    for (const char* name : {"regions.bed.gz", "labels.safetensors", "features.tsv"})
      manifest.add_file(options_.output, name);
    manifest.save(options_.output + "/" + io::manifest_name("dataset"));
  }

  const ChromatinOptions& options_;
  std::vector<PeakFile> files_;
  genome::Genome genome_;
  io::Output regions_;
  std::mutex resolve_mutex_;
  std::vector<genome::Contig> contigs_;
  std::string keep_;
  genome::IntervalSet exclude_;
  std::vector<Peaks> peaks_;
  std::vector<Row> rows_;
  int64_t between_ = 0, excluded_ = 0, too_many_n_ = 0, peaks_elsewhere_ = 0;
};
}  // namespace

void label_bins(std::vector<Interval> peaks, int64_t bins, int64_t feature, LabelBits& labels) {
  std::sort(peaks.begin(), peaks.end());
  int64_t bin = -1, covered = 0,
          reach = 0;  // `reach`: all before it is counted already, so overlaps count once
  auto finish = [&] {
    if (bin >= 0 && bin < bins && 2 * covered > kBin) labels.set(bin, feature);
  };
  for (const auto& [peak_start, end] : peaks) {
    for (int64_t start = std::max(peak_start, reach); start < end;) {
      const int64_t at = start / kBin, stop = std::min(end, (at + 1) * kBin);
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
    throw UsageError("--upstream and --downstream cannot be negative");
  if (options.negatives < 0) throw UsageError("--negatives cannot be negative");
  build_folder(options.output, options.existing, [&] { Builder(options).build(); });
}

ChromatinDataset ChromatinDataset::open(const std::string& folder) {
  ChromatinDataset dataset;
  dataset.folder = folder;
  dataset.manifest = io::Manifest::load(folder + "/" + io::manifest_name("dataset"), "dataset");
  const auto& details = dataset.manifest.details;
  if (details.value("task", "") != "chromatin")
    fail(folder, ": is a ", details.value("task", "?"), " dataset, not a chromatin dataset");
  dataset.upstream = details.at("upstream");
  dataset.downstream = details.at("downstream");
  dataset.genome = details.at("genome");
  dataset.features = read_features(folder + "/features.tsv");
  const std::string path = folder + "/regions.bed.gz";
  genome::BedReader bed(path);
  while (auto record = bed.next()) {
    const auto split = record->extra.empty() ? std::nullopt : split_of_name(record->extra[0]);
    if (!split) fail(path, ":", record->line, ": column 7 names no split");
    dataset.rows.push_back({record->region, *split});
  }
  dataset.file_ = std::make_shared<io::SafetensorsFile>(folder + "/labels.safetensors");
  const auto& labels = dataset.file_->at("labels");
  dataset.bytes_ = (static_cast<int64_t>(dataset.features.size()) + 7) / 8;
  dataset.labels_ = labels.as<uint8_t>(folder + "/labels.safetensors: labels");
  if (labels.shape != std::vector<int64_t>{static_cast<int64_t>(dataset.rows.size()), dataset.bytes_})
    fail(folder, "/labels.safetensors: labels are not of ", dataset.rows.size(), " rows and ",
         dataset.features.size(), " features");
  return dataset;
}

genome::Region with_context(const genome::Region& bin, int64_t upstream, int64_t downstream) {
  return {bin.contig, bin.start - upstream, bin.end + downstream, bin.strand};
}

}  // namespace bigdna::dataset
