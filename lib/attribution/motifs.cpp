#include "attribution/motifs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/features.h"
#include "genome/alphabet.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "motif/files.h"
#include "attribution/drawn_windows.h"
#include "attribution/explain_sites.h"
#include "attribution/bin_model.h"
#include "attribution/de_novo.h"
#include "attribution/motif_tables.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

constexpr size_t kBinsTogether = 64;

/// Where bases lie: the number of the contig or record, and a position on it.
struct Place {
  int64_t sequence = 0, position = 0;
  bool operator==(const Place&) const = default;
};

/// A region or record in bins. They overlap where its length is not a multiple of a bin's: the last one ends where it
/// ends. What is shorter is one bin around its middle.
class BinTiling : public prediction::ChromatinTiling {
 public:
  BinTiling(int64_t context, int64_t bin) : prediction::ChromatinTiling(bin, context, context, bin), bin_(bin) {}
  genome::Region interval(const genome::Region& source, int64_t i) const override {
    auto piece = prediction::ChromatinTiling::interval(source, i);
    if (source.length() >= bin_) piece.start = piece.end - bin_;
    return piece;
  }

 private:
  int64_t bin_;
};

/// The highest outputs of one filter, one of each bin, and of overlapping bins one of each place.
class BestSites {
 public:
  explicit BestSites(int64_t most) : most_(static_cast<size_t>(most)) {}
  void add(float output, int64_t bin, const Place& place, std::string bases) {
    if (sites_.size() == most_ && output <= sites_.front().output) return;
    if (std::ranges::any_of(sites_, [&](const Site& site) { return site.place == place; })) return;
    sites_.push_back({output, bin, place, std::move(bases)});
    std::ranges::push_heap(sites_, std::greater(), key);
    if (sites_.size() <= most_) return;
    std::ranges::pop_heap(sites_, std::greater(), key);
    sites_.pop_back();
  }
  motif::Motif motif(std::string name, int64_t width) const {
    std::vector<motif::BaseProbabilities> counts(static_cast<size_t>(width), motif::BaseProbabilities{});
    for (const auto& site : sites_)
      for (size_t i = 0; i < counts.size(); ++i) ++counts[i][motif::kLetters.find(site.bases[i])];
    motif::Motif motif{.name = std::move(name)};
    for (const auto& column : counts) motif.columns.push_back(motif::column_of(column));
    motif.sites = static_cast<double>(sites_.size());
    return motif;
  }

 private:
  struct Site {
    float output;
    int64_t bin;
    Place place;
    std::string bases;
  };
  static std::tuple<float, int64_t> key(const Site& site) { return {site.output, -site.bin}; }
  size_t most_;
  std::vector<Site> sites_;  // a heap, the lowest first
};

/// What one pass over the input gives.
struct Scan {
  std::vector<BestSites> sites;      // of each filter
  std::vector<float> levels;         // of each filter: its mean output after pooling
  std::vector<std::string> bins;     // drawn ones, with all that the network reads around them
  motif::BaseProbabilities bases{};  // how many there are of each
  int64_t count = 0;                 // bins
};

