#include "apps/options/evaluate_mlm.h"

#include "apps/options/checks.h"

namespace bigdna::apps {

namespace {
constexpr const char* kFooter = R"(Scores, a line per model, context length and kind of sequence, then the baselines (NA: no such value):
  model         the model folder; or unigram, two_sided_bigram (sees both neighbours, as the model does), causal_trigram (sees
                the true tokens to the left): counted on the training sequence, scored at the same masked tokens
  context       tokens the model sees, [CLS] and [SEP] included
  sequence      all; and unique, repeats (more than half of the token) where --repeats or a soft-masked FASTA tells them
  windows       inputs scored
  masked        masked tokens; the same ones in every line of a vocabulary and kind of sequence
  bpc           bits per base over masked tokens without N: sum of -log2 p / sum of their lengths
  bpc_low, bpc_high   95 % interval, by a bootstrap over blocks of the genome
  bpc_all       as bpc, over all masked tokens
  accuracy      share of masked tokens predicted right
  perplexity    per masked token
  nsp_accuracy  share of sentence pairs told right, half of them strangers
Differences: model, context, other, other_context, sequence, bpc_difference (negative: the model is better than the other),
  low, high: 95 % interval, paired: every resample draws the same blocks for both.)";
}

void EvaluateMlmOptions::define(CLI::App& app) {
  app.add_option("models_and_data", paths, "Model folders, then a corpus folder (its validation part is scored) or a FASTA")
      ->required()->expected(2, 1 << 16)->type_name("MODEL... CORPUS|FASTA");
  app.add_option("-R,--regions", regions, "FASTA: score these regions (default: what the first model's folder says was held out)")->type_name("BED");
  app.add_option("--repeats", repeats, "Score repeats and unique sequence apart (default: a FASTA's lower case, where it has any)")->type_name("BED");
  app.add_option("-o,--output", output, "The scores, TSV")->type_name("FILE")->capture_default_str();
  app.add_option("--differences", differences, "Differences between models, contexts and baselines, TSV")->type_name("FILE");
  app.add_option("--json", json, "Scores and differences as JSON")->type_name("FILE");
  app.add_option("--context", contexts, "Score with so many tokens in sight, special ones included (several: 512,1024); a model leaves out those it has no positions for (default: each model's longest)")
      ->delimiter(',')->check(between(8, 1 << 20))->type_name("TOKENS");
  app.add_option("--tokens", tokens, "Score about so many tokens, masked and not")->check(positive())->type_name("TOKENS")->capture_default_str();
  app.add_option("--mask-fraction", mask_fraction, "Share of tokens that are predicted")->check(between(0.01, 0.9))->capture_default_str();
  app.add_option("--pairs", pairs, "Sentence pairs tried for nsp_accuracy, each right and wrong (0: none)")->check(not_negative())->capture_default_str();
  app.add_option("--bootstrap-block", block, "Block of genome that is drawn as a whole (each input one where there would be fewer than 20 blocks)")
      ->check(positive())->type_name("BP")->capture_default_str();
  app.add_option("--resamples", resamples, "Resamples of the bootstrap")->check(between(10, 1000000))->capture_default_str();
  app.add_option("--contigs", contigs, "FASTA: primary, all, or a regular expression for whole names")->capture_default_str();
  add_invalid_bases(app, invalid_bases);
  device.define(app);
  common.define(app);
  common.define_seed(app);
  app.footer(kFooter);
}

}  // namespace bigdna::apps
