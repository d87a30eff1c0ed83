/// `bigdna evaluate mlm`: models and baselines scored at the same masked positions, at several context lengths, with the
/// differences between them and their intervals.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/bootstrap.h"
#include "model_folder/model_folder.h"
#include "mlm/mlm.h"
#include "mlm/passages.h"

namespace bigdna::mlm {

struct MlmEvaluationOptions {
  PassageOptions passages;        // `length` is set here, from the contexts
  std::vector<int64_t> contexts;  // tokens, special ones included; a model is scored at those it has positions for; empty: each at its own
  double mask_fraction = 0.15;
  int64_t pairs = 500;            // NSP: windows tried with their own and with a strange second half, at most; 0: no NSP
  int64_t block = 100'000;        // bp of a bootstrap block; each passage is one where there would be fewer than 20
  int resamples = 1000;
};

/// What one scorer, a model at a context or a baseline, made of each block of the genome. Baselines are the models of counts, and
/// each model at its longest context with the visible tokens of every window shuffled: what it knows without context.
struct MlmScorer {
  std::string name;               // the model folder, or the baseline
  int64_t context = 0;            // 0: a baseline
  int64_t windows = 0;            // inputs; of a baseline: passages
  std::optional<size_t> model;    // number of the model; none of the models of counts
  size_t vocabulary = 0;          // number of the first model with its vocabulary
  struct Block {
    MlmScore unique, repeats;     // all is in `unique` where no repeats are known
    MlmScore all() const;
  };
  std::vector<Block> blocks;
  metrics::BitsPerBase bert;      // BERT's masking in place of [MASK] everywhere; at a model's longest context
  int64_t pairs = 0, pairs_correct = 0;  // NSP
};

struct MlmEvaluation {
  std::vector<MlmScorer> scorers;  // models in order, contexts from the longest; then the baselines, shuffled ones first
  std::map<size_t, double> piece_lengths;  // mean bases of the pieces of each vocabulary, by its first model
  bool repeats = false;            // unique sequence and repeats are told apart
  int64_t passages = 0, bases = 0;
};
/// Passages are as long as the longest context and cut into windows for the shorter ones, so that each context predicts the
/// same masked tokens. Models of one vocabulary see the same masked tokens; of different ones the same passages, each with
/// tokens of its own. UsageError: a context no model has, a model without one.
MlmEvaluation evaluate_mlm(const std::vector<model_folder::ModelFolder>& models, const session::Placement& placement,
                           const MlmEvaluationOptions& options);

/// BPC of `a` less that of `b`: negative where a is the better.
struct MlmDifference {
  size_t a = 0, b = 0;   // numbers of scorers
  std::string sequence;  // all, unique, repeats
  metrics::Estimate bpc;
};
/// Which scorers are compared: each model and context with the models of counts of its vocabulary, with its own shuffled
/// context and with its longest context; each two models at their longest contexts, and at each context both have.
std::vector<MlmDifference> differences(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options);

/// Tables with a header line, and all of it as JSON. Columns: docs/commands/evaluate-mlm.md.
struct MlmTables {
  std::string scores, differences;
  nlohmann::ordered_json json;
};
MlmTables tables(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options);

}  // namespace bigdna::mlm
