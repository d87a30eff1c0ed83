/// `bigdna evaluate mlm`: a model's held-out scores beside the baselines', in several context lengths.
#pragma once

#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "tasks/mlm.h"

namespace bigdna::tasks {

/// One line of the table. Every context length predicts the same masked tokens.
struct MlmRow {
  int64_t context = 0;    // tokens, [CLS] and [SEP] included
  int64_t examples = 0;
  MlmScore model;
  std::optional<BaselineScores> baselines;
};

/// Cuts examples into pieces of at most `context` tokens, each between [CLS] and [SEP] of its own: the same masked
/// tokens seen with less context. Segments and sentence pairs end with the cut: token types are 0, NSP is left out.
std::vector<corpus::Example> cut_examples(const std::vector<corpus::Example>& examples, int64_t context, const tokenizer::SpecialTokens& special);

/// Scores `examples` as they are, then cut to each of `contexts`.
std::vector<MlmRow> evaluate_contexts(const MlmModel& model, const model::Parameters& parameters, const std::vector<corpus::Example>& examples,
                                      const std::vector<int64_t>& contexts, const metrics::NgramModel* ngrams);

/// The table as TSV with a header, and as JSON. Columns: docs/commands/evaluate-mlm.md.
std::string to_tsv(const std::vector<MlmRow>& rows);
nlohmann::ordered_json to_json(const std::vector<MlmRow>& rows);

/// Where the examples come from.
struct MlmDataOptions {
  std::string data;      // a corpus folder, or a FASTA
  std::string regions;   // FASTA: a BED of what to score; "": what the model's folder says was held out
  std::string contigs = "primary";
  corpus::Objective objective = corpus::Objective::mlm_nsp;
  double mask_fraction = 0.15;
  int64_t max_length = 0;         // tokens; 0: the model's
  int64_t tokens = 1'000'000;     // scored at most
  uint64_t seed = 1;
  int threads = 1;
};
struct MlmData {
  std::vector<corpus::Example> examples;
  std::optional<metrics::NgramModel> ngrams;  // none where no training sequence is known
};
/// A corpus folder gives its validation part, and its training part to the baselines. A FASTA is tokenised in a
/// temporary folder: the regions are scored, the model's training intervals (without the regions) train the
/// baselines. Warns where regions meet training intervals. Error: nothing to score.
MlmData mlm_data(const MlmDataOptions& options, const model_folder::ModelFolder& model);

}  // namespace bigdna::tasks
