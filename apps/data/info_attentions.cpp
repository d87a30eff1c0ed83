/// bigdna info --attentions: the tables of attentions and of patterns in Markdown, which docs/attentions.md repeats.
#include <array>
#include <cctype>
#include <cmath>

#include "apps/options/info.h"
#include "base/error.h"
#include "io/output.h"
#include "model_folder/attention.h"
#include "model_folder/config.h"
#include "model_folder/stack.h"

namespace bigdna::apps {
namespace {

constexpr std::array<int64_t, 5> kLengths{512, 2048, 4096, 16'384, 65'536};

/// A model of the size of preset base, with every setting at its default.
model_folder::ModelConfig config_with(const model_folder::AttentionRow& row, int64_t length) {
  model_folder::ModelConfig config;
  config.max_length = length;
  config.attention = model_folder::attention_from(row.name, config.heads);
  return config;
}

std::string setting_line(const model_folder::Setting& setting) {
  return concat("`", setting.name, "=", model_folder::setting_text(setting, setting.start), "`: ", setting.help,
                setting.words.empty() ? "" : concat(" (", setting.words, ")"));
}

void list_claims(io::Output& out, const model_folder::AttentionRow& row) {
  std::string claims;
  const auto claim = [&](bool holds, const auto&... words) {
    if (holds) claims += concat(claims.empty() ? "" : "; ", words...);
  };
  claim(row.linear, "cost linear in the length");
  claim(row.any_length, "any length");
  claim(!row.any_length, "weights for one longest input (convert --max-length refuses)");
  claim(row.equivariant, "permuted tokens give permuted results");
  claim(row.discrete, "tokens are sorted into groups: results jump where a token changes its group");
  claim(row.shares_queries, "keys are queries");
  claim(row.not_causal.empty(), "can be causal");
  claim(!row.not_causal.empty(), "cannot be causal: ", row.not_causal);
  out << "- Claims: " << claims << ".\n";
}

void list_row(io::Output& out, const model_folder::AttentionRow& row) {
  std::string summary(row.summary);
  summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
  out << "### " << row.name << ": " << row.title << "\n\n" << summary << ".\n\n";
  out << "- Source: " << row.source << ".\n- Computes: " << row.equation
      << ".\n- In both directions: " << row.reads_both_ways << ".\n";
  for (const auto& setting : row.settings) out << "- " << setting_line(setting) << ".\n";
  if (!row.parameters.empty()) {
    out << "- Weights of its own in each layer (base, 4096 tokens):";
    const auto config = config_with(row, 4096);
    for (const char* separator = " "; const auto& own : row.parameters) {
      if (own.shape(config).empty()) continue;  // not with these settings
      out << separator << "`" << own.name << "` [";
      for (const char* comma = ""; const int64_t extent : own.shape(config)) {
        out << concat(comma, extent);
        comma = ", ";
      }
      out << "]";
      separator = ", ";
    }
    out << ".\n";
  }
  list_claims(out, row);
  out << "- Keys per query, or what costs as much:";
  for (const char* separator = " "; const int64_t length : kLengths) {
    out << concat(separator, std::lround(row.pairs(config_with(row, length), length)), " at ", length, " tokens");
    separator = ", ";
  }
  out << ".\n";
  if (!row.dense_when.empty())
    out << "- Equals full attention with `" << row.dense_when << "`"
        << (row.dense_when.find("{n}") != std::string_view::npos ? " (n: the sequence's length)" : "") << ".\n";
  out << "- Tested against: " << row.oracle << ".\n\n";
}

std::string causal_text(const sparsity::PatternRow& row) {
  if (!row.not_causal.empty()) return concat("no: ", row.not_causal);
  return row.reads & sparsity::kReadsStride ? "yes, with `--stride`" : "yes";
}

}  // namespace

void list_attentions() {
  io::Output out("-");
  out << "## Attentions\n\nSettings of all but `blocks`:\n\n";
  for (const auto& setting : model_folder::common_settings())
    out << "- `" << setting.name << "`: " << setting.help << ".\n";
  out << "\n";
  for (const auto& row : model_folder::attentions()) list_row(out, row);
  out << "## Patterns\n\nOf `blocks`, and of the local heads of the others. The paper's star has one relay, which "
         "`--block 1 --global 1` gives; here relays and tokens are updated at the same time. In `image` the queries of "
         "a rectangle are one block.\n\n"
      << "| pattern | attends to | source | cost | causal | reads in addition to `--block`, `--global`, `--window`, "
         "`--random` |\n"
      << "| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& row : sparsity::patterns()) {
    out << "| `" << row.name << "` | " << row.summary << " | " << row.source << " | "
        << (row.linear ? "linear" : "more than linear") << " | " << causal_text(row) << " |";
    for (const char* separator = " "; const auto& number : sparsity::pattern_numbers()) {
      if (!(row.reads & number.read_by)) continue;
      out << separator << "`" << number.flag << "`";
      separator = ", ";
    }
    if (row.reads & sparsity::kReadsFactors) out << ", `--factors`";
    if (row.reads & sparsity::kReadsNear) out << ", `--near`";
    out << " |\n";
  }
  out << "\n## Stacks\n\nHow layers follow each other: `--stack`.\n\n| stack | what | settings | source | computes | "
         "tested against |\n"
      << "| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& row : model_folder::stacks()) {
    out << "| `" << row.name << "` | " << row.summary << " |";
    for (const char* separator = " "; const auto& setting : row.settings) {
      std::string line = setting_line(setting);
      for (size_t at = 0; (at = line.find('|', at)) != line.npos; at += 2) line.insert(at, "\\");  // it is in a table
      out << separator << line;
      separator = "; ";
    }
    out << " | " << row.source << " | " << row.equation << " | " << row.oracle << " |\n";
  }
  out << "\n## Not built\n\n| system | source | remark |\n| --- | --- | --- |\n";
  for (const auto& row : model_folder::not_built())
    out << "| " << row.name << " | " << row.source << " | " << row.what << " |\n";
  out.commit();
}

}  // namespace bigdna::apps
