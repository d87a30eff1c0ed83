#include "dataset/table_dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/folder_manifest.h"
#include "dataset/labels_file.h"
#include "dataset/leakage.h"
#include "dataset/unique_names.h"
#include "dataset/unit_splits.h"
#include "genome/contigs.h"
#include "genome/fasta.h"

namespace bigdna::dataset {

namespace {
/// A row that is kept, with its index in the table.
struct Kept {
  TableDataset::Row row;
  std::string bases;
  int64_t index = 0;
  std::string canonical() const { return std::min(bases, genome::reverse_complement(bases)); }
};

class TableBuilder {
 public:
  explicit TableBuilder(const TableOptions& options) : options_(options) {
    if (!options.genome.empty()) genome_.emplace(options.genome, options.invalid_bases);
  }

  void build() {
    table_ = read_tables(options_.inputs);
    if (table_.rows.empty()) fail(where(), ": has a header but no rows");
    labels_ = read_labels(table_.labels, options_.label_type, where());
    dropped_file_ << "#chrom\tstart\tend\tname\tscore\tstrand\treason\n";
    keep_rows();
    choose_splits();
    find_leaks();
    check();
    write();
  }

 private:
  std::string where() const {
    return table_.files.size() == 1 ? (table_.files[0] == "-" ? "stdin" : table_.files[0])
                                    : table_.files[0] + " and others";
  }
  const TableRow& source(const Kept& kept) const { return table_.rows[static_cast<size_t>(kept.index)]; }

  void drop(const TableDataset::Row& row, const std::string& reason) {
    ++dropped_[reason];
    dropped_file_ << concat(row.region.contig, '\t', row.region.start, '\t', row.region.end, '\t', row.name, "\t.\t",
                            row.region.strand, '\t', reason, '\n');
  }

  /// The spelling of a contig that came first, of those with and without "chr": no genome tells which one is meant.
  std::string spelling_of(const std::string& contig) {
    const auto& first = spellings_.emplace(std::min(contig, genome::other_spelling(contig)), contig).first->second;
    if (first != contig && !spelling_said_) {
      spelling_said_ = true;
      log::info("contig ", contig, " is called ", first, " in earlier rows; other contigs are matched in the same way");
    }
    return first;
  }

  /// The normalised bases of every row, or the reason why it is left out.
  void keep_rows() {
    for (const auto& row : table_.rows) names_.reserve(row.name);
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      auto& row = table_.rows[i];
      const auto& place = table_.labels.places[i];
      const auto index = static_cast<int64_t>(i);
      Kept kept;
      kept.index = index;
      kept.row.name = names_.take(row.name.empty() ? concat("row", index + 1) : row.name);
      kept.row.group = row.group;
      kept.row.region = row.place.value_or(genome::Region{kNowhere, 0, static_cast<int64_t>(row.sequence.size()), '.'});
      auto& region = kept.row.region;
      if (row.place && genome_) {
        const auto contig = genome_->resolve(region.contig);
        if (!contig) {
          drop(kept.row, "contig_not_in_genome");
          continue;
        }
        region.contig = *contig;
        if (region.end > genome_->length(*contig)) {
          drop(kept.row, "contig_end");
          continue;
        }
      } else if (row.place) {
        region.contig = spelling_of(region.contig);
      }
      if (!labels_.any(index)) {
        drop(kept.row, "no_label");
        continue;
      }
      if (row.sequence.empty()) {
        if (!genome_) throw UsageError(concat(place, ": is an interval, so -g must name the genome to cut it from"));
        kept.bases = genome_->fetch(region);
      } else {
        kept.bases = std::move(row.sequence);
        genome::normalise(kept.bases, options_.invalid_bases, place, kept.row.name);
      }
      if (2 * std::ranges::count(kept.bases, 'N') > std::ssize(kept.bases)) {
        drop(kept.row, "too_many_n");
        continue;
      }
      kept_.push_back(std::move(kept));
    }
    if (kept_.empty())
      fail(where(), ": no row is left", genome_ ? concat(" on ", genome_->path()) : "", " (", counts_in_words(), ")");
  }

  std::string counts_in_words() const {
    std::string text;
    for (const auto& [reason, count] : dropped_) text += concat(text.empty() ? "" : ", ", reason, " ", count);
    return text;
  }

