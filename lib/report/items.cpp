#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/counted.h"
#include "base/error.h"
#include "base/number.h"
#include "io/json.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/paths.h"
#include "report/readers.h"

namespace bigdna::report {

namespace fs = std::filesystem;

namespace {
/// A kind of table, known by its columns; the first that fits.
struct TableKind {
  std::vector<const char*> columns;
  const char* what;
  void (*add)(Item&, Table&);
};
const std::vector<TableKind> kTables = {
    {{"name", "cell", "method", "metric", "n", "value", "chance"}, "accuracy where cells differ", add_cells},
    {{"index", "bins", "method", "metric", "value", "low", "high"}, "metrics of tracks", add_track_metrics},
    {{"method", "metric", "value", "low", "high"}, "metrics of an evaluation", add_metrics},
    {{"group", "method", "split", "auroc_median"}, "metrics of an evaluation", add_group_metrics},
    {{"model", "context", "sequence", "bpc", "bpc_low", "bpc_high"},
     "evaluation of pretrained models",
     add_mlm_metrics},
    {{"system", "measure", "at", "value", "low", "high"}, "comparison of attentions", add_comparison},
    {{"copy", "distance", "model", "bpc", "bpc_low", "bpc_high"},
     "evaluation of pretrained models by copies",
     add_mlm_copies},
    {{"name", "method", "metric", "value"}, "metrics of each output", add_features},
    {{"name", "positives", "prevalence"}, "metrics of each feature", add_features},
    {{"chrom", "pos", "name", "ref", "alt", "skipped"}, "effects of variants", add_variants},
    {{"motif", "sites", "information", "consensus", "serves"}, "motifs of filters", add_motifs},
    {{"motif", "feature", "seqlets", "consensus", "contribution"}, "motifs in contributions", add_de_novo},
    {{"chrom", "start", "end", "name", "importance", "coefficient", "q"}, "hits of motifs", add_hits},
    {{"motif", "known", "overlap", "distance", "e"}, "similar known motifs", add_matches},
    {{"motif", "strand", "second", "distance", "feature", "change", "interaction"},
     "effects of inserted motifs",
     add_marginal_effects},
    {{"name", "contig", "step", "edits", "substitutions", "value", "chance"}, "design of sequences", add_design},
    {{"name", "contig", "sample", "haplotype", "alleles"}, "predictions of haplotypes", add_haplotypes},
    {{"rank", "chrom", "pos", "effect", "value"}, "ranked variants", add_ranked},
    {{"chrom", "start", "end", "alt"}, "effects of substitutions", add_predictions},  // of explain
    {{"chrom", "start", "end", "name", "base"}, "contributions of bases", add_contributions},
    {{"chrom", "start", "end"}, "predictions", add_predictions}};

void add_table(Item& item, const std::string& path) {
  Table table(path);
  const bool first = item.facts.empty();
  for (const auto& fact : table.facts())
    if (fact.first != "verdict") {
      if (first) item.facts.push_back(fact);
    } else if (std::ranges::find(item.verdicts, fact.second) == item.verdicts.end()) {
      item.verdicts.push_back(fact.second);  // each table of an evaluation has it
    }
  const bool has_labels =
      std::ranges::any_of(table.columns(), [](const std::string& name) { return name.starts_with("label:"); });
  if (has_labels) {
    if (item.what.empty()) item.what = "scores of an evaluation";
    return add_scores(item, table);
  }
  for (const auto& kind : kTables)
    if (std::ranges::all_of(kind.columns, [&](const char* name) { return table.has(name); })) {
      if (item.what.empty()) item.what = kind.what;
      return kind.add(item, table);
    }
  fail(path, ": is not a table that bigdna report can draw (bigdna report --help lists what it reads)");
}

/// What finetune, train and evaluate write about a model: its metrics, then what is drawn with them.
void add_evaluation(Item& item, const std::string& folder) {
  for (const std::string name : {"metrics.tsv", "features.tsv", "tracks.tsv", "cells.tsv", "scores.tsv.gz"}) {
    if (name == "tracks.tsv" && item.has_tracks) continue;  // of tracks alone, metrics.tsv is the same
    if (const std::string path = folder + "/" + name; io::exists(path) && io::extent_of(path).bytes > 0)
      add_table(item, path);
  }
}

constexpr const char* kPictures = "pictures";
constexpr size_t kMostPictures = 24, kMostBytes = 1'500'000;  // of a page

/// The next part of a name, which is removed from it: a number, or one other character.
std::string_view take_part(std::string_view& name) {
  const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
  const auto part = name.substr(0, std::max<size_t>(1, digits));
  name.remove_prefix(part.size());
  return part;
}

/// Whether a name comes before another one, numbers in their order: filter2 before filter10.
bool is_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto left = take_part(a), right = take_part(b);
    if (left == right) continue;
    const auto x = parse_number<uint64_t>(left), y = parse_number<uint64_t>(right);
    if (x && y && *x != *y) return *x < *y;
    return left < right;
  }
  return a.size() < b.size();
}