Scan scan(const MotifOptions& options, const models::Network& model) {
  const int64_t bin = model.bin(), width = model.filter_width(), context = model.margin() * bin;
  const BinTiling tiling(context, bin);
  const prediction::IntervalInput input = interval_input(options.input);
  prediction::IntervalStream stream(input, tiling, {});
  struct Chunk {
    std::vector<std::string> windows, both;  // what is read around the bins; the bins with what filters read, twice
    std::vector<Place> places;               // where the latter begin
    models::Network::FilterMaxima maxima;
  };
  Scan result;
  result.sites.assign(static_cast<size_t>(model.filters()), BestSites(options.sites));
  DrawnWindows drawn(options.table.empty() ? 0 : options.bins, options.seed);
  std::vector<double> pooled(result.sites.size(), 0);
  int64_t terms = 0;
  log::Progress progress("motifs", prediction::expected_intervals(stream, input, tiling), "bins");
  std::map<std::string, int64_t> contigs;  // of a genome; records are told by their numbers
  session::stream(
      model.placement().streams(),
      [&]() -> std::optional<Chunk> {
        Chunk chunk;
        while (chunk.windows.size() < kBinsTogether) {
          auto interval = stream.next(/*with_bases=*/true);
          if (!interval) break;
          if (interval->bases.empty()) continue;
          chunk.windows.push_back(std::move(interval->bases));
          const auto sequence = input.fasta.empty()
                                    ? contigs.emplace(interval->contig, std::ssize(contigs)).first->second
                                    : interval->source;
          chunk.places.push_back({sequence, tiling.judged(interval->region()).start - width / 2});
        }
        return chunk.windows.empty() ? std::nullopt : std::optional(std::move(chunk));
      },
      [&](Chunk&& chunk) {
        for (const auto& window : chunk.windows)
          chunk.both.push_back(
              window.substr(static_cast<size_t>(context - width / 2), static_cast<size_t>(bin + width - 1)));
        for (size_t i = 0; i < chunk.windows.size(); ++i)
          chunk.both.push_back(genome::reverse_complement(chunk.both[i]));
        chunk.maxima = model.filter_maxima(chunk.both);
        return std::move(chunk);
      },
      [&](Chunk&& chunk) {
        const size_t filters = result.sites.size(), bins = chunk.windows.size();
        for (size_t i = 0; i < bins; ++i) {
          for (size_t f = 0; f < filters; ++f) {
            const size_t ahead = i * filters + f, back = (bins + i) * filters + f;
            const bool other = chunk.maxima.outputs[back] > chunk.maxima.outputs[ahead];
            const size_t at = other ? back : ahead;
            const int64_t position = chunk.maxima.positions[at];
            auto site =
                chunk.both[other ? bins + i : i].substr(static_cast<size_t>(position), static_cast<size_t>(width));
            if (site.find('N') != std::string::npos) continue;
            auto place = chunk.places[i];
            place.position += other ? bin - 1 - position : position;  // the sequences are bin + width - 1 long
            result.sites[f].add(chunk.maxima.outputs[at], result.count, place, std::move(site));
          }
          for (const char base : chunk.windows[i].substr(static_cast<size_t>(context), static_cast<size_t>(bin)))
            if (const auto code = motif::kLetters.find(base); code != std::string_view::npos) ++result.bases[code];
          drawn.add(chunk.windows[i]);
          ++result.count;
        }
        for (size_t f = 0; f < filters; ++f) pooled[f] += chunk.maxima.pooled[f];
        terms += chunk.maxima.count;
        progress.update(static_cast<uint64_t>(result.count));
      });
  if (result.count == 0) fail("there are no bases to read");
  for (const double sum : pooled) result.levels.push_back(static_cast<float>(sum / static_cast<double>(terms)));
  result.bins = std::move(drawn).windows();
  return result;
}

/// Means over the drawn bins: [filters, labels].
std::vector<float> effects_of(const models::Model& of, const Scan& scan) {
  const models::Network& model = *of.network();
  std::vector<double> sum(static_cast<size_t>(model.filters() * model.config().labels), 0);
  log::Progress progress("motifs: effects", scan.bins.size(), "bins");
  size_t next = 0;
  uint64_t done = 0;
  session::stream(
      model.placement().streams(),
      [&]() -> std::optional<const std::string*> {
        return next < scan.bins.size() ? std::optional(&scan.bins[next++]) : std::nullopt;
      },
      [&](const std::string*&& bases) {
        return model.filter_effects(model.original(*bases, model.margin()), scan.levels);
      },
      [&](std::vector<float>&& effects) {
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += effects[i];
        progress.update(++done);
      });
  std::vector<float> mean;
  const auto& weight = of.base_weight();  // of the network in the model's logits
  for (size_t i = 0; i < sum.size(); ++i)
    mean.push_back(static_cast<float>(sum[i] / static_cast<double>(scan.bins.size())) *
                   (weight.empty() ? 1 : weight[i % weight.size()]));
  return mean;
}

