#include <algorithm>
#include <map>

#include "base/error.h"
#include "io/column_dictionary.h"
#include "report/readers.h"

namespace bigdna::report {

namespace {
constexpr size_t kMostValues = 120000;  // of the tracks: outputs times bins
constexpr size_t kFewestBins = 100;
constexpr int64_t kWidest = int64_t{1} << 40;  // bp of a bin: longer than any contig
constexpr size_t kMostTrackContigs = 100;
constexpr size_t kPredictionBins = 40;

/// The values along contigs: as they are, or where there are too many the highest in each bin of a width that doubles
/// as often as it takes.
class Tracks {
 public:
  /// `numbers`: of any size and sign, of which the largest is the one that lies farthest from 0.
  Tracks(size_t outputs, bool numbers) : most_(std::max(kFewestBins, kMostValues / outputs)), numbers_(numbers) {}

  /// Contigs beyond as many as there may be bins are left out, or no width would do.
  void add(size_t contig, int64_t start, int64_t end, const std::vector<double>& values) {
    if (contig >= most_) return;
    put({contig, start / width_}, start, end, values);
    while (bins_.size() > most_ && width_ < kWidest) {
      width_ *= 2;
      auto narrow = std::move(bins_);
      bins_.clear();
      for (auto& [key, bin] : narrow) put({key.first, bin.start / width_}, bin.start, bin.end, bin.values);
    }
  }
  int64_t width() const { return width_; }
  size_t most_contigs() const { return most_; }
  /// Whether a bar stands for several rows.
  bool merged() const { return merged_; }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, bin] : bins_) visit(key.first, bin.start, bin.end, bin.values);
  }

 private:
  struct Bin {
    int64_t start, end;
    std::vector<double> values;
  };
  void put(std::pair<size_t, int64_t> key, int64_t start, int64_t end, const std::vector<double>& values) {
    const auto [place, is_new] = bins_.try_emplace(key, Bin{start, end, values});
    if (is_new) return;
    auto& bin = place->second;
    bin.start = std::min(bin.start, start);
    bin.end = std::max(bin.end, end);
    merged_ = true;
    for (size_t i = 0; i < values.size(); ++i) {
      const bool larger = numbers_ ? std::abs(values[i]) > std::abs(bin.values[i]) : values[i] > bin.values[i];
      if (larger || std::isnan(bin.values[i])) bin.values[i] = values[i];
    }
  }

  size_t most_;
  bool numbers_, merged_ = false;
  int64_t width_ = 1;
  std::map<std::pair<size_t, int64_t>, Bin> bins_;  // by contig and place
};

/// Of one output, over all rows.
struct Summary {
  int64_t rows = 0, from_half = 0;
  double sum = 0, most = -INFINITY;
  double spread = 0, spread_of_most = NAN;  // --spread: the sum, and that of the row with the highest value
  bool is_probability = true;               // unless the table says otherwise, or a value does
  UnitHistogram histogram{kPredictionBins};

  void add(double value, double of_networks) {
    if (std::isnan(value)) return;
    ++rows;
    sum += value;
    spread += of_networks;
    if (value > most) spread_of_most = of_networks;
    most = std::max(most, value);
    from_half += value >= 0.5;
    is_probability = is_probability && value >= 0 && value <= 1;
    if (is_probability) histogram.add(value);
  }
};

/// Whether a column behind strand holds something else than predictions: `seen`, a further column of the BED file, or
/// what an output consists of (--parts) or how sure it is (--spread).
bool is_beside_outputs(const Table& table, std::string_view name) {
  for (const std::string_view part : {"kmers:", "network:", "encoder:", "kernel:", "spread:"})
    if (name.starts_with(part)) return table.has(name.substr(part.size()));
  return name != "contribution" && io::is_fixed_column(name);
}

/// The columns that hold predictions: promoters' score, else the numbers behind strand.
std::vector<size_t> outputs_of(const Table& table) {
  if (table.has("call")) return {*table.find("score")};
  std::vector<size_t> outputs;
  const size_t first = table.has("strand") ? *table.find("strand") + 1 : 3;
  for (size_t column = first; column < table.columns().size(); ++column)
    if (const auto& name = table.columns()[column]; !is_beside_outputs(table, name)) outputs.push_back(column);
  if (outputs.empty() && table.has("score")) outputs.push_back(*table.find("score"));
  return outputs;
}

/// Whether its header says that it holds numbers of any size; what is probabilities does not say so.
bool holds_numbers(const Table& table) {
  return std::ranges::find(table.facts(), std::pair<std::string, std::string>("prediction", "number")) !=
             table.facts().end() ||
         table.has("contribution") || table.has("base") || table.has("ref");  // of explain
}
}  // namespace

void add_contributions(Item& item, Table& table) {
  Section section{
      "letters",
      "What each base contributes",
      "Bars above 0 raise the model's logit, bars below lower it (of counts: their logarithm). Drag the region, or "
      "zoom in, to read letters. The picture counts bases from 1, the table's start from 0 as BED does.",
      {"contig", "start", "end", "base"}};
  section.options = {{"y", "contribution, logit"}};
  const auto column = [&](const char* name) { return *table.find(name); };
  const size_t first = column("base") + 1, outputs = table.columns().size() - first;
  if (outputs == 0) fail(item.name, ": has no column with contributions");
  section.columns.insert(section.columns.end(), table.columns().begin() + static_cast<int64_t>(first),
                         table.columns().end());
  const size_t most = std::max(kFewestBins, kMostValues / outputs);
  size_t rows = 0;
  for (; table.next(); ++rows) {
    if (rows >= most) continue;
    Json row{std::string(table.text(column("chrom"))), number(table.number(column("start"))),
             number(table.number(column("end"))), std::string(table.text(column("base")))};
    for (size_t f = 0; f < outputs; ++f) row.push_back(number(table.number(first + f)));
    section.rows.push_back(std::move(row));
  }
  if (rows > most) {
    section.note += concat(" The first ", most, " of ", rows, " bases are here.");
    section.cut(rows);
  }
  item.facts.emplace_back("Bases", std::to_string(rows));
  item.add(std::move(section));
}

