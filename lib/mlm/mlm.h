/// Language modelling: of hidden tokens with next-sentence prediction (paper F.1), or of each next token. The training
/// task, and the scores of a model and of the n-gram baselines for the same tokens.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "corpus/corpus.h"
#include "corpus/examples.h"
#include "metrics/bits_per_base.h"
#include "mlm/ngram.h"
#include "model/encoder.h"
#include "model_folder/config.h"
#include "session/session.h"
#include "tokenizer/encoder.h"
#include "tokenizer/vocabulary.h"
#include "train/loop.h"

namespace bigdna::mlm {

/// A model and how it is run.
struct MlmModel {
  model_folder::ModelConfig config;
  std::shared_ptr<const tokenizer::Vocabulary> vocabulary;
  session::Placement placement;
  bool recompute = false;  // training: layers keep only their input for the backward pass, and run again there
};

/// Counts only hidden tokens, i.e. those that are [MASK] in the model's input. BERT's masking leaves a tenth of the
/// tokens to be predicted in place, and a model that copies these seems to know something about DNA. A causal model
/// sees no token that it predicts, so all are hidden to it.
struct MlmScore {
  metrics::BitsPerBase bpc;
  int64_t masked = 0, correct = 0;  // hidden tokens
  double nats = 0;                  // sum of -ln p over hidden tokens
  // of all tokens to be predicted, hidden or not; only for comparison with the paper
  metrics::BitsPerBase bert;
  int64_t pairs = 0, pairs_correct = 0;  // sentence pairs (NSP)
  model::HaltingSteps halting;           // of score_model(): of all tokens, if they halt by themselves

  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(masked); }
  double perplexity() const;  // per hidden token
  double bits_per_token() const;
  double nsp_accuracy() const { return static_cast<double>(pairs_correct) / static_cast<double>(pairs); }
  void add(const MlmScore& other);
  /// Adds one predicted token.
  void add(const tokenizer::Vocabulary& vocabulary, tokenizer::TokenId label, double token_nats, bool right,
           bool hidden = true);
};

/// Scores one micro-batch: nsp logits [batch, 2] (undefined without NSP). The device computes now; the function that is
/// returned waits for it, and keeps no logits.
std::function<MlmScore()> score_batch(const tokenizer::Vocabulary& vocabulary, const model::Batch& batch,
                                      const model::TokenScores& tokens, const at::Tensor& nsp_logits, bool causal);
/// A model's score over examples.
MlmScore score_model(const session::Session& session, const tokenizer::Vocabulary& vocabulary,
                     const std::vector<corpus::Example>& examples);
MlmScore score_model(const MlmModel& model, const model::Parameters& parameters,
                     const std::vector<corpus::Example>& examples);

/// The example with its visible tokens in random order, while special tokens and [MASK] stay in place: shows what a
/// model predicts without context.
corpus::Example shuffled(corpus::Example example, const tokenizer::Vocabulary& vocabulary, uint64_t seed);
std::vector<corpus::Example> shuffled(std::vector<corpus::Example> examples, const tokenizer::Vocabulary& vocabulary,
                                      uint64_t seed);
/// For causal models: stretches of 32 tokens are shuffled, each by itself, and what is predicted is the token behind
/// each stretch. So the order of the past is lost, and it holds no token that follows.
corpus::Example shuffled_past(const corpus::Example& example, const tokenizer::Vocabulary& vocabulary, uint64_t seed);
std::vector<corpus::Example> shuffled_past(const std::vector<corpus::Example>& examples,
                                           const tokenizer::Vocabulary& vocabulary, uint64_t seed);

/// The bits per base of the n-gram models (mlm/ngram.h) at the same hidden positions. They see what the model sees:
/// a hidden neighbour is unknown.
struct BaselineScores {
  metrics::BitsPerBase unigram, bigram, trigram;
  std::string text(bool causal) const;
};
/// The probabilities, by each n-gram model, of the tokens to be predicted in an example, in order. `causal`: each
/// token stands behind the position that predicts it, and nothing to its right is seen.
std::vector<NgramModel::Probabilities> baseline_probabilities(const NgramModel& ngrams,
                                                              const tokenizer::Vocabulary& vocabulary,
                                                              const corpus::Example& example, bool causal = false);
BaselineScores score_baselines(const NgramModel& ngrams, const tokenizer::Vocabulary& vocabulary,
                               const std::vector<corpus::Example>& examples, bool causal = false);

/// n-gram counts of a corpus, and how much of it they were counted on.
struct CountedNgrams {
  NgramModel model;
  int64_t documents = 0, of_documents = 0;  // counted; all that do not overlap each other (passes repeat the genome)
  int64_t tokens = 0;                       // counted
  std::optional<int64_t> of_tokens;         // of all these documents; unset in another vocabulary than the corpus's
  std::string text() const;                 // "300 of 4000 tokens (3 of 40 documents)"
  nlohmann::ordered_json json() const;      // {"documents", "of_documents", "tokens", "of_tokens"}
};
/// Counts whole documents, drawn from the whole corpus by `seed`, until `max_tokens` are counted (the last document is
/// cut), so that the counts do not depend on the order of contigs; all documents where they are fewer. `tokens_of`
/// gives a document's tokens in another vocabulary than the corpus's. `sides`: what the pseudo-counts are chosen for.
/// Says on stderr how much was counted.
using DocumentTokens = std::function<std::vector<uint16_t>(const corpus::Document&)>;
CountedNgrams train_ngrams(const corpus::Corpus& corpus, int64_t vocab_size, uint64_t seed,
                           const DocumentTokens& tokens_of = {}, int64_t max_tokens = NgramTrainer::kMaxTokens,
                           Sides sides = Sides::both);

/// The first examples of epoch 0, about `tokens` tokens: the fixed set that evaluations score.
std::vector<corpus::Example> first_examples(const corpus::ExampleSource& source, int64_t tokens, int threads);

/// A task with only forward pass and loss, without examples or evaluation.
train::TrainingTask mlm_training_task(const MlmModel& model);
/// Middles that evaluations score between their flanks (mlm/gap_evaluation.h).
struct HeldOutGaps {
  std::shared_ptr<const tokenizer::Encoder> encoder;
  std::vector<corpus::Gap> gaps;
};
/// What each evaluation of a run scores: the same held-out examples with every token to be predicted hidden, with their
/// context shuffled, and with BERT's masking (none for causal models).
struct HeldOut {
  std::vector<corpus::Example> hidden, shuffled, bert;
  BaselineScores baselines;
  HeldOutGaps gaps;  // of a model that is trained with them
  bool empty() const { return hidden.empty(); }
};

/// The task for train::run. Without `held_out` there is no evaluation. Metrics: mlm_loss and nsp_loss (nats), accuracy,
/// bpc and nsp_accuracy of the training batch; held_out_* of the held-out examples, gap_metrics(), and those of the
/// baselines.
train::TrainingTask mlm_task(const MlmModel& model, std::shared_ptr<const corpus::ExampleSource> source,
                             HeldOut held_out);

}  // namespace bigdna::mlm