  void choose_splits() {
    std::vector<std::optional<Split>> splits;
    bool placed = true, given = false, missing = false;
    for (const auto& kept : kept_) {
      const auto& row = source(kept);
      splits.push_back(row.split);
      placed = placed && row.place.has_value();
      (row.split ? given : missing) = true;
    }
    if (given && missing) fail(where(), ": some rows have a split and others have none");
    const bool grouped = !options_.inputs.columns.group.empty();
    if (options_.held_out && (given || grouped || !placed))
      throw UsageError("--split-like needs intervals without splits or groups");
    const char* const unit = grouped ? "group" : placed && given ? "megabase" : "sequence";
    std::vector<std::string> units;
    for (const auto& kept : kept_) {
      const auto& region = kept.row.region;
      units.push_back(grouped           ? kept.row.group
                      : placed && given ? concat(region.contig, ':', region.start / 1'000'000)
                                        : kept.canonical());
    }
    const bool has_validation = std::find(splits.begin(), splits.end(), Split::validation) != splits.end();
    const bool all_test = !options_.held_out && all_for_test(options_.split);
    if (all_test) {
      split_by_ = "all";
      std::ranges::fill(splits, Split::test);
    } else if (given) {
      split_by_ = "given";
      if (!has_validation) {
        draw_validation(options_.split, units, splits, unit);
        if (placed && !grouped) leave_out_crossing(splits);
      }
      if (grouped) warn_of_shared_units(units, splits);
    } else if (grouped || !placed) {
      split_by_ = grouped ? "group" : "sequence";
      draw_units(options_.split, units, splits, unit);
    } else {
      split_by_ = "genome";
      split_by_territory(splits);
    }
    const SplitOptions defaults;
    if (given && !all_test && options_.split.test != defaults.test)
      log::warn("--test has no effect: ", where(), " gives the splits");
    if (given && has_validation && options_.split.validation != defaults.validation)
      log::warn("--validation has no effect: ", where(), " has validation examples");
    if (split_by_ != "genome" && (options_.split.block != defaults.block || options_.split.gap != defaults.gap))
      log::warn("--split-block and --split-gap have no effect: the rows are not split by territories of a genome");
    std::vector<Kept> kept;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (splits[i]) {
        kept_[i].row.split = *splits[i];
        kept.push_back(std::move(kept_[i]));
      } else {
        drop(kept_[i].row, "between_splits");
      }
    }
    kept_ = std::move(kept);
  }

  /// Validation rows that share bases with training rows get no split: they were drawn by the block that they start in,
  /// and may end in the next one, or training rows in theirs.
  void leave_out_crossing(std::vector<std::optional<Split>>& splits) const {
    genome::IntervalSet training;
    for (size_t i = 0; i < kept_.size(); ++i)
      if (splits[i] == Split::train) training.add(kept_[i].row.region);
    for (size_t i = 0; i < kept_.size(); ++i)
      if (splits[i] == Split::validation && training.overlaps(kept_[i].row.region)) splits[i].reset();
  }

  void split_by_territory(std::vector<std::optional<Split>>& splits) const {
    Positions positions;
    std::map<std::string, int64_t> ends;
    for (const auto& kept : kept_) {
      const auto& region = kept.row.region;
      positions[region.contig].push_back(region.start);
      ends[region.contig] = std::max(ends[region.contig], region.end);
    }
    for (auto& [contig, list] : positions) std::sort(list.begin(), list.end());
    auto contigs = genome_ ? genome_->contigs() : std::vector<genome::Contig>();
    if (!genome_)
      for (const auto& [name, end] : ends) contigs.push_back({name, end});
    const auto map = make_splits(options_.split, contigs, positions, options_.held_out ? &*options_.held_out : nullptr);
    for (size_t i = 0; i < kept_.size(); ++i) splits[i] = map.of(kept_[i].row.region);
  }

