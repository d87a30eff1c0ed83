/// `bigdna evaluate mlm`: models and baselines scored at the same masked positions, at several context lengths, with
/// the differences between them and their intervals.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/bootstrap.h"
#include "mlm/copies.h"
#include "mlm/mlm.h"
#include "mlm/passages.h"
#include "model_folder/model_folder.h"

namespace bigdna::mlm {

struct MlmEvaluationOptions {
  PassageOptions passages;  // `readers` is set here, from the models and contexts
  /// In tokens, special ones included. A model is scored at those that it has positions for; if empty, at its maximum.
  std::vector<int64_t> contexts;
  double mask_fraction = 0.15;
  int64_t pairs = 500;      // NSP: at most this many windows, with their own and another second half; 0: no NSP
  int64_t block = 100'000;  // bp of a bootstrap block; each passage is a block if there would be fewer than 20
  int resamples = 1000;
};

/// The scores of a model at one context, or of a baseline, for each block of the genome. Baselines are the n-gram
/// models; the copy model at the longest context of the vocabulary's models, with what the trigrams say where it finds
/// nothing, and the same with copies looked for in another window instead of the token's own; and each model at its
/// longest context with the visible tokens of every window shuffled, i.e. what it predicts without context.
struct MlmScorer {
  std::string name;             // the model folder, or the baseline
  int64_t context = 0;          // tokens; 0 for baselines
  int64_t windows = 0;          // inputs; of n-gram models: passages
  std::optional<size_t> model;  // index of the model; unset for models of counts
  size_t vocabulary = 0;        // index of the first model with its vocabulary
  bool names_tokens = true;     // so that it has an accuracy; n-gram models do not
  struct Block {
    MlmScore unique, repeats;  // everything is in `unique` if repeats are unknown
    std::vector<MlmScore> by_copy = std::vector<MlmScore>(copy_classes().size());  // by the token's nearest copy
    MlmScore all() const;
  };
  std::vector<Block> blocks;
  metrics::BitsPerBase bert;  // with BERT's masking instead of [MASK] everywhere; only at a model's longest context
  int64_t pairs = 0, pairs_correct = 0;  // NSP
};

struct MlmEvaluation {
  // models in order, contexts from the longest; then the baselines, shuffled ones first
  std::vector<MlmScorer> scorers;
  std::map<size_t, double> piece_lengths;  // mean bases of the pieces of each vocabulary, by its first model
  nlohmann::ordered_json ngrams;           // what the n-grams of each vocabulary were counted on, by its first model
  nlohmann::ordered_json copies;           // on what the copy model's confidence was counted, by the same
  bool repeats = false;                    // unique sequence and repeats are reported separately
  int64_t passages = 0, bases = 0;
};
/// Passages are as long as the longest context (PassageCutter) and cut into windows for the shorter ones, so that the
/// same masked tokens are predicted at each context. Models with the same vocabulary predict the same masked tokens;
/// models with different vocabularies see the same passages, tokenised differently. UsageError: a context that is too
/// long for all models, a model without a context.
MlmEvaluation evaluate_mlm(const std::vector<model_folder::ModelFolder>& models, const session::Placement& placement,
                           const MlmEvaluationOptions& options);

/// BPC of `a` minus that of `b`: negative if a is better.
struct MlmDifference {
  size_t a = 0, b = 0;   // indices of scorers
  std::string sequence;  // all, unique, repeats
  metrics::Estimate bpc;
};
/// The comparisons: each model and context with the n-gram models of its vocabulary, with the model's shuffled context,
/// and with its longest context; and each pair of models at their longest contexts, and at each context that both have.
std::vector<MlmDifference> differences(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options);

/// Tables with a header line, and the same as JSON. Columns: docs/commands/evaluate-mlm.md.
struct MlmTables {
  std::string scores, differences, copies;
  nlohmann::ordered_json json;
};
MlmTables tables(const MlmEvaluation& evaluation, const MlmEvaluationOptions& options);

}  // namespace bigdna::mlm
