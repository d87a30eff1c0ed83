#include "io/folder_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "io/job.h"
#include "io/manifest.h"
#include "io/temporary_file.h"

namespace bigdna::io {

namespace fs = std::filesystem;

namespace {
struct Row {
  const char* kind;
  const char* pattern;  // of fnmatch: * stands for anything but /, and @(a|b), ?(a) and +(a) for one, none or one, and
                        // several of them
};
constexpr Row kFiles[] = {
    {"vocabulary", "dna.model"},
    {"vocabulary", "dna.vocab"},
    {"vocabulary", "tokenizer.json"},
    {"vocabulary", "tokenizer_config.json"},
    {"corpus", "dna.model"},
    {"corpus", "tokenizer.json"},
    {"corpus", "training/+([0-9]).safetensors"},
    {"corpus", "validation/+([0-9]).safetensors"},
    {"dataset", "regions.bed.gz"},
    {"dataset", "sequences.fa.gz"},
    {"dataset", "sequences.fa.gz.fai"},
    {"dataset", "sequences.fa.gz.gzi"},
    {"dataset", "labels.safetensors"},
    {"dataset", "features.tsv"},
    {"dataset", "dropped.tsv"},
    {"dataset", "leakage.tsv"},
    {"dataset", "unmapped.bed"},
    {"model", "config.json"},
    {"model", "model.safetensors"},
    {"model", "spiece.model"},
    {"model", "tokenizer.json"},
    {"model", "tokenizer_config.json"},
    {"model", "features.tsv"},
    {"model", "kmers.safetensors"},
    {"model", "kmer_baseline.safetensors"},
    {"model", "encoder_head.safetensors"},
    {"model", "training_sequences.safetensors"},
    {"model", "background.safetensors"},
    {"progress", "metrics.jsonl"},
    {"progress", "events.out.tfevents.bigdna"},
    {"progress", "learning_curve.svg"},
    {"progress", "checkpoints/last"},
    {"progress", "checkpoints/last.partial"},
    {"run", "kmers.msgpack"},
    {"evaluation", "metrics.tsv"},
    {"evaluation", "metrics.json"},
    {"evaluation", "metrics.svg"},
    {"evaluation", "scores.tsv.gz"},
    {"evaluation", "features.tsv"},
    {"evaluation", "tracks.tsv"},
    {"evaluation", "cells.tsv"},
    {"evaluation", "calibration.tsv"},
    {"evaluation", "calibration.svg"},
    {"evaluation", "roc.svg"},
    {"evaluation", "pr.svg"},
    {"evaluation", "*_metrics_mqc.json"},
    {"evaluation", "*_general_mqc.json"},
    {"evaluation", "*_roc_mqc.json"},
    {"evaluation", "*_pr_mqc.json"},
    {"evaluation", "bigdna_mqc_versions.yml"},
    {"checkpoint", "parameters.safetensors"},
    {"checkpoint", "exp_avg.safetensors"},
    {"checkpoint", "exp_avg_sq.safetensors"},
    {"checkpoint", "state.json"},
};
struct Folder {
  const char* kind;
  const char* pattern;  // of a folder in it, which is of the kind `inner`; "" is the folder itself
  const char* inner;
};
constexpr Folder kFolders[] = {
    {"run", "", "progress"},
    {"run", "", "evaluation"},
    {"run", "network-+([0-9])", "progress"},
    {"run", "vocabulary", "vocabulary"},
    {"run", "corpus", "corpus"},
    {"run", "model", "model"},
    {"model", "encoder", "model"},
    {"run", "dataset-+([0-9])", "evaluation"},
    {"progress", "checkpoints/@(step|best)-+([0-9])", "checkpoint"},
    {"progress", "checkpoints/@(step|best)-+([0-9])?(.+([0-9])).partial", "checkpoint"},  // not complete, or no longer
};

bool matches(const char* pattern, const std::string& name) {
  return fnmatch(pattern, name.c_str(), FNM_PATHNAME | FNM_EXTMATCH) == 0;
}

bool has_manifest(const std::string& kind) {
  return !kind.empty() && kind != "progress" && kind != "checkpoint" && kind != "evaluation";
}
}  // namespace

bool is_of_system(const fs::path& file) {
  const std::string name = file.filename();
  for (const char* known : {".snakemake_timestamp", ".DS_Store", ".gitkeep", "lost+found", "Thumbs.db"})
    if (name == known) return true;
  for (const char* begin : {".nfs", ".fuse_hidden", "._"})
    if (name.starts_with(begin)) return true;
  return false;
}

bool is_file_of(const std::string& kind, const fs::path& name) {
  if (std::ranges::any_of(name, [](const fs::path& part) { return is_temporary_name(part); })) return true;
  const std::string text = name.string();
  if (has_manifest(kind) && (text == manifest_name(kind) || text == kUnfinishedMarker || text == kJobFile)) return true;
  for (const Row& row : kFiles)
    if (row.kind == kind && matches(row.pattern, text)) return true;
  return std::ranges::any_of(kFolders, [&](const Folder& folder) {
    if (folder.kind != kind) return false;
    const auto depth = *folder.pattern ? 1 + std::ranges::count(std::string_view(folder.pattern), '/') : 0;
    fs::path outer, inner;
    for (const auto& part : name) (std::ranges::distance(outer) < depth ? outer : inner) /= part;
    return !inner.empty() && matches(folder.pattern, outer) && is_file_of(folder.inner, inner);
  });
}

void refuse_others(const std::string& where, const std::string& kind, const std::vector<std::string>& names) {
  for (const auto& name : names)
    if (!is_of_system(name) && !is_file_of(kind, name))
      fail(where, ": holds ", name, ", which bigdna did not write and which would be lost: move it away");
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry)
    if (is_of_system(entry->path()))
      entry.disable_recursion_pending();
    else if (entry->is_symlink() || !entry->is_directory())
      names.push_back(entry->path().lexically_relative(folder).string());
  std::ranges::sort(names);
  return names;
}

