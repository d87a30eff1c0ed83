#include "tasks/mlm_evaluation.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace bigdna::tasks {

namespace {

/// The columns of the table, in order: one place for TSV and JSON. NaN: there is no such value.
std::vector<std::pair<const char*, double>> values_of(const MlmRow& row) {
  const double none = std::nan("");
  const auto baseline = [&](metrics::BitsPerBase BaselineScores::*which) { return row.baselines ? ((*row.baselines).*which).value() : none; };
  return {{"context", static_cast<double>(row.context)},
          {"examples", static_cast<double>(row.examples)},
          {"masked", static_cast<double>(row.model.masked)},
          {"bpc", row.model.bpc.value()},
          {"bpc_all", row.model.bpc.all()},
          {"accuracy", row.model.accuracy()},
          {"perplexity", row.model.perplexity()},
          {"nsp_accuracy", row.model.pairs > 0 ? row.model.nsp_accuracy() : none},
          {"unigram_bpc", baseline(&BaselineScores::unigram)},
          {"two_sided_bigram_bpc", baseline(&BaselineScores::two_sided)},
          {"causal_trigram_bpc", baseline(&BaselineScores::causal)}};
}

std::string number(double value) {
  if (std::isnan(value)) return "NA";
  char text[40];
  std::snprintf(text, sizeof text, value == std::floor(value) && std::abs(value) < 1e15 ? "%.0f" : "%.5f", value);
  return text;
}

}  // namespace

std::vector<corpus::Example> cut_examples(const std::vector<corpus::Example>& examples, int64_t context, const tokenizer::SpecialTokens& special) {
  if (context < 3) throw UsageError(concat("a context of ", context, " tokens is too short: [CLS] and [SEP] take two"));
  std::vector<corpus::Example> pieces;
  for (const auto& example : examples) {
    const auto length = static_cast<int64_t>(example.ids.size());
    size_t mask = 0;
    for (int64_t begin = 0; begin < length; begin += context - 2) {
      corpus::Example piece;
      piece.region = example.region;
      piece.index = static_cast<int64_t>(pieces.size());
      piece.ids.push_back(special.cls);
      const int64_t end = std::min(length, begin + context - 2);
      for (int64_t i = begin; i < end; ++i) {
        if (mask < example.masked.size() && example.masked[mask] == i) {
          piece.masked.push_back(static_cast<int32_t>(piece.ids.size()));
          piece.masked_labels.push_back(example.masked_labels[mask++]);
        }
        piece.ids.push_back(example.ids[static_cast<size_t>(i)]);
      }
      piece.ids.push_back(special.sep);
      piece.token_types.assign(piece.ids.size(), 0);
      if (!piece.masked.empty()) pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

std::vector<MlmRow> evaluate_contexts(const MlmModel& model, const model::Parameters& parameters, const std::vector<corpus::Example>& examples,
                                      const std::vector<int64_t>& contexts, const metrics::NgramModel* ngrams) {
  std::vector<MlmRow> rows;
  const auto score = [&](const std::vector<corpus::Example>& some, int64_t context) {
    MlmRow row;
    row.context = context;
    row.examples = static_cast<int64_t>(some.size());
    row.model = score_model(model, parameters, some);
    if (ngrams) row.baselines = score_baselines(*ngrams, *model.vocabulary, examples);
    rows.push_back(row);
  };
  size_t longest = 0;
  for (const auto& example : examples) longest = std::max(longest, example.ids.size());
  score(examples, static_cast<int64_t>(longest));
  for (const int64_t context : contexts) score(cut_examples(examples, context, model.vocabulary->special()), context);
  return rows;
}

std::string to_tsv(const std::vector<MlmRow>& rows) {
  std::string text;
  for (const auto& row : rows) {
    std::string header, line;
    for (const auto& [name, value] : values_of(row)) {
      header += concat(header.empty() ? "#" : "\t", name);
      line += concat(line.empty() ? "" : "\t", number(value));
    }
    if (text.empty()) text = header + "\n";
    text += line + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<MlmRow>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    nlohmann::ordered_json object;
    for (const auto& [name, value] : values_of(row)) object[name] = std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    json.push_back(object);
  }
  return json;
}

}  // namespace bigdna::tasks
