#include "apps/options/evaluate_mlm.h"

namespace bigdna::apps {

namespace {
constexpr const char* kFooter = R"(Output, a line per context length (NA: no such value):
  context               tokens the model sees, [CLS] and [SEP] included
  examples              inputs scored
  masked                masked tokens; the same ones in every line
  bpc                   bits per base over masked tokens without N: sum of -log2 p / sum of their lengths
  bpc_all               the same over all masked tokens
  accuracy              share of masked tokens predicted right
  perplexity            per masked token
  nsp_accuracy          share of sentence pairs told right; the uncut line only
  unigram_bpc, two_sided_bigram_bpc, causal_trigram_bpc
                        baselines at the same tokens, counted on the training part; the causal one sees the left side alone)";
}

void EvaluateMlmOptions::define(CLI::App& app) {
  app.add_option("model", model, "The model folder")->required()->type_name("MODEL");
  app.add_option("data", data, "A corpus folder (its validation part is scored) or a FASTA")->required()->type_name("CORPUS|FASTA");
  app.add_option("-R,--regions", regions, "FASTA: score these regions (default: what the model folder says was held out)")->type_name("BED");
  app.add_option("-o,--output", output, "The table, TSV")->type_name("FILE")->capture_default_str();
  app.add_option("--json", json, "The same as JSON")->type_name("FILE");
  app.add_option("--context", contexts, "Also score with the context cut to so many tokens (several: 512,1024)")
      ->delimiter(',')->check(CLI::Range(8, 1 << 20))->type_name("TOKENS");
  app.add_option("--max-length", max_length, "Tokens of an uncut input (0: the model's)")->check(CLI::NonNegativeNumber)->type_name("TOKENS")->capture_default_str();
  app.add_option("--tokens", tokens, "Score about so many tokens")->check(CLI::PositiveNumber)->type_name("TOKENS")->capture_default_str();
  app.add_option("--mask-fraction", mask_fraction, "Share of tokens that are predicted")->check(CLI::Range(0.01, 0.9))->capture_default_str();
  app.add_option("--contigs", contigs, "FASTA: primary, all, or a regular expression for whole names")->capture_default_str();
  device.define(app);
  common.define(app);
  app.footer(kFooter);
}

}  // namespace bigdna::apps
