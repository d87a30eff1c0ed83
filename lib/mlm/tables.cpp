/// The tables of `bigdna evaluate mlm`: scores with their intervals, and differences.
#include <cmath>

#include "base/rng.h"
#include "base/streams.h"
#include "mlm/evaluation.h"

namespace bigdna::mlm {

namespace {

std::vector<const char*> sequences(const MlmEvaluation& evaluation) {
  return evaluation.repeats ? std::vector{"all", "unique", "repeats"} : std::vector{"all"};
}

MlmScore part(const MlmScorer::Block& block, std::string_view sequence) {
  return sequence == "unique" ? block.unique : sequence == "repeats" ? block.repeats : block.all();
}

std::vector<metrics::BitsPerBase> bits(const MlmScorer& scorer, std::string_view sequence) {
  std::vector<metrics::BitsPerBase> blocks;
  for (const auto& block : scorer.blocks) blocks.push_back(part(block, sequence).bpc);
  return blocks;
}

/// A table: rows of named values, written as TSV (NA for a missing value) and JSON (null).
using Row = nlohmann::ordered_json;

Row number(double value) { return std::isfinite(value) ? Row(value) : Row(); }

std::string to_tsv(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) {
    std::string header, line;
    for (const auto& [name, value] : row.items()) {
      header += (header.empty() ? "#" : "\t") + name;
      char digits[40];
      if (value.is_number_float()) std::snprintf(digits, sizeof digits, "%.5f", value.get<double>());
      line += (line.empty() ? "" : "\t") + (value.is_null()           ? "NA"
                                            : value.is_number_float() ? digits
                                            : value.is_string()       ? value.get<std::string>()
                                                                      : value.dump());
    }
    if (text.empty()) text = header + "\n";
    text += line + "\n";
  }
  return text;
}

Row context_of(const MlmScorer& scorer) { return scorer.context > 0 ? Row(scorer.context) : Row(); }

/// Each scorer's bits for the tokens of each class of copies; classes without tokens are left out.
std::vector<Row> copy_rows(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options) {
  std::vector<Row> rows;
  for (size_t c = 0; c < copy_classes().size(); ++c)
    for (const auto& scorer : evaluation.scorers) {
      MlmScore sum;
      std::vector<metrics::BitsPerBase> blocks;
      for (const auto& block : scorer.blocks) {
        sum.add(block.by_copy[c]);
        blocks.push_back(block.by_copy[c].bpc);
      }
      if (sum.masked == 0) continue;
      const auto bpc = metrics::bits_per_base(blocks, options.resamples, mix({options.passages.seed, kDifferences}),
                                              options.passages.threads);
      rows.push_back({{"copy", copy_classes()[c].copy},
                      {"distance", copy_classes()[c].distance},
                      {"model", scorer.name},
                      {"context", context_of(scorer)},
                      {"masked", sum.masked},
                      {"bpc", number(bpc.value)},
                      {"bpc_low", number(bpc.low)},
                      {"bpc_high", number(bpc.high)},
                      {"accuracy", scorer.names_tokens ? number(sum.accuracy()) : Row()}});
    }
  return rows;
}

}  // namespace

std::vector<MlmDifference> differences(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options) {
  const auto& scorers = evaluation.scorers;
  const auto longest = [&](size_t model) {  // its scorer at the longest context, the first of the model's
    size_t i = 0;
    while (scorers[i].context == 0 || scorers[i].model != model) ++i;
    return i;
  };
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t a = 0; a < scorers.size(); ++a) {
    if (scorers[a].context == 0) continue;
    for (size_t b = 0; b < scorers.size(); ++b)
      if (scorers[b].context == 0 &&
          (scorers[b].model ? scorers[b].model == scorers[a].model : scorers[b].vocabulary == scorers[a].vocabulary))
        pairs.emplace_back(a, b);
    const size_t own = longest(*scorers[a].model);
    if (own != a) pairs.emplace_back(a, own);
    for (size_t b = 0; b < a; ++b) {
      if (scorers[b].context == 0 || scorers[b].model == scorers[a].model) continue;
      if ((a == own && b == longest(*scorers[b].model)) || scorers[a].context == scorers[b].context)
        pairs.emplace_back(a, b);
    }
  }
  std::vector<MlmDifference> result;
  for (const auto& [a, b] : pairs)
    for (const char* sequence : sequences(evaluation))
      result.push_back(
          {a, b, sequence,
           metrics::bits_per_base_difference(bits(scorers[a], sequence), bits(scorers[b], sequence), options.resamples,
                                             mix({options.passages.seed, kDifferences}), options.passages.threads)});
  return result;
}

MlmTables tables(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options) {
  std::vector<Row> scores, compared;
  for (const auto& scorer : evaluation.scorers)
    for (const char* sequence : sequences(evaluation)) {
      MlmScore sum;
      for (const auto& block : scorer.blocks) sum.add(part(block, sequence));
      const auto bpc = metrics::bits_per_base(bits(scorer, sequence), options.resamples,
                                              mix({options.passages.seed, kDifferences}), options.passages.threads);
      const bool whole = std::string_view(sequence) == "all" && scorer.context > 0,
                 nsp = scorer.pairs > 0 && std::string_view(sequence) == "all";
      scores.push_back(
          {{"model", scorer.name},
           {"context", context_of(scorer)},
           {"sequence", sequence},
           {"windows", scorer.windows},
           {"masked", sum.masked},
           {"bpc", number(bpc.value)},
           {"bpc_low", number(bpc.low)},
           {"bpc_high", number(bpc.high)},
           {"bpc_all", number(sum.bpc.all())},
           {"accuracy", scorer.names_tokens ? number(sum.accuracy()) : Row()},
           {"perplexity", number(sum.perplexity())},
           {"nsp_accuracy",
            nsp ? number(static_cast<double>(scorer.pairs_correct) / static_cast<double>(scorer.pairs)) : Row()},
           {"bpc_bert", whole ? number(scorer.bert.value()) : Row()},
           {"bpc_paper_style",
            whole ? number(sum.bits_per_token() / evaluation.piece_lengths.at(scorer.vocabulary)) : Row()}});
    }
  for (const auto& difference : differences(evaluation, options)) {
    const auto &a = evaluation.scorers[difference.a], &b = evaluation.scorers[difference.b];
    compared.push_back({{"model", a.name},
                        {"context", context_of(a)},
                        {"other", b.name},
                        {"other_context", context_of(b)},
                        {"sequence", difference.sequence},
                        {"bpc_difference", number(difference.bpc.value)},
                        {"low", number(difference.bpc.low)},
                        {"high", number(difference.bpc.high)}});
  }
  const auto by_copy = copy_rows(evaluation, options);
  MlmTables tables{to_tsv(scores), to_tsv(compared), to_tsv(by_copy), {}};
  tables.json = {{"seed", options.passages.seed},
                 {"passages", evaluation.passages},
                 {"bases", evaluation.bases},
                 {"bootstrap_blocks", evaluation.scorers.front().blocks.size()},
                 {"ngrams", evaluation.ngrams},
                 {"copy_confidence", evaluation.copies},
                 {"scores", scores},
                 {"differences", compared},
                 {"copies", by_copy}};
  return tables;
}

}  // namespace bigdna::mlm
