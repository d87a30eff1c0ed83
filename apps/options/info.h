/// bigdna info: what a model, corpus, dataset, vocabulary or run folder is, in words; what an attention pattern looks
/// like.
#pragma once

#include <optional>
#include <vector>

#include "apps/options/common.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

/// --pattern: `path` is a pattern's name or a model folder. Unset fields take the model's values, or PatternConfig's
/// defaults.
struct PatternPicture {
  bool wanted = false;
  int64_t length = 1024;  // tokens
  int64_t layer = 0, head = 0;
  std::optional<int64_t> heads;  // unset: the model's, or those of preset base
  std::optional<int64_t> block;
  /// In the order of sparsity::pattern_numbers().
  std::vector<std::optional<int64_t>> numbers = std::vector<std::optional<int64_t>>(sparsity::pattern_numbers().size());
  std::optional<std::string> global_blocks, random_blocks, factors, near;
  std::string svg;  // a file for the picture; "": only text on stdout
};

struct InfoOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "info";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Describe and check anything that bigdna wrote; draw attention patterns";
  static constexpr const char* example = "bigdna info run";
  CommonOptions common;
  std::string path;
  bool verify = false, models = false, attentions = false;
  PatternPicture picture;
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const InfoOptions& options);
/// With --models.
void list_models();
/// With --attentions.
void list_attentions();
/// With --pattern.
void draw_pattern(const InfoOptions& options);

}  // namespace bigdna::apps
