#include "attribution/marginalize.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "motif/files.h"
#include "attribution/drawn_windows.h"
#include "attribution/explain_sites.h"
#include "attribution/insertion_model.h"
#include "model_folder/model_folder.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

/// A motif, or two, on their strands: a group of rows of the table, one for each feature.
struct Arrangement {
  size_t motif = 0;
  char strand = '+';
  std::optional<size_t> second = {};
  char second_strand = '.';
  int64_t distance = 0;                              // bp between the two
  size_t changes() const { return second ? 4 : 2; }  // as it is, of shuffled motifs, each of the two alone
};

std::vector<Arrangement> arrangements_of(size_t motifs, const std::vector<int64_t>& distances) {
  std::vector<Arrangement> all;
  for (size_t m = 0; m < motifs; ++m)
    for (const char strand : {'+', '-'}) all.push_back({m, strand});
  for (size_t m = 0; m < motifs; ++m)
    for (size_t second = m; second < motifs; ++second)
      for (const int64_t distance : distances)
        for (const char strand : {'+', '-'})
          for (const char other : {'+', '-'}) all.push_back({m, strand, second, other, distance});
  return all;
}

/// The bases of a motif in one sequence.
std::string instance(const motif::Motif& motif, bool draw, Rng& rng) {
  return draw ? motif::draw(motif, rng) : motif::consensus(motif);
}

std::string on_strand(const std::string& bases, char strand) {
  return strand == '-' ? genome::reverse_complement(bases) : bases;
}

/// The edits of one sequence: for each arrangement its changes(), in their order, around the sequence's middle.
class Edits {
 public:
  Edits(const MarginalizeOptions& options, const std::vector<motif::Motif>& motifs,
        const std::vector<Arrangement>& arrangements)
      : options_(options), motifs_(motifs), arrangements_(arrangements) {}

  std::vector<std::string> of(const std::string& background, Rng& rng) const {
    std::vector<std::string> own, shuffled, edits;
    for (const auto& motif : motifs_) {
      own.push_back(instance(motif, options_.draw, rng));
      shuffled.push_back(instance(motif::shuffled_columns(motif, rng), options_.draw, rng));
    }
    for (const auto& arrangement : arrangements_) {
      const std::string first = on_strand(own[arrangement.motif], arrangement.strand),
                        null = on_strand(shuffled[arrangement.motif], arrangement.strand);
      const size_t gap = static_cast<size_t>(arrangement.distance);
      const std::string second =
                            arrangement.second ? on_strand(own[*arrangement.second], arrangement.second_strand) : "",
                        second_null = arrangement.second
                                          ? on_strand(shuffled[*arrangement.second], arrangement.second_strand)
                                          : "";
      const size_t start = (background.size() - first.size() - gap - second.size()) / 2;
      const auto with = [&](const std::string& one, const std::string& other) {
        std::string bases = background;
        bases.replace(start, one.size(), one);
        bases.replace(start + first.size() + gap, other.size(), other);
        return bases;
      };
      edits.push_back(with(first, second));
      edits.push_back(with(null, second_null));
      if (!arrangement.second) continue;
      edits.push_back(with(first, ""));
      edits.push_back(with("", second));
    }
    return edits;
  }

 private:
  const MarginalizeOptions& options_;
  const std::vector<motif::Motif>& motifs_;
  const std::vector<Arrangement>& arrangements_;
};

/// A mean over sequences, and its interval.
class Mean {
 public:
  void add(double value) { ++count_, sum_ += value, squares_ += value * value; }
  /// The mean and the ends of its 95 % interval: 1.96 standard errors away; NaN for fewer than two values.
  std::array<float, 3> interval() const {
    constexpr auto kMissing = std::numeric_limits<float>::quiet_NaN();
    if (count_ == 0) return {kMissing, kMissing, kMissing};
    const double n = static_cast<double>(count_), mean = sum_ / n;
    if (count_ == 1) return {static_cast<float>(mean), kMissing, kMissing};
    const double half = 1.96 * std::sqrt(std::max(0., squares_ / n - mean * mean) / (n - 1));
    return {static_cast<float>(mean), static_cast<float>(mean - half), static_cast<float>(mean + half)};
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0, squares_ = 0;
};

/// Of one arrangement and feature.
struct Means {
  Mean change, null, interaction;
};

/// The sequences that motifs are put into: one after another, each a pure function of the seed and its number.
class Backgrounds {
 public:
  /// `tiling`: of the model, which reads all of a sequence for what it predicts in its middle.
  Backgrounds(const MarginalizeOptions& options, const SiteTiling& tiling) : options_(options) {
    Sites sites(options.input, 0, tiling);
    DrawnWindows drawn(options.shuffle ? options.sequences : INT64_MAX, options.seed);
    while (const auto site = sites.next()) drawn.add(site->window);
    if (options.shuffle && drawn.seen() > options.sequences)
      log::info(options.sequences, " of ", drawn.seen(), options.sequences == 1 ? " regions is" : " regions are",
                " drawn by --seed");
    windows_ = std::move(drawn).windows();
    if (windows_.empty()) fail("there is no sequence to insert motifs into");
  }
  int64_t size() const { return options_.shuffle ? options_.sequences : std::ssize(windows_); }
  std::string at(int64_t i, Rng& rng) const {
    const auto& window = windows_[static_cast<size_t>(i) % windows_.size()];
    return options_.shuffle ? motif::dinucleotide_shuffle(window, rng) : window;
  }