void write_table(const MotifOptions& options, const BinModel& network, const std::vector<motif::Motif>& motifs,
                 const std::vector<float>& effects, const io::Provenance& provenance) {
  io::OutputTable table{
      .name = "motifs",
      .columns = {{"motif"}, {"sites"}, {"information", {}, io::Digits::six}, {"consensus"}, {"serves"}},
      .provenance = provenance};
  table.columns.push_back(
      {.name = "FEATURE", .block = network.outputs.names, .digits = io::Digits::six, .array = "effects"});
  const auto writer = io::make_row_writer(
      options.table, io::format_of(options.table, std::array{io::Format::tsv, io::Format::hdf5}), std::move(table));
  const size_t labels = effects.size() / motifs.size();
  std::vector<float> values(network.outputs.labels.size());
  for (size_t m = 0; m < motifs.size(); ++m) {
    for (size_t f = 0; f < values.size(); ++f)
      values[f] = effects[m * labels + static_cast<size_t>(network.outputs.labels[f])];
    const auto most = std::ranges::max_element(values, {}, [](float value) { return std::abs(value); });
    const auto bits = static_cast<float>(motif::information(motifs[m]));
    const std::string consensus = motif::consensus(motifs[m]);
    const io::Cell cells[] = {std::string_view(motifs[m].name),
                              static_cast<int64_t>(motifs[m].sites),
                              std::span<const float>(&bits, 1),
                              std::string_view(consensus),
                              std::string_view(network.outputs.names[static_cast<size_t>(most - values.begin())]),
                              std::span<const float>(values)};
    writer->row(cells);
  }
  writer->commit();
}

}  // namespace

void motifs(const MotifOptions& options) {
  if (options.de_novo) return de_novo_motifs(options);
  BinModel network(options.model, options.features);
  std::vector<std::string> outputs{options.output, options.table, options.matches};
  io::refuse_shared_files(outputs, {options.input.fasta, options.input.regions, options.input.genome, options.known});
  outputs.push_back(options.pictures);
  io::refuse_outputs_in(outputs, {network.model.folder().path});
  const auto known = options.known.empty() ? std::vector<motif::Motif>() : motif::read_motifs(options.known);
  const session::Placement placement(options.run);
  network.model.load(placement);
  const models::Network& model = *network.model.network();
  const auto provenance = network.provenance();
  const Scan found = scan(options, model);

  const int64_t each = model.config().stages.front().filters;
  std::vector<motif::Motif> motifs;
  for (int64_t f = 0; f < model.filters(); ++f)
    motifs.push_back(found.sites[static_cast<size_t>(f)].motif(concat("network", f / each, "_filter", f % each),
                                                               model.filter_width()));
  const auto without = std::ranges::count(motifs, 0., &motif::Motif::sites);
  if (without == std::ssize(motifs))
    fail("no filter has a site in ", counted(found.count, "bin"), ", which are N: nothing is written");
  if (without > 0)
    log::warn(
        without, " of ", counted(std::ssize(motifs), "filter"), without == 1 ? " has" : " have",
        " no site in the bins that were read: nsites= 0 and probabilities of 0.25 (more regions have more sites)");
  if (!options.table.empty()) write_table(options, network, motifs, effects_of(network.model, found), provenance);
  if (!options.matches.empty()) {
    const auto alike = matches_of(motifs, known, options.run.threads);
    write_matches(options, motifs, known, alike, provenance, {"filter resembles", "filters resemble"});
  }
  write_logos(options.pictures, motifs);
  write_meme(options.output, motifs, motif::column_of(found.bases));
  log::info(counted(std::ssize(motifs), "filter"), ", ", counted(found.count, "bin"));
}

}  // namespace bigdna::attribution
