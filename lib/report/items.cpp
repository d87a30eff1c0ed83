#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
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
  for (const char* name : {"metrics.tsv", "features.tsv", "scores.tsv.gz"})
    if (const std::string path = folder + "/" + name; io::exists(path)) add_table(item, path);
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

void add_folder(Item& item, const std::string& folder) {
  const std::string marker = folder + "/" + io::kUnfinishedMarker;
  const bool unfinished = io::exists(marker) && io::read_file(marker).starts_with("run");
  if (unfinished || (io::kind_of_folder(folder).empty() && io::exists(folder + "/metrics.tsv"))) {
    item.what = unfinished ? "run that is not finished" : "evaluation";
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

Item read_item(const std::string& path) try {
  if (path == "-") throw UsageError("report reads files and folders, not stdin");
  Item item;
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
  item.name = fs::path(trimmed).filename().string();
  if (io::is_folder(trimmed))
    add_folder(item, trimmed);
  else if (io::has_suffix(trimmed, {".json"}))
    add_json(item, trimmed);
  else if (io::has_suffix(trimmed, {".vcf", ".vcf.gz", ".bcf"})) {
    item.what = "effects of variants";
    add_variants(item, trimmed);
  } else {
    add_table(item, trimmed);
  }
  if (item.sections.empty() && !item.headline.is_object()) fail(trimmed, ": holds nothing that report draws");
  return item;
} catch (const Json::exception&) {
  fail(path, ": its JSON has a value of another type than bigdna writes");
}

std::vector<Item> read_items(const std::vector<std::string>& paths) {
  std::vector<Item> items;
  std::map<std::string, int> names, given;
  for (const auto& path : paths) {
    if (given[path]++) throw UsageError(path + ": is given twice");
    ++names[items.emplace_back(read_item(path)).name];
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (names[items[i].name] > 1) items[i].name = paths[i];
  return items;
}

}  // namespace bigdna::report
