#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/options/info.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/table.h"
#include "io/output.h"
#include "io/paths.h"
#include "model_folder/model_folder.h"
#include "model_folder/named_models.h"
#include "model_folder/reach.h"
#include "model_folder/stack.h"
#include "plot/svg.h"
#include "sparsity/graph.h"
#include "sparsity/picture.h"

namespace bigdna::apps {
namespace {

std::string rounded(double value, int digits) {
  const double scale = std::pow(10, digits);
  return concat(std::round(scale * value) / scale);
}

/// Below the picture.
std::string graph_lines(const sparsity::BlockLayout& layout, const sparsity::Place& place, int64_t block) {
  if (layout.blocks > sparsity::kMostGraphBlocks)
    return concat("(numbers of the graph: for at most ", sparsity::kMostGraphBlocks, " blocks)\n");
  const auto graph = sparsity::graph_of(layout, place);
  return concat(
      "keys per query: ", rounded(graph.keys, 2), " blocks, ", rounded(graph.keys * static_cast<double>(block), 0),
      " tokens\nlayers until every block has read all: ", graph.layers ? concat(*graph.layers) : std::string("never"),
      "\nmean path: ", rounded(graph.path, 3), "\nclustering: ", rounded(graph.clustering, 3),
      "\nspectral gap: ", rounded(graph.spectral_gap, 4), "\n");
}

/// How far tokens read: in the one of these layers that reads the farthest, and in all if they are several.
std::string reach_lines(const model_folder::ModelConfig& model, int64_t n, int64_t first, int64_t layers) {
  model_folder::Reach one;
  for (int64_t layer = first; layer < first + layers; ++layer) {
    const auto reach = model_folder::reach_of(model, n, layer, 1);
    one = {std::max(one.every, reach.every), std::max(one.farthest, reach.farthest)};
  }
  const auto line = [](const std::string& what, const model_folder::Reach& reach) {
    return concat("reach of ", what, ": every token up to ", reach.every, " away, some up to ", reach.farthest, "\n");
  };
  std::string lines = line("one layer", one);
  if (layers > 1) lines += line(counted(layers, "layer"), model_folder::reach_of(model, n, first, layers));
  return lines;
}

}  // namespace

void draw_pattern(const InfoOptions& options) {
  const auto& wanted = options.picture;
  sparsity::PatternConfig config{.name = options.path, .seed = options.common.seed};
  sparsity::Place place{
      .layer = wanted.layer, .head = wanted.head, .heads = wanted.heads.value_or(model_folder::preset("base").heads)};
  const bool is_pattern = find_row(sparsity::patterns(), options.path);
  model_folder::ModelConfig model;
  model.heads = place.heads;
  int64_t first = place.layer, layers = 1;  // whose reach is told
  const std::string path = is_pattern ? options.path : model_folder::find_model(options.path);
  if (io::is_folder(path)) {
    model = model_folder::ModelFolder::open(path).config;
    config = model.pattern;
    if (wanted.heads) throw UsageError("--heads: only with the name of a pattern; a model has its own");
    place.heads = model.heads;
    first = 0, layers = model_folder::layer_runs(model);
    if (place.layer >= layers || place.head >= model.heads)
      throw UsageError(concat("--layer ", place.layer, " --head ", place.head, ": the model has ",
                              counted(layers, "layer"), " of ", counted(model.heads, "head")));
  } else if (place.head >= place.heads) {
    throw UsageError(concat("--head ", place.head, ": each layer has ", counted(place.heads, "head"), " (--heads)"));
  }
  config.block = wanted.block.value_or(config.block);
  if (wanted.near) config.near = sparsity::near_from(*wanted.near);
  for (size_t i = 0; const auto& number : sparsity::pattern_numbers())
    if (const auto given = wanted.numbers[i++]) {
      sparsity::refuse_unread(config, number);
      config.*number.value = *given;
    }
  if (wanted.global_blocks) config.global_blocks = sparsity::global_blocks_from(*wanted.global_blocks);
  if (wanted.random_blocks) config.random_blocks = sparsity::random_blocks_from(*wanted.random_blocks);
  if (wanted.factors) config.factors = sparsity::factors_from(*wanted.factors);
  sparsity::check(config);
  model.pattern = config;
  place.blocks = (wanted.length + sparsity::extra_tokens(config) + config.block - 1) / config.block;
  constexpr int64_t kMost = 2048;  // a larger picture would be unreadable
  if (place.blocks > kMost)
    throw UsageError(concat("--length ", wanted.length, ": ", place.blocks, " blocks (at most ", kMost, " are drawn)"));

  const auto cells = sparsity::cells(config, place);
  place.causal = config.causal;
  const auto layout = sparsity::make_layout(config, place);
  const int64_t pairs = layout.pairs(), all = place.blocks * place.blocks;
  const double percent = std::round(1000.0 * static_cast<double>(pairs) / static_cast<double>(all)) / 10;
  const char* cost = sparsity::pattern(config.name).linear ? "linear" : "more than linear";
  const std::string title = concat(config.name, ": ", wanted.length, " tokens, ", place.blocks,
                                   place.blocks == 1 ? " block of " : " blocks of ", config.block, ", ", pairs, " of ",
                                   all, " pairs (", percent, " %), cost ", cost, " in the length");
  if (!wanted.svg.empty()) {
    plot::Grid grid{title,
                    "key block",
                    "query block",
                    place.blocks,
                    place.blocks,
                    {},
                    {"not attended", "global", "window", "random", "other"}};
    for (const auto cell : cells) grid.cells.push_back(static_cast<uint8_t>(cell));
    io::write_file(wanted.svg, plot::svg(grid));
  }
  io::Output output("-");
  output << title << "\n"
         << sparsity::text(cells, place.blocks) << graph_lines(layout, place, config.block)
         << reach_lines(model, wanted.length, first, layers);
  output.commit();
}

}  // namespace bigdna::apps