 private:
  const MarginalizeOptions& options_;
  std::vector<std::string> windows_;
};

void write(const MarginalizeOptions& options, const InsertionModel& model, const std::vector<motif::Motif>& motifs,
           const std::vector<Arrangement>& arrangements, const std::vector<Means>& means, int64_t sequences) {
  io::OutputTable table;
  table.name = "marginalize";
  table.provenance = io::Provenance().add("model", model_folder::name_and_md5(model.path()));
  for (const char* name : {"motif", "strand", "second", "second_strand", "distance", "feature", "sequences"})
    table.columns.push_back({name});
  for (const char* name : {"change", "change_low", "change_high", "null", "null_low", "null_high", "interaction",
                           "interaction_low", "interaction_high"})
    table.columns.push_back({name, {}, io::Digits::six});
  const auto writer = io::make_row_writer(options.output, io::Format::tsv, std::move(table));
  const auto& names = model.outputs().names;
  for (size_t a = 0; a < arrangements.size(); ++a)
    for (size_t f = 0; f < names.size(); ++f) {
      const auto& arrangement = arrangements[a];
      const auto& of = means[a * names.size() + f];
      std::vector<float> numbers;
      for (const Mean* mean : {&of.change, &of.null, &of.interaction})
        for (const float number : mean->interval()) numbers.push_back(number);
      const std::string distance = arrangement.second ? concat(arrangement.distance) : ".";
      std::vector<io::Cell> cells{std::string_view(motifs[arrangement.motif].name),
                                  std::string_view(&arrangement.strand, 1),
                                  arrangement.second ? std::string_view(motifs[*arrangement.second].name) : ".",
                                  std::string_view(&arrangement.second_strand, 1),
                                  std::string_view(distance),
                                  std::string_view(names[f]),
                                  sequences};
      for (const float& number : numbers) cells.push_back(std::span<const float>(&number, 1));
      writer->row(cells);
    }
  writer->commit();
}

}  // namespace

void marginalize(const MarginalizeOptions& options) {
  const auto model = open_insertion_model(options.model, options.features, options.part, options.run);
  const auto motifs = motif::read_motifs(options.motifs);
  io::refuse_shared_files({options.output},
                          {options.input.fasta, options.input.regions, options.input.genome, options.motifs});
  io::refuse_outputs_in({options.output}, {model->path()});
  const auto arrangements = arrangements_of(motifs.size(), options.distances);
  const int64_t longest = model->tiling().length();
  for (const auto& of : arrangements)
    if (std::ssize(motifs[of.motif].columns) + of.distance + (of.second ? std::ssize(motifs[*of.second].columns) : 0) >
        longest)
      fail(options.motifs, ": ", motifs[of.motif].name, of.second ? concat(" and ", motifs[*of.second].name) : "",
           " take more than the ", longest, " bp that the model reads");
  const Backgrounds backgrounds(options, model->tiling());
  const session::Placement placement(options.run);
  model->load(placement);

  const Edits edits(options, motifs, arrangements);
  const size_t features = model->outputs().labels.size();
  std::vector<Means> means(arrangements.size() * features);
  log::Progress progress("marginalize", static_cast<uint64_t>(backgrounds.size()), "sequences");
  int64_t next = 0, done = 0;
  session::stream(
      placement.streams(),
      [&]() -> std::optional<int64_t> { return next < backgrounds.size() ? std::optional(next++) : std::nullopt; },
      [&](int64_t&& i) {
        Rng rng(options.seed, static_cast<uint64_t>(i));
        const std::string background = backgrounds.at(i, rng);
        return model->changes(background, edits.of(background, rng));
      },
      [&](std::vector<float>&& changes) {
        size_t edit = 0;
        for (size_t a = 0; a < arrangements.size(); edit += arrangements[a++].changes())
          for (size_t f = 0; f < features; ++f) {
            const auto change = [&](size_t which) -> double { return changes[(edit + which) * features + f]; };
            auto& of = means[a * features + f];
            of.change.add(change(0));
            of.null.add(change(1));
            if (arrangements[a].second) of.interaction.add(change(0) - change(2) - change(3));
          }
        progress.update(static_cast<uint64_t>(++done));
      });
  write(options, *model, motifs, arrangements, means, backgrounds.size());
  log::info(counted(std::ssize(motifs), "motif"), ", ", counted(std::ssize(arrangements), "arrangement"), ", ",
            counted(backgrounds.size(), "sequence"));
}

}  // namespace bigdna::attribution