namespace {
/// Removes the files for which `removes`, with a name, says so; `failed` gets those that cannot be. Then empty folders.
template <class Removes, class Failed>
void remove_files(const fs::path& folder, Removes removes, Failed failed) {
  for (const fs::path name : files_in(folder)) {
    std::error_code error;
    if (removes(name)) fs::remove(folder / name, error);
    if (error) failed(folder / name, error.message());
  }
  std::vector<fs::path> folders;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry)
    if (is_of_system(entry->path()))
      entry.disable_recursion_pending();
    else if (entry->is_directory() && !entry->is_symlink())
      folders.push_back(entry->path());
  std::error_code not_empty;
  for (auto inner = folders.rbegin(); inner != folders.rend(); ++inner) fs::remove(*inner, not_empty);
}
}  // namespace

void remove_files_of(const std::string& kind, const fs::path& folder, const std::set<fs::path>& kept) {
  const auto removes = [&](const fs::path& name) {
    return !kept.contains(folder / *name.begin()) && is_file_of(kind, name);
  };
  remove_files(folder, removes, [](const fs::path& path, const std::string& why) { fail(path.string(), ": ", why); });
}

void remove_leftover_files_of(const std::string& kind, const fs::path& folder) {
  const auto is_own = [&](const fs::path& name) { return is_file_of(kind, name); };
  const auto files = files_in(folder);
  const auto other = std::ranges::find_if_not(files, is_own);
  if (other != files.end()) {
    if (std::ranges::none_of(files, is_own)) return;
    log::warn(folder.string(), ": stays, as bigdna did not write its ", *other);
  }
  const auto warn = [](const fs::path& path, const std::string& why) {
    log::warn(path.string(), ": cannot be removed: ", why);
  };
  remove_files(folder, is_own, warn);
  std::error_code error;
  if (fs::remove(folder, error); error && other == files.end()) warn(folder, error.message());
}

void remove_leftover(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) log::warn(path.string(), ": cannot be removed: ", error.message());
}

}  // namespace bigdna::io