  /// Finds the row of an earlier split that has a row's sequence, on either strand; and rows with the same sequence but
  /// different labels.
  void find_leaks() {
    const auto same_labels = [&](size_t a, size_t b) { return labels_.same(kept_[a].index, kept_[b].index); };
    // canonical sequence -> the first row that has it, and the first that has it with another label
    std::array<std::unordered_map<std::string, std::vector<size_t>>, kSplits.size()> first;
    std::vector<std::string> canonical;
    for (size_t i = 0; i < kept_.size(); ++i) {
      canonical.push_back(kept_[i].canonical());
      auto& rows = first[static_cast<size_t>(kept_[i].row.split)][canonical.back()];
      if (rows.empty() || (rows.size() == 1 && !same_labels(i, rows.front()))) rows.push_back(i);
    }
    std::vector<Kept> kept;
    for (size_t i = 0; i < kept_.size(); ++i) {
      const auto split = static_cast<size_t>(kept_[i].row.split);
      std::string twin;
      bool other_label = false;
      for (size_t earlier = 0; earlier < split; ++earlier) {
        const auto found = first[earlier].find(canonical[i]);
        if (found == first[earlier].end()) continue;
        if (twin.empty()) twin = kept_[found->second.front()].row.name;
        other_label |= std::ranges::any_of(found->second, [&](size_t row) { return !same_labels(i, row); });
      }
      leaks_[split] += !twin.empty();
      leaks_with_other_label_[split] += other_label;
      if (!twin.empty() && options_.drop_leaks) {
        drop(kept_[i].row, "in_another_split");
        continue;
      }
      if (const auto& own = first[split].at(canonical[i]); own.front() != i) {
        ++repeated_;
        contradictory_ += own.size() > 1;
      }
      twins_.push_back(std::move(twin));
      kept.push_back({kept_[i].row, kept_[i].bases, kept_[i].index});
    }
    kept_ = std::move(kept);
  }

  std::array<int64_t, kSplits.size()> rows_of_splits() const {
    std::array<int64_t, kSplits.size()> rows{};
    for (const auto& kept : kept_) ++rows[static_cast<size_t>(kept.row.split)];
    return rows;
  }

  void check() const {
    const auto rows = rows_of_splits();
    if (rows[0] == 0 && split_by_ != "all") fail(where(), ": the train split has no rows");
    if (split_by_ == "given") return;
    for (const Split split : kSplits)
      if (rows[static_cast<size_t>(split)] == 0 && has_rows(split, options_.split, options_.held_out.has_value()))
        fail(where(), ": the ", split_name(split),
             " split has no rows: choose another --test, --validation or --seed (0: none)");
  }

  void write() {
    io::Output regions(options_.output + "/regions.bed.gz", options_.threads),
        sequences(options_.output + "/sequences.fa.gz", options_.threads);
    const bool grouped = !options_.inputs.columns.group.empty();
    regions << "#chrom\tstart\tend\tname\tlabel\tstrand\tsplit" << (grouped ? "\tgroup\n" : "\n");
    Leakage leakage;
    Labels chosen = labels_;
    chosen.values.clear();
    std::vector<Split> splits;
    int64_t longest = 0;
    for (const auto& kept : kept_) {
      const auto& row = kept.row;
      const auto labels = labels_.of(kept.index);
      chosen.values.insert(chosen.values.end(), labels.begin(), labels.end());
      splits.push_back(row.split);
      regions << concat(row.region.contig, '\t', row.region.start, '\t', row.region.end, '\t', row.name, '\t',
                        label_text(labels_, kept.index), '\t', row.region.strand, '\t', split_name(row.split));
      if (grouped) regions << concat('\t', row.group);
      regions << "\n";
      sequences << ">" << row.name << "\n" << kept.bases << "\n";
      leakage.add(row.name, row.region, row.split, kept.bases);
      longest = std::max(longest, static_cast<int64_t>(kept.bases.size()));
    }
    regions.commit();
    sequences.commit();
    genome::Genome(options_.output + "/sequences.fa.gz");  // builds the index beside it
    warn_of_unlearnt(chosen, splits);
    write_labels(options_.output + "/labels.safetensors", chosen);
    std::vector<Feature> features;
    const auto kind = labels_.type == LabelType::counts ? FeatureKind::counts : FeatureKind::binary;
    for (const auto& name : labels_.outputs)
      features.push_back({name, "-", "-", std::string(label_type_name(labels_.type)), '.', kind});
    write_features(options_.output + "/features.tsv", features);
    dropped_file_.commit();
    leakage.write(options_.output + "/leakage.tsv", twins_);
    save_manifest(chosen, longest);
  }

