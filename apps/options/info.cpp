#include "apps/options/info.h"

#include "apps/options/checks.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

void InfoOptions::define(CLI::App& app) {
  app.add_option("path", path, "A model, corpus, dataset, vocabulary or run folder, or a vocabulary file (with --pattern: an attention pattern's name, or a model)")
      ->required();
  app.add_flag("--verify", verify, "Read every byte and compare the checksums");

  const char* group = "Attention pattern";
  auto& p = picture;
  app.add_flag("--pattern", p.wanted, "Draw the layout of the attention pattern PATH, or of the model PATH")->group(group);
  app.add_option("--svg", p.svg, "Write a picture of it too")->type_name("FILE")->group(group);
  app.add_option("--length", p.length, "Sequence length")->check(positive())->type_name("TOKENS")->capture_default_str()->group(group);
  app.add_option("--layer", p.layer, "Layer, from 0: random blocks differ by layer and head")->check(not_negative())->capture_default_str()->group(group);
  app.add_option("--head", p.head, "Head, from 0")->check(not_negative())->capture_default_str()->group(group);
  const sparsity::PatternConfig defaults;
  const auto number = [&](const char* flag, std::optional<int64_t>& value, const std::string& help, int64_t preset) {
    app.add_option(flag, value, help + " (default: the model's, or " + std::to_string(preset) + ")")->group(group);
  };
  number("--block", p.block, "Block size in tokens", defaults.block);
  number("--global", p.global, "Global blocks", defaults.global);
  number("--window", p.window, "Window blocks, the block itself among them", defaults.window);
  number("--random", p.random, "Random blocks per query block", defaults.random);
  number("--stride", p.stride, "Span in blocks of strided, fixed and blockbert, 0: by the length", defaults.stride);
  app.add_option("--global-blocks", p.global_blocks, "edges or first (default: the model's, or edges)")->group(group);
  app.add_option("--random-blocks", p.random_blocks, "uniform, original or huggingface (default: the model's, or uniform)")->group(group);

  std::string rows = "Attention patterns:\n";
  for (const auto& row : sparsity::patterns()) rows += "  " + std::string(row.name) + std::string(15 - row.name.size(), ' ') + std::string(row.summary) + "\n";
  common.define(app);
  common.define_seed(app);
  app.footer(rows + "A layout is printed with a line per block of queries and a letter per block of keys: G global, W window, R random, x other, . not attended.");
}

}  // namespace bigdna::apps