/// Pictures that a command drew: logos of motifs by their effects, others in the order of the numbers in their names.
void add_pictures(Item& item, std::vector<std::string> paths, const decltype(Item::motifs)& motifs = {}) {
  const auto stem = [](const std::string& path) { return fs::path(path).stem().string(); };
  const auto size = [&](const std::string& path) {
    const auto motif = motifs.find(stem(path));
    return motif == motifs.end() ? -1 : std::abs(motif->second.first);
  };
  std::ranges::sort(paths, [&](const auto& a, const auto& b) { return is_before(stem(a), stem(b)); });
  std::ranges::stable_sort(paths, [&](const auto& a, const auto& b) { return size(a) > size(b); });
  const bool ranked = !paths.empty() && size(paths.front()) >= 0;
  Section section{"images", ranked ? "Logos by effect" : "Pictures", "", {"name", "svg"}};
  if (ranked) section.columns.insert(section.columns.end(), {"serves", "effect"});
  size_t bytes = 0;
  for (const auto& path : paths) {
    std::string svg = io::read_file(path);
    if (svg.find("<svg") == std::string::npos) fail(path, ": is not a picture (SVG)");
    bytes += svg.size();
    if (section.rows.size() == kMostPictures || bytes > kMostBytes) break;
    section.add(stem(path), std::move(svg));
    if (!ranked) continue;
    const auto motif = motifs.find(stem(path));
    const bool known = motif != motifs.end();
    section.rows.back().push_back(known ? motif->second.second : "");
    section.rows.back().push_back(known ? number(motif->second.first) : Json());
  }
  if (section.rows.size() < paths.size())
    section.note = concat("The first ", section.rows.size(), " of ", paths.size(), " pictures.");
  item.what = kPictures;
  item.add(std::move(section));
}

/// The files of a folder of pictures: those that are drawn, and how many are of another kind.
struct Pictures {
  std::vector<std::string> drawn;
  size_t others = 0;
};

/// Of a folder that holds pictures and nothing else; none otherwise.
Pictures pictures_in(const std::string& folder) {
  Pictures pictures;
  if (!fs::is_directory(folder)) return pictures;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (io::has_suffix(path, {".svg"}))
      pictures.drawn.push_back(path);
    else if (io::has_suffix(path, {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".eps"}))
      ++pictures.others;
    else
      return {};
  }
  return pictures;
}

void add_facts(Item& item, const io::Manifest& manifest) {
  item.facts.emplace_back("bigdna_version", manifest.version);
  item.facts.emplace_back("bigdna_command", manifest.command_line);
  item.facts.emplace_back("seed", std::to_string(manifest.seed));
  for (const auto& input : manifest.inputs)
    item.facts.emplace_back(
        "input", input.value("path", "?") + (input.contains("md5") ? ", MD5 " + input.value("md5", "") : ""));
  for (const auto& [key, value] : manifest.details.items())
    if (!value.is_structured())
      item.facts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
}

/// "2026-11-29 10:04", in local time: when a file was written last.
std::string time_of(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) fail(path, ": ", errno_text(errno));
  const std::time_t seconds = file.st_mtime;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

/// How far a run is that has not finished: its command, when it began, its last step and when it wrote that, its
/// options.
void add_state(Item& item, const std::string& folder) {
  int64_t step = -1;
  std::string last;  // the file that has it
  const auto read = [&](const std::string& path) {
    if (!io::exists(path)) return;
    std::istringstream lines(io::read_file(path));
    for (std::string line; std::getline(lines, line);)
      if (const auto json = io::parse_json(line, path); json.contains("step"))
        step = std::max(step, json["step"].get<int64_t>()), last = path;
  };
  std::string stage = "before the first step";
  read(folder + "/metrics.jsonl");
  for (int network = 1; io::exists(concat(folder, "/network-", network, "/metrics.jsonl")); ++network) {
    step = -1;
    read(concat(folder, "/network-", network, "/metrics.jsonl"));
    stage = concat("network ", network, ", ");
  }
  if (step >= 0) stage = concat(stage.ends_with(", ") ? stage : "", "step ", step);
  if (io::exists(folder + "/metrics.tsv"))
    stage = "after training: other baselines are fitted", last = folder + "/metrics.tsv";
  std::istringstream marker(io::read_file(folder + "/" + io::kUnfinishedMarker));
  std::string kind, command;
  std::getline(marker, kind);
  if (std::getline(marker, command) && !command.empty()) item.facts.emplace_back("bigdna_command", command);
  item.facts.emplace_back("Stage", stage);
  const std::string options_file = folder + "/options.json";
  if (io::exists(options_file)) item.facts.emplace_back("Started", time_of(options_file));
  if (!last.empty()) item.facts.emplace_back("Last written", time_of(last));
  item.warnings.push_back(concat("This run is not finished (", stage,
                                 last.empty() ? "" : concat(", written ", time_of(last)),
                                 "): the same command with --resume continues it."));
  if (!io::exists(options_file)) return;
  const auto options = io::read_json(options_file);
  for (const auto& [key, value] : options.items())
    if (!value.is_structured() && value != "" && !value.is_null())
      item.facts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
}