  void save_manifest(const Labels& labels, int64_t longest) {
    io::Manifest manifest;
    manifest.kind = "dataset";
    manifest.seed = options_.split.seed;
    for (const auto& file : table_.files) manifest.add_input(file);
    if (genome_) manifest.add_input(options_.genome);
    for (const auto& file : files_of(options_.split)) manifest.add_input(file);
    auto& details = manifest.details;
    details["task"] = "table";
    details["label_type"] = label_type_name(labels.type);
    details["label_columns"] = table_.labels.columns;
    details["outputs"] = labels.outputs.size();
    if (labels.type == LabelType::binary)
      details.update({{"negative", labels.negative}, {"positive", labels.positive}});
    details["split_by"] = split_by_;
    details["groups"] = !options_.inputs.columns.group.empty();
    details["longest"] = longest;
    details["rows_read"] = table_.rows.size();
    if (genome_) {
      std::set<std::string> used;
      for (const auto& kept : kept_) used.insert(kept.row.region.contig);
      details["contigs"] = genome::to_json(genome::contigs_named(genome_->contigs(), used));
    }
    details["dropped"] = dropped_;
    log::info("labels: ", label_type_name(labels.type), ", ", labels.outputs.size(), " output",
              labels.outputs.size() == 1 ? "" : "s",
              options_.label_type ? "" : " (determined from the labels; --label-type overrides it)");
    if (labels.type == LabelType::binary && labels.positive != "1")
      log::info(table_.labels.columns[0], ": 1 is '", labels.positive, "', 0 is '", labels.negative,
                "'; models predict the probability of '", labels.positive, "'");
    for (const Split split : kSplits) {
      const std::string name(split_name(split));
      std::vector<int64_t> rows;
      for (size_t i = 0; i < kept_.size(); ++i)
        if (kept_[i].row.split == split) rows.push_back(static_cast<int64_t>(i));
      const auto of_split = summary(labels, rows);
      details["splits"][name] = of_split;
      std::string words;
      for (const char* kind : {"classes", "labels"})
        if (of_split.contains(kind) && of_split[kind].size() <= 10)
          for (const auto& [key, value] : of_split[kind].items())
            words += concat(words.empty() ? "; " : ", ", key, " ",
                            value.is_object() ? concat(counted(value["numbers"].get<int64_t>(), "number"), ", mean ",
                                                       value["mean"].get<double>(), ", sd ", value["sd"].get<double>())
                                              : value.dump());
      log::info(name, ": ", counted(of_split["rows"].get<int64_t>(), "row"), of_split["rows"] == 0 ? "" : words);
      if (split == Split::train) continue;
      details["leaks"][name] = leaks_[static_cast<size_t>(split)];
      details["leaks_with_another_label"][name] = leaks_with_other_label_[static_cast<size_t>(split)];
    }
    details["leaks_dropped"] = options_.drop_leaks;
    details["repeated"] = repeated_;
    details["repeated_with_another_label"] = contradictory_;
    for (const char* name :
         {"regions.bed.gz", "sequences.fa.gz", "labels.safetensors", "features.tsv", "dropped.tsv", "leakage.tsv"})
      manifest.add_file(options_.output, name);
    manifest.save(manifest_path(options_.output));
    report();
  }

  void report() const {
    names_.warn("row");
    if (!dropped_.empty()) log::info("dropped: ", counts_in_words(), " (dropped.tsv)");
    if (repeated_)
      log::info(counted(repeated_, "row repeats", "rows repeat"), " a sequence of their own split, ", contradictory_,
                " of them with another label");
    const auto rows = rows_of_splits();
    for (const Split split : {Split::validation, Split::test}) {
      const auto s = static_cast<size_t>(split);
      if (rows[s] > 0 && rows[0] + (split == Split::test ? rows[1] : 0) > 0)
        log_leaks(split, leaks_[s], leaks_with_other_label_[s], options_.drop_leaks);
    }
  }

  const TableOptions& options_;
  std::optional<genome::Genome> genome_;
  LabelledTable table_;
  Labels labels_;
  std::vector<Kept> kept_;
  std::vector<std::string> twins_;
  UniqueNames names_;
  std::map<std::string, std::string> spellings_;  // the first of a contig's two spellings, by the lesser
  bool spelling_said_ = false;
  std::map<std::string, int64_t> dropped_;
  io::Output dropped_file_{options_.output + "/dropped.tsv"};
  std::string split_by_;
  std::array<int64_t, kSplits.size()> leaks_{}, leaks_with_other_label_{};
  int64_t repeated_ = 0, contradictory_ = 0;
};
}  // namespace

void build_table_dataset(const TableOptions& options) {
  io::build_output_folder({options.output, "dataset", options.existing, options.inputs.paths},
                          [&] { TableBuilder(options).build(); });
}

}  // namespace bigdna::dataset