void add_predictions(Item& item, Table& table) {
  const auto outputs = outputs_of(table);
  if (outputs.empty()) fail(item.name, ": has no column with predictions");
  const auto chrom = *table.find("chrom"), start = *table.find("start"), end = *table.find("end");
  const auto call = table.find("call");
  std::vector<std::string> contigs;
  std::map<std::string, size_t, std::less<>> contig_numbers;
  std::map<std::pair<size_t, bool>, int64_t> of_contigs;
  const bool numbers = holds_numbers(table);
  std::vector<Summary> summaries(outputs.size());
  std::vector<std::optional<size_t>> spreads;  // the columns of --spread
  for (const auto column : outputs) spreads.push_back(table.find("spread:" + table.columns()[column]));
  for (auto& summary : summaries) summary.is_probability = !numbers;
  Tracks tracks(outputs.size(), numbers);
  std::vector<double> values(outputs.size());
  int64_t rows = 0;
  while (table.next()) {
    ++rows;
    const auto name = table.text(chrom);
    auto contig = contig_numbers.find(name);
    if (contig == contig_numbers.end()) {
      contig = contig_numbers.emplace(name, contigs.size()).first;
      contigs.emplace_back(name);
    }
    for (size_t f = 0; f < outputs.size(); ++f)
      summaries[f].add(values[f] = table.number(outputs[f]), spreads[f] ? table.number(*spreads[f]) : NAN);
    const bool called = call ? table.text(*call) == "1" : false;
    ++of_contigs[{contig->second, called}];
    tracks.add(contig->second, static_cast<int64_t>(table.number(start)), static_cast<int64_t>(table.number(end)),
               values);
  }
  item.facts.emplace_back("Rows", std::to_string(rows));

  const bool are_records = static_cast<int64_t>(contigs.size()) == rows;  // of a FASTA: each is a contig of its own
  if (!are_records && contigs.size() > kMostTrackContigs)
    item.facts.emplace_back("Contigs", concat(contigs.size(), "; tracks are drawn of ", kMostTrackContigs, " at most"));
  if (are_records || contigs.size() <= kMostTrackContigs) {
    Section track{"tracks", "Along the genome", "", {"contig", "start", "end"}};
    track.note = "Drag or scroll to move and zoom; double-click to see all.";
    if (tracks.merged())
      track.note += concat(" Each bar is the ", numbers ? "value farthest from 0" : "highest value",
                           tracks.width() > 1 ? concat(" within ", tracks.width(), " bp")
                                              : " of the rows that begin at the same base, such as one for each strand",
                           ".");
    for (const auto column : outputs) track.columns.push_back(table.columns()[column]);
    tracks.each([&](size_t contig, int64_t from, int64_t to, const std::vector<double>& heights) {
      Json row{contigs[contig], from, to};
      for (const double height : heights) row.push_back(number(height));
      track.rows.push_back(std::move(row));
    });
    if (are_records) track.kind = "table", track.title = "Records", track.note = "";
    if (contigs.size() > tracks.most_contigs()) {
      track.note = concat("The first ", tracks.most_contigs(), " of ", contigs.size(), " records.");
      track.cut(contigs.size());
    }
    item.add(std::move(track));
  }
  if (!are_records && contigs.size() <= kMostTrackContigs) {
    Section counts{"bars", "Rows on each contig", "", {"contig", "kind", "rows"}};
    counts.options = {{"y", "contig"}, {"x", "rows"}, {"colour", "kind"}};
    for (const auto& [key, count] : of_contigs)
      counts.add(contigs[key.first], !call ? "predicted" : key.second ? "called" : "not called", count);
    item.add(std::move(counts));
  }
  Section distribution{
      "histogram", "Distribution of the predictions", "", {"output", "label", "from", "to", "rows", "share"}};
  distribution.options = {{"x", "prediction"}, {"filter", {"output"}}, {"unit", true}};
  const size_t every = (outputs.size() + kMostOutputs - 1) / kMostOutputs;
  if (every > 1) distribution.note = concat("Every ", every, "th output is here.");
  const bool has_spread = std::ranges::any_of(spreads, [](const auto& column) { return column.has_value(); });
  Features summary("Each output",
                   has_spread ? "Spread: the standard deviation of the log-odds (of counts: of their logarithms) among "
                                "the model's networks. It is no error bar: networks can agree and be wrong."
                              : "",
                   {"name"});
  for (size_t f = 0; f < outputs.size(); ++f) {
    const auto& [count, from_half, sum, most, spread, spread_of_most, is_probability, histogram] = summaries[f];
    const auto& name = table.columns()[outputs[f]];
    if (count == 0) continue;
    summary.add({name});
    summary.set("mean", "", number(sum / static_cast<double>(count)));
    summary.set("highest", "", number(most));
    if (has_spread) summary.set("mean spread", "", number(spread / static_cast<double>(count)));
    if (has_spread) summary.set("spread of the highest", "", number(spread_of_most));
    if (!is_probability) continue;
    summary.set("share of rows from 0.5 on", "", number(static_cast<double>(from_half) / static_cast<double>(count)));
    if (f % every == 0) histogram.add_to(distribution, {name, "rows"}, count, histogram.range());
  }
  if (outputs.size() > 1 || has_spread) item.add(std::move(summary).section());
  if (!distribution.rows.empty()) item.add(std::move(distribution));
}

}  // namespace bigdna::report
