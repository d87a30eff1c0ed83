#include "apps/options/info.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "model_folder/config.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

namespace {
constexpr const char* kPicture = "picture";  // options of --pattern
}

void InfoOptions::visit(OptionList& visit) {
  visit(path, "path",
        "A model, corpus, dataset, vocabulary or run folder, a checkpoint, or a vocabulary or safetensors file (with "
        "--pattern: the name of an attention pattern, or a model)");
  visit(verify, "--verify", "Read every byte and compare the checksums");

  visit(models, "--models", "List the models that can be given by name, instead of PATH");

  visit(attentions, "--attentions",
        "Describe every attention and every pattern of pretrain, with settings, costs and claims, instead of PATH");

  visit.group("Attention pattern");
  auto& p = picture;
  visit(p.wanted, "--pattern", "Draw the layout of the attention pattern PATH, or of the model PATH");
  visit(p.svg, "--svg", "Also write it as a picture").type("FILE").writes({io::Format::svg}).tag(kPicture);
  visit(p.length, "--length", "Sequence length").check(positive()).type("TOKENS").tag(kPicture);
  visit(p.layer, "--layer", "Layer, from 0: random blocks differ by layer and head")
      .check(not_negative())
      .tag(kPicture);
  visit(p.head, "--head", "Head, from 0").check(not_negative()).tag(kPicture);
  visit(p.heads, "--heads",
        concat("Heads of each layer: --random-blocks original and --factors by-head depend on their number (default: "
               "the model's, or ",
               model_folder::preset("base").heads, ", as in preset base)"))
      .check(positive())
      .tag(kPicture);
  const sparsity::PatternConfig defaults;
  const auto number = [&](const char* flag, std::optional<int64_t>& value, const std::string& help, int64_t preset) {
    visit(value, flag, help + " (default: the model's, or " + std::to_string(preset) + ")").tag(kPicture);
  };
  number("--block", p.block, "Block size in tokens", defaults.block);
  for (size_t i = 0; const auto& row : sparsity::pattern_numbers())
    number(std::string(row.flag).c_str(), p.numbers[i++], number_help(row), defaults.*row.value);
  visit(p.global_blocks, "--global-blocks", "edges or first (default: the model's, or edges)")
      .type("WHICH")
      .tag(kPicture);
  visit(p.random_blocks, "--random-blocks", "uniform, original or huggingface (default: the model's, or uniform)")
      .type("HOW")
      .tag(kPicture);
  visit(p.factors, "--factors",
        concat("merged, by-layer or by-head (default: the model's, or merged); used by ",
               sparsity::patterns_that_read(sparsity::kReadsFactors)))
      .type("HOW")
      .tag(kPicture);
  visit(p.near, "--near",
        concat("How neighbours are defined: stride or window (default: the model's, or stride); used by ",
               sparsity::patterns_that_read(sparsity::kReadsNear)))
      .type("HOW")
      .tag(kPicture);
  common.visit_with_seed(visit);
}

void InfoOptions::finish(const OptionList& list) {
  if (const std::string given = list.given_with(kPicture); !picture.wanted && !given.empty())
    throw UsageError(given + ": only with --pattern");
  if (models && (!path.empty() || picture.wanted || verify))
    throw UsageError("--models lists all models: it cannot be used with a path, --pattern or --verify");
  if (attentions && (!path.empty() || picture.wanted || verify || models))
    throw UsageError(
        "--attentions describes all attentions: it cannot be used with a path, --models, --pattern or --verify");
  if (!models && !attentions && path.empty())
    throw UsageError("give PATH, --models or --attentions (see bigdna info --help)");
  if (picture.wanted && verify) throw UsageError("--verify cannot be used with --pattern");
}

std::string InfoOptions::details() {
  std::string rows = "Attention patterns:\n";
  for (const auto& row : sparsity::patterns())
    rows += "  " + std::string(row.name) + std::string(15 - row.name.size(), ' ') + std::string(row.summary) + "\n";
  return rows +
         R"(A layout has one line per block of queries and one letter per block of keys: G global, W window, R random,
x other, . not attended.)";
}

}  // namespace bigdna::apps
