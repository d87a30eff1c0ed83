#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "dataset/features.h"
#include "dataset/labels.h"
#include "io/paths.h"
#include "io/safetensors.h"
#include "report/readers.h"

namespace bigdna::report {

namespace fs = std::filesystem;

namespace {
constexpr size_t kMostKinds = 30;     // of rows, in one picture
constexpr size_t kMostContigs = 200;  // likewise
constexpr size_t kClosest = 100;      // rows of the table of leaks
constexpr size_t kLeakageBins = 20;

const std::vector<std::string> kSplits = {"train", "validation", "test"};

/// "12,345" reads better than "12345" in a sentence.
std::string with_commas(int64_t value) {
  std::string text = std::to_string(value);
  for (auto i = static_cast<int64_t>(text.size()) - 3; i > 0; i -= 3) text.insert(static_cast<size_t>(i), ",");
  return text;
}

/// "too_many_n": "too many n".
std::string words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

using Counts = std::map<std::pair<std::string, std::string>, int64_t>;

/// A bar for each first name, divided by the second.
Section bars(const std::string& title, const std::string& first, const std::string& second, const Counts& counts) {
  Section section{"bars", title, "", {first, second, "examples"}};
  const auto has_other = [&](const auto& entry) { return entry.first.second != counts.begin()->first.second; };
  const bool several = std::ranges::any_of(counts, has_other);  // one alone needs no colours: these are for the bars
  section.options = {{"y", first}, {"x", "examples"}, {"colour", several ? second : first}};
  const auto add = [&](const auto& entry) { section.add(entry.first.first, entry.first.second, entry.second); };
  for (const auto& split : kSplits)  // in their own order
    for (const auto& entry : counts)
      if (entry.first.first == split) add(entry);
  for (const auto& entry : counts)
    if (std::ranges::find(kSplits, entry.first.first) == kSplits.end()) add(entry);
  return section;
}

/// regions.bed.gz; returns the split of each row.
std::vector<std::string> add_rows(Item& item, const std::string& path, bool labels_are_kinds) {
  Table table(path);
  const auto chrom = table.find("chrom"), split = table.find("split"), label = table.find("label"),
             kind = table.find("kind"), start = table.find("start"), end = table.find("end");
  if (!chrom || !split || !start || !end) fail(path, ": lacks a column chrom, start, end or split");
  std::vector<std::string> splits;
  Counts of_kinds, of_contigs;
  std::set<std::string> kinds, contigs;
  while (table.next()) {
    splits.emplace_back(table.text(*split));
    std::string text = kind ? std::string(table.text(*kind)) : "examples";
    if (!kind && label && labels_are_kinds) text = "label " + std::string(table.text(*label));
    ++of_kinds[{splits.back(), text}];
    kinds.insert(text);
    if (table.text(*chrom) == ".") continue;
    ++of_contigs[{std::string(table.text(*chrom)), splits.back()}];
    contigs.insert(std::string(table.text(*chrom)));
  }
  if (kinds.size() > kMostKinds) {
    of_kinds.clear();
    for (const auto& name : splits) ++of_kinds[{name, "examples"}];
  }
  auto kinds_of_splits = bars("Examples of each split", "split", "kind", of_kinds);
  if (kinds.size() > kMostKinds) kinds_of_splits.note = concat("Their ", kinds.size(), " kinds are drawn as one.");
  if (contigs.size() > kMostContigs)
    kinds_of_splits.say(
        concat("They lie on ", contigs.size(), " contigs, too many for a picture of each contig's examples."));
  item.add(std::move(kinds_of_splits));
  if (contigs.size() <= kMostContigs) item.add(bars("Examples on each contig", "contig", "split", of_contigs));
  item.facts.emplace_back("Examples", with_commas(static_cast<int64_t>(splits.size())));
  return splits;
}

/// How many rows of each split have each label that is one bit of labels.safetensors.
void add_positives(Item& item, const std::string& folder, const std::vector<std::string>& splits) {
  const io::SafetensorsFile file(folder + "/labels.safetensors");
  const auto& labels = file.at("labels");
  if (labels.dtype != io::Dtype::u8) return;  // classes or numbers
  const auto features =
      dataset::of_kind(dataset::read_features(folder + "/features.tsv"), dataset::FeatureKind::binary);
  const auto names = dataset::column_names(features);
  if (features.size() < 2) return;  // the rows of each split say it
  const auto bytes = labels.as<uint8_t>(folder + "/labels.safetensors");
  const size_t width = (features.size() + 7) / 8;
  if (bytes.size() != width * splits.size())
    fail(folder, ": labels.safetensors does not have a row for each row of regions.bed.gz");
  std::map<std::string, std::vector<int64_t>> positives;
  std::map<std::string, int64_t> rows;
  for (size_t row = 0; row < splits.size(); ++row) {
    auto& counts = positives[splits[row]];
    counts.resize(features.size());
    ++rows[splits[row]];
    for (size_t f = 0; f < features.size(); ++f) counts[f] += bytes[row * width + f / 8] >> f % 8 & 1;
  }
  Features section("Positives of each feature", "", {"name", "cell", "assay", "group"});
  for (size_t f = 0; f < features.size(); ++f) {
    section.add(Json::array({names[f], features[f].cell, features[f].assay, features[f].group}));
    for (const auto& split : kSplits)
      if (rows[split]) {
        const auto count = positives[split][f];
        section.set("share of examples", split, number(static_cast<double>(count) / static_cast<double>(rows[split])));
        section.set("positives", split, count);
      }
  }
  item.add(std::move(section).section());
}

void add_leakage(Item& item, const std::string& path) {
  Table table(path);
  const auto split = table.find("split"), containment = table.find("containment");
  if (!split || !containment) fail(path, ": lacks a column split or containment");
  std::map<std::string, UnitHistogram> histograms;  // by split
  std::vector<std::pair<double, Json>> closest;
  while (table.next()) {
    const double value = table.number(*containment);
    if (std::isnan(value)) continue;
    histograms.try_emplace(std::string(table.text(*split)), kLeakageBins).first->second.add(value);
    Json row = Json::array();
    for (size_t column = 0; column < table.columns().size(); ++column)
      row.push_back(column == *containment ? number(value) : Json(std::string(table.text(column))));
    closest.emplace_back(value, std::move(row));
  }
  Section section{"histogram",
                  "Similarity of held-out examples to training examples",
                  "Share of an example's 21-mers that the most similar training example also has: 1 is a copy. "
                  "Examples near 1 make a test easier than new sequence.",
                  {"label", "from", "to", "examples", "share"}};
  section.options = {{"x", "containment"}, {"colour", "split"}, {"unit", true}};
  for (const auto& [name, histogram] : histograms) histogram.add_to(section, Json::array({name}), histogram.size());
  item.add(std::move(section));
  std::ranges::stable_sort(closest, [](const auto& a, const auto& b) { return a.first > b.first; });
  Section rows{"table", "Held-out examples most similar to a training example", "", {}};
  if (closest.size() > kClosest) {
    rows.cut(closest.size());
    rows.note = concat("The ", kClosest, " most similar of ", with_commas(static_cast<int64_t>(closest.size())),
                       " examples are here; leakage.tsv of the dataset has all of them.");
    closest.resize(kClosest);
  }
  const auto is_constant = [&](size_t column) {
    return std::ranges::all_of(closest,
                               [&](const auto& row) { return row.second[column] == closest[0].second[column]; });
  };
  std::vector<size_t> order;  // first what says how alike they are; a column that says one thing is left out
  for (const char* first : {"name", "most_similar", "containment", "identical"})
    if (const auto column = table.find(first)) order.push_back(*column);
  for (size_t column = 0; column < table.columns().size(); ++column)
    if (std::ranges::find(order, column) == order.end() && (closest.size() < 2 || !is_constant(column)))
      order.push_back(column);
  for (const size_t column : order) rows.columns.push_back(table.columns()[column]);
  for (const auto& [value, all] : closest) {
    Json row = Json::array();
    for (const size_t column : order) row.push_back(all[column] == "." ? Json() : all[column]);
    rows.rows.push_back(std::move(row));
  }
  item.add(std::move(rows));
}

/// Intervals along contigs, as manifests record them; returns how many there are.
size_t add_intervals(Section& section, const Json& details, const char* key, const char* part) {
  if (!details.contains(key) || !details[key].is_array()) return 0;
  constexpr size_t kMost = 4000;
  const auto& intervals = details[key];
  const size_t every = (intervals.size() + kMost - 1) / kMost;
  for (size_t i = 0; i < intervals.size(); i += std::max<size_t>(1, every))
    if (const auto& interval = intervals[i]; interval.is_array() && interval.size() >= 3)
      section.add(interval[0], interval[1], interval[2], part);
  if (every > 1) section.say(concat("Of ", intervals.size(), " ", part, " intervals, one in ", every, " is here."));
  return intervals.size();
}
}  // namespace

void add_dataset(Item& item, const std::string& folder, const Json& details) {
  const auto type = dataset::label_type_of_name(details.value("label_type", ""));
  const auto splits = add_rows(item, folder + "/regions.bed.gz", !type || !dataset::are_numbers(*type));
  if (io::exists(folder + "/labels.safetensors") && io::exists(folder + "/features.tsv"))
    add_positives(item, folder, splits);
  if (io::exists(folder + "/leakage.tsv")) add_leakage(item, folder + "/leakage.tsv");
  Section dropped{"bars", "Examples that were left out", "", {"reason", "kind", "examples"}},
      peaks{"bars", "Peaks that were left out", "", {"reason", "kind", "peaks"}};
  dropped.options = {{"y", "reason"}, {"x", "examples"}};
  peaks.options = {{"y", "reason"}, {"x", "peaks"}};
  for (const char* key : {"left_out", "dropped"})
    if (details.contains(key) && details[key].is_object())
      for (const auto& [reason, count] : details[key].items())
        if (count.is_number() && count != 0)
          (reason.find("peak") == std::string::npos ? dropped : peaks).add(words(reason), "left out", count);
  item.add(std::move(dropped));
  item.add(std::move(peaks));
  if (!details.contains("leaks") || !details["leaks"].is_object() || details.value("leaks_dropped", false)) return;
  for (const auto& [split, count] : details["leaks"].items())
    if (count.is_number() && count != 0)
      item.warnings.push_back(concat(
          count.get<int64_t>(), " ", split,
          " examples have the sequence of an example of an earlier split (dataset table --drop-leaks removes them)."));
}

void add_regions(Item& item, const Json& details) {
  Section section{"regions", "Where the sequence lies", "", {"contig", "start", "end", "part"}};
  const size_t intervals = add_intervals(section, details, "training_intervals", "training") +
                           add_intervals(section, details, "held_out_intervals", "held out");
  constexpr size_t kMostDrawn = 40;  // contigs
  section.options = {{"lengths", Json::object()}, {"most", kMostDrawn}};
  if (details.contains("contigs"))
    for (const auto& contig : details["contigs"])
      if (contig.contains("name") && contig.contains("length"))
        section.options["lengths"][contig["name"]] = contig["length"];
  if (section.rows.size() < intervals) section.cut(intervals);
  std::set<std::string> contigs;
  for (const auto& [name, length] : section.options["lengths"].items()) contigs.insert(name);
  for (const auto& row : section.rows) contigs.insert(row[0].get<std::string>());
  if (contigs.size() > kMostDrawn)
    section.say(concat("The ", kMostDrawn, " longest of ", contigs.size(), " contigs are drawn."));
  item.add(std::move(section));
}

void add_corpus(Item& item, const Json& details) {
  Section section{"table",
                  "Tokens and unknown bases",
                  "N are unknown bases; unknown tokens are not in the vocabulary.",
                  {"part", "documents", "sentences", "tokens", "bases", "bases per token", "share of N",
                   "share of unknown tokens"}};
  for (const char* part : {"training", "validation"})
    if (details.contains(part) && details[part].is_object()) {
      const auto& counts = details[part];
      const auto value = [&](const char* key) { return counts.contains(key) ? counts[key] : Json(); };
      const auto share = [&](const char* key) {
        return counts.contains(key) ? number(counts[key].get<double>()) : Json();
      };
      section.add(part, value("documents"), value("sentences"), value("tokens"), value("bases"),
                  share("bases_per_token"), share("n_fraction"), share("unknown_fraction"));
    }
  item.add(std::move(section));
  add_regions(item, details);
}

void add_vocabulary(Item& item, const std::string& folder) {
  io::LineReader lines(folder + "/dna.vocab");
  std::map<size_t, int64_t> lengths;
  int64_t pieces = 0;
  while (const auto line = lines.next()) {
    const auto piece = io::split(*line).front();
    if (piece.starts_with('[')) continue;
    ++lengths[piece.size()];
    ++pieces;
  }
  Section section{"histogram",
                  "Lengths of the pieces",
                  "Special pieces are not counted.",
                  {"label", "from", "to", "pieces", "share"}};
  section.options = {{"x", "bases"}};
  for (const auto& [length, count] : lengths)
    section.add("pieces", static_cast<int64_t>(length), static_cast<int64_t>(length) + 1, count,
                number(static_cast<double>(count) / static_cast<double>(pieces)));
  item.facts.emplace_back("Pieces", with_commas(pieces));
  item.add(std::move(section));
}

}  // namespace bigdna::report
