#include "apps/options/info.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "apps/data/info_checkpoint.h"
#include "apps/data/page.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/table.h"
#include "dataset/features.h"
#include "genome/interval_set.h"
#include "io/json.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "io/safetensors.h"
#include "model_folder/architecture.h"
#include "model_folder/encoder_part.h"
#include "model_folder/learned_numbers.h"
#include "model_folder/model_folder.h"
#include "model_folder/named_models.h"
#include "model_folder/profile_config.h"
#include "model_folder/stack.h"
#include "tokenizer/vocabulary.h"
#include "variants/background.h"

namespace bigdna::apps {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

/// A value of a manifest in words: "training 10, validation 2" for an object, the number of entries of a long list.
std::string words(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return concat(value.get<double>());
  if (!value.is_structured()) return value.dump();
  const bool flat =
      std::none_of(value.begin(), value.end(), [](const ordered_json& entry) { return entry.is_structured(); });
  if (value.is_array() && (!flat || value.size() > 12)) return counted(value.size(), "entry", "entries");
  std::string text;
  for (const auto& [key, entry] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += key + " ";
    text += entry.is_object() ? "(" + words(entry) + ")" : words(entry);
  }
  return text.empty() ? "none" : text;
}

void describe(Page& page, const tokenizer::Vocabulary& vocabulary) {
  page.row("vocabulary", counted(vocabulary.size(), "piece"), ", ",
           std::count_if(vocabulary.pieces().begin(), vocabulary.pieces().end(),
                         [](const auto& piece) { return piece.special; }),
           " of them special; the others have a mean of ", std::round(100 * vocabulary.mean_piece_length()) / 100,
           " bases each");
  const auto& special = vocabulary.special();
  std::string tokens;
  for (const auto& [name, id] : {std::pair{"[PAD]", special.pad},
                                 {"[UNK]", special.unk},
                                 {"[CLS]", special.cls},
                                 {"[SEP]", special.sep},
                                 {"[MASK]", special.mask}})
    tokens += concat(tokens.empty() ? "" : ", ", name, " ", id < 0 ? "none" : concat(id));
  page.row("special tokens", tokens);
  page.row("vocabulary hash", vocabulary.hash());
}

void describe_networks(Page& page, const model_folder::NetworkConfig& network) {
  if (network.networks == 0) return page.row("networks on bases", "none");
  std::string filters;
  for (const auto& stage : network.stages) filters += concat(filters.empty() ? "" : ", ", stage.filters);
  page.row("networks on bases", counted(network.networks, "network"), " of ",
           log::human(static_cast<double>(model_folder::parameter_count(network) / network.networks)),
           "parameters; stages of ", filters, " filters, ",
           counted(static_cast<int64_t>(network.dilations.size()), "dilated convolution"), ", ",
           counted(network.layers, "layer"), " of attention");
}

void describe(Page& page, const model_folder::NetworkConfig& network) {
  describe_networks(page, network);
  if (network.pooled)
    page.row("sequences", "of up to ", network.context(), " bp, answered for as a whole");
  else
    page.row("bins", network.bin(), " bp; a bin's labels are predicted from ", network.margin() * network.bin(),
             " bp on either side; trained on windows of ", network.window, " bp");
  page.row("labels", network.labels);
}

/// A pretrained encoder that is a part of a network's model.
void describe_beside(Page& page, const model_folder::ModelFolder& encoder) {
  const auto& config = encoder.config;
  const auto pretrained = encoder.training_intervals();
  page.row("pretrained encoder", model_folder::architecture(config).title, ", ", counted(config.layers, "layer"),
           ", hidden ", config.hidden, ", up to ", config.max_length, " tokens; ",
           log::human(static_cast<double>(model_folder::parameter_count(config))), "parameters",
           pretrained.empty()
               ? std::string()
               : concat("; pretrained without labels on ", log::human(static_cast<double>(pretrained.total())), "bp"));
}

void describe(Page& page, const model_folder::ModelFolder& model) {
  if (model.network) {
    describe(page, *model.network);
    if (!model_folder::encoder_files(model.manifest).empty())
      describe_beside(page, model_folder::ModelFolder::open(model.path + "/" + model_folder::kEncoderFolder));
    return page.row("weights", bytes_text(io::extent_of(model.weights_path()).bytes), ", model.safetensors");
  }
  const auto& config = model.config;
  page.row("encoder", model_folder::architecture(config).title, ", ", counted(config.layers, "layer"), ", ",
           counted(config.heads, "head"), ", hidden ", config.hidden, ", feed-forward ", config.ffn, ", up to ",
           config.max_length, " tokens; ", log::human(static_cast<double>(model_folder::parameter_count(config))),
           "parameters");
  page.row("head", config.head, config.labels ? ", " + counted(config.labels, "output") : "");
  const auto& pattern = config.pattern;
  std::string more;
  for (const auto& number : sparsity::pattern_numbers())
    if (number.read_by && pattern.*number.value != sparsity::PatternConfig().*number.value)
      more += concat(", ", number.key, " ", pattern.*number.value);
  if (pattern.factors != sparsity::Factors::merged) more += concat(", factors ", sparsity::to_string(pattern.factors));
  if (sparsity::pattern(pattern.name).reads & sparsity::kReadsNear)
    more += concat(", near ", sparsity::to_string(pattern.near));
  page.row("attention", pattern.name, ", blocks of ", pattern.block, " tokens, ", pattern.global, " global (",
           sparsity::to_string(pattern.global_blocks), "), ", pattern.window, " window, ", pattern.random, " random (",
           sparsity::to_string(pattern.random_blocks), ", seed ", pattern.seed, ")", more,
           config.is_causal() ? concat("; causal: no token reads a later one",
                                       config.bidirectional_flanks ? ", but within the flanks of a gap" : "")
                              : "");
  if (config.gaps > 0)
    page.row("gaps", "trained with a middle behind its flanks in ", config.gaps, " of the examples",
             config.bidirectional_flanks ? "; flanks are read in both directions" : "");
  if (const int64_t others = model_folder::attention_heads(config); others > 0)
    page.row("other heads", counted(others, "head"), " of each layer from ", config.attention.at("from"),
             " on: ", model_folder::to_string(config.attention));
  for (const auto& learned : model_folder::learned_numbers(config, io::SafetensorsFile(model.weights_path())))
    page.row(learned.title, learned.text);
  if (!model_folder::stack(config).plain) page.row("stack", model_folder::to_string(config.stack));
  describe(page, model.vocabulary);
  page.row("weights", bytes_text(io::extent_of(model.weights_path()).bytes), ", model.safetensors");
}

void describe_intervals(Page& page, const std::string& label, const ordered_json& json) {
  const auto set = genome::intervals_from_json(json);
  page.row(label, log::human(static_cast<double>(set.total())), "bp on ",
           counted(static_cast<int64_t>(set.contigs().size()), "contig"));
}

void describe(Page& page, const io::Manifest& manifest) {
  page.row("command", manifest.command_line);
  page.row("seed", manifest.seed);
  for (const auto& input : manifest.inputs) {
    const std::string path = input.value("path", "?");
    page.row("input", path,
             input.contains("md5")
                 ? concat(", ", bytes_text(input.value("bytes", uint64_t{0})), ", MD5 ", input.value("md5", ""))
                 : "");
  }
  for (const auto& [key, value] : manifest.details.items()) {
    if (key == "files" || key == model_folder::kVocabularyHash) continue;  // the vocabulary's own row says it
    if (key == model_folder::kTrainingIntervals || key == model_folder::kHeldOutIntervals)
      describe_intervals(page, key, value);
    else
      page.row(key, words(value));
  }
}

/// Checks the files that the manifest lists, and reports the result; warns about inputs that have changed since.
void verify(Page& page, const io::Manifest& manifest, const std::string& folder, bool checksums) {
  int64_t files = io::verify_folder(folder, checksums);
  if (!checksums) return;
  for (const auto& model : {folder, folder + "/model"})  // a background may come later, so the manifest lacks it
    if (const auto background = model + "/" + model_folder::kBackgroundFile; io::exists(background)) {
      variants::Background::check(background);
      ++files;
    }
  page.row("verified", files == 0 ? "its manifest lists no files" : counted(files, "file") + ", checksums as recorded");
  for (const auto& input : manifest.inputs) {
    const std::string path = input.value("path", ""), md5 = input.value("md5", "");
    if (!md5.empty() && io::is_file(path) && io::md5_of_file(path) != md5)
      log::warn(path, ": has changed since it was read");
  }
}

void describe_weights(Page& page, const std::string& path) {
  const io::SafetensorsFile file(path);
  std::map<std::string, int64_t> counts;
  for (const auto& [name, view] : file.arrays()) counts[io::dtype_name(view.dtype)] += view.count();
  page.title(path, ": a safetensors file, ", bytes_text(io::extent_of(path).bytes), ", ",
             counted(static_cast<int64_t>(file.arrays().size()), "array"));
  for (const auto& [dtype, count] : counts) page.row(dtype, counted(count, "element"));
  for (const auto& [key, value] : file.metadata()) page.row(key, value);
}

void describe_profile_model(Page& page, const std::string& path, bool checksums) {
  const auto model = model_folder::ProfileFolder::open(path);
  const auto& config = model.config;
  page.title(path, ": a profile model, made by bigdna ", model.manifest.version);
  for (const auto& half : config.halves)
    page.row(half.name == model_folder::kBiasHalf ? "bias model" : "BPNet", counted(half.filters, "filter"), ", ",
             counted(half.layers, "dilated convolution"), "; counts from the mean of ", half.averaged, " positions");
  page.row("window", config.window, " bp are read, ", config.output, " bp in the middle have a profile");
  page.row("profiles", config.strands == 2 ? "one for each strand" : "one for both strands");
  if (config.controls > 0) page.row("control tracks", config.controls, ", read as zeros");
  page.row("parameters", model_folder::parameter_count(config));
  page.row("weights", bytes_text(io::extent_of(model.weights_path()).bytes), ", model.safetensors");
  describe(page, model.manifest);
  verify(page, model.manifest, path, checksums);
}

/// The names by which other commands know what a model predicts, those of a group together.
void describe_outputs(Page& page, const std::string& folder) {
  const std::string path = folder + "/features.tsv";
  if (!io::exists(path)) return;
  constexpr size_t kMost = 100;
  const auto features = dataset::read_features(path);
  const auto names = dataset::column_names(features);
  for (const auto& group : dataset::groups_of(features)) {
    std::vector<std::string> of_group;
    for (size_t f = 0; f < features.size(); ++f)
      if (features[f].group == group) of_group.push_back(names[f]);
    const size_t count = of_group.size();
    of_group.resize(std::min(kMost, count));
    page.row("outputs", group == "-" || group.empty() ? "" : group + ": ", listed(of_group),
             count > kMost ? concat(" and ", count - kMost, " more (features.tsv)") : "");
  }
}

/// The verdicts of a training run.
void describe_verdicts(Page& page, const std::string& run) {
  if (!io::exists(run + "/metrics.json")) return;
  if (const auto json = io::read_json(run + "/metrics.json"); json.contains("verdicts"))
    for (const auto& verdict : json["verdicts"]) page.row("held-out rows", verdict.value("text", ""));
}

/// How well a model does: the table of held-out metrics on its card.
void describe_accuracy(Page& page, const std::string& folder) {
  if (!io::exists(folder + "/README.md")) return;
  const auto cells_of = [](std::string_view line) {
    std::vector<std::string> cells;
    for (const auto cell : io::split(line, '|')) {
      const auto first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      if (first != cell.npos) cells.emplace_back(cell.substr(first, last - first + 1));
    }
    return cells;
  };
  const std::string card = io::read_file(folder + "/README.md");
  std::vector<std::string> head;
  bool of_metrics = false;
  for (const auto line : io::split(card, '\n')) {
    if (line.find("Held-out metrics") != line.npos) of_metrics = true;
    if (!of_metrics) continue;
    if (!line.starts_with("|")) {
      if (!head.empty()) break;
      continue;
    }
    const auto cells = cells_of(line);
    if (head.empty()) {
      head = cells;
      continue;
    }
    if (line.find("---") != line.npos || cells.size() != head.size()) continue;
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) text += concat(i ? ", " : "", head[i], " ", cells[i]);
    page.row("held-out", text);
  }
}