/// Whether this is bigWig, or a folder of such files: the tracks of a prediction.
bool is_tracks(const std::string& path) {
  if (!fs::is_directory(path)) return io::has_suffix(path, {".bw", ".bigwig", ".bigWig"});
  const fs::directory_iterator files(path), end;
  return files != end && std::all_of(files, end, [](const auto& file) { return is_tracks(file.path().string()); });
}

void add_folder(Item& item, const std::string& folder) {
  const std::string marker = folder + "/" + io::kUnfinishedMarker;
  const bool unfinished = io::exists(marker) && io::read_file(marker).starts_with("run");
  if (unfinished || (io::kind_of_folder(folder).empty() && io::exists(folder + "/metrics.tsv"))) {
    item.what = unfinished ? "run that is not finished" : "evaluation";
    if (unfinished) add_state(item, folder);
    add_evaluation(item, folder);
    return add_training(item, folder, -1);
  }
  const auto manifest = io::manifest_of_folder(folder);
  item.what = manifest.kind;
  if (const std::string task = manifest.details.value("task", ""); !task.empty()) item.what += ": " + task;
  add_facts(item, manifest);
  if (manifest.kind == "run") {
    add_evaluation(item, folder);
    add_training(item, folder, manifest.details.value("best_step", int64_t{-1}));
    if (io::exists(folder + "/corpus/corpus.json"))
      add_corpus(item, io::Manifest::load(folder + "/corpus/corpus.json", "corpus").details);
  } else if (manifest.kind == "dataset") {
    add_dataset(item, folder, manifest.details);
  } else if (manifest.kind == "corpus") {
    add_corpus(item, manifest.details);
  } else if (manifest.kind == "vocabulary") {
    add_vocabulary(item, folder);
  } else {
    add_regions(item, manifest.details);
  }
}

void add_json(Item& item, const std::string& path) {
  const auto json = io::read_json(path);
  if (!json.is_object() || !(json.contains("methods") || json.contains("groups")))
    fail(path, ": is not the JSON of an evaluation (report reads that of bigdna evaluate)");
  item.what = "metrics of an evaluation";
  for (const char* key : {"bigdna_version", "bigdna_command", "dataset", "split"})
    if (json.contains(key) && json[key].is_string()) item.facts.emplace_back(key, json[key].get<std::string>());
  if (json.contains("verdicts"))
    for (const auto& verdict : json["verdicts"]) item.verdicts.push_back(verdict.value("text", ""));
  add_metrics(item, json);
}
}  // namespace

Item read_item(const std::string& path, const decltype(Item::motifs)& motifs) try {
  if (path == "-") throw UsageError("report reads files and folders, not stdin");
  Item item;
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
  item.name = fs::path(trimmed).filename().string();
  if (io::exists(trimmed) && is_tracks(trimmed))
    fail(trimmed,
         ": report draws predicted tracks from their table (-o NAME.tsv as well as --bigwig); a measured signal in "
         "bigWig is given by --measured");
  if (const auto pictures = pictures_in(trimmed); !pictures.drawn.empty()) {
    add_pictures(item, pictures.drawn, motifs);
    if (pictures.others > 0)
      item.sections.back().note += concat(" ", counted(pictures.others, "picture"), " of the folder ",
                                          pictures.others == 1 ? "is" : "are", " not SVG and left out.");
  } else if (pictures.others > 0) {
    fail(trimmed, ": its pictures are not SVG, which report draws");
  } else if (io::has_suffix(trimmed, {".svg"}))
    add_pictures(item, {trimmed});
  else if (io::is_folder(trimmed))
    add_folder(item, trimmed);
  else if (io::has_suffix(trimmed, {".json"}))
    add_json(item, trimmed);
  else if (io::has_suffix(trimmed, {".vcf", ".vcf.gz", ".bcf"})) {
    item.what = "effects of variants";
    add_variants(item, trimmed);
  } else {
    add_table(item, trimmed);
  }
  if (item.sections.empty() && !item.headline.is_object())
    fail(trimmed, ": holds nothing that report draws: it has no rows, or no numbers");
  return item;
} catch (const Json::exception&) {
  fail(path, ": its JSON has a value of another type than bigdna writes");
}

std::vector<Item> read_items(const std::vector<std::string>& paths) {
  std::vector<Item> items;
  std::map<std::string, int> names, given;
  decltype(Item::motifs) motifs;
  for (const auto& path : paths) {
    if (given[path]++) throw UsageError(path + ": is given twice");
    ++names[items.emplace_back(read_item(path)).name];
    motifs.insert(items.back().motifs.begin(), items.back().motifs.end());
  }
  for (size_t i = 0; i < items.size(); ++i)  // logos of these motifs
    if (!motifs.empty() && items[i].what == kPictures) items[i] = read_item(paths[i], motifs);
  for (size_t i = 0; i < items.size(); ++i)
    if (names[items[i].name] > 1) items[i].name = paths[i];
  return items;
}

}  // namespace bigdna::report