/// A model folder of any program; opening it has checked names and shapes of all weights.
void describe_model(Page& page, const std::string& folder, bool checksums) {
  const auto model = model_folder::ModelFolder::open_any(folder);
  const bool made_by_bigdna = !model.manifest.kind.empty();
  page.title(folder, ": a model folder, ",
             made_by_bigdna ? "made by bigdna " + model.manifest.version : "made by another program (no bigdna.json)");
  describe(page, model);
  describe_outputs(page, folder);
  describe_accuracy(page, folder);
  if (!made_by_bigdna) return;
  describe(page, model.manifest);
  verify(page, model.manifest, folder, checksums);
}

void describe_folder(Page& page, const std::string& folder, bool checksums) {
  if (model_folder::is_profile_model(folder)) return describe_profile_model(page, folder, checksums);
  if (io::exists(folder + "/config.json")) return describe_model(page, folder, checksums);
  const auto has = [&](const std::string& name) { return io::exists(folder + "/" + name); };
  if (io::kind_of_folder(folder).empty() && (has("dna.model") || has("spiece.model") || has("tokenizer.json"))) {
    page.title(folder, ": a vocabulary without a manifest");
    return describe(page, tokenizer::Vocabulary::load(folder));
  }
  if (is_checkpoint(folder)) return describe_checkpoint(page, folder, checksums);
  refuse_checkpoints(folder);
  const auto manifest = io::manifest_of_folder(folder);
  page.title(folder, ": a ", manifest.kind, " folder, made by bigdna ", manifest.version);
  if (manifest.kind == "vocabulary") describe(page, tokenizer::Vocabulary::load(folder));
  describe(page, manifest);
  verify(page, manifest, folder, checksums);
  if (manifest.kind != "run") return;
  describe_verdicts(page, folder);
  describe_model(page, folder + "/model", /*checksums=*/false);  // done above
}

/// A file that is not called as a vocabulary is may be anything: the error says what can be described.
tokenizer::Vocabulary vocabulary_of(const std::string& path) try {
  return tokenizer::Vocabulary::load(path);
} catch (const Error& error) {
  if (path.ends_with(".model") || path.ends_with(".json") || !io::is_file(path)) throw;
  fail(error.what(), " (info describes vocabularies, .safetensors files, and folders that bigdna wrote)");
}

}  // namespace

void run(const InfoOptions& options) {
  if (options.models) return list_models();
  if (options.attentions) return list_attentions();
  if (options.picture.wanted) return draw_pattern(options);
  Page page;
  std::string path = model_folder::find_model(options.path);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (io::is_folder(path)) {
    describe_folder(page, path, options.verify);
  } else if (path.ends_with(".safetensors")) {
    describe_weights(page, path);
  } else {
    const auto vocabulary = vocabulary_of(path);
    page.title(path, ": a vocabulary");
    describe(page, vocabulary);
  }
  page.print();
}

}  // namespace bigdna::apps
