#include "apps/options/pretrain.h"

#include <map>

#include "apps/options/checks.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "model_folder/config.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

namespace {

template <class Enum>
void add_choice(CLI::App& app, const std::string& flag, Enum& value, const std::map<std::string, Enum>& choices, const std::string& help,
                const char* group) {
  std::string current;
  for (const auto& [name, choice] : choices)
    if (choice == value) current = name;
  app.add_option_function<std::string>(flag, [&value, choices](const std::string& text) { value = choices.at(text); }, help)
      ->check(CLI::IsMember(choices))
      ->default_str(current)
      ->group(group);
}

std::string preset_table() {
  std::string text = "Presets (what flags do not change):\n";
  for (const auto& p : model_folder::presets())
    text += concat("  ", p.name, std::string(8 - p.name.size(), ' '), p.layers, " layers, ", p.heads, " heads, hidden ", p.hidden, ", ffn ", p.ffn, ", ",
                   p.max_length, " tokens, block ", p.block, ", vocabulary ", p.vocab_size, ", batch ", p.batch, ", learning rate ", p.learning_rate,
                   ", ", p.steps, " steps\n");
  return text;
}

constexpr const char* kFooter = R"(Writes into -o DIR:
  model/         the trained model, a Hugging Face BigBird folder
  vocabulary/    dna.model, dna.vocab (unless --vocab or a corpus folder was given)
  corpus/        the corpus folder (unless one was given)
  metrics.jsonl  a JSON object per line. Training lines: step, tokens, loss, learning_rate, gradient_norm, update_norm (how far
                 this step moved the parameters), and of the training batches since the last line mlm_loss and nsp_loss (nats), accuracy (of masked tokens), bpc (bits per base, tokens
                 without N), nsp_accuracy, tokens_per_second. Evaluation lines: step, tokens, held_out_bpc, held_out_bpc_all
                 (tokens with N too), held_out_accuracy, held_out_perplexity (per masked token), held_out_nsp_accuracy, and the
                 baselines at the same masked positions: unigram_bpc, two_sided_bigram_bpc (sees both neighbours, as the model
                 does), causal_trigram_bpc (sees the tokens to the left).
  events.out.tfevents.bigdna   the same numbers for tensorboard --logdir DIR
  learning_curve.svg           losses, bits per base and learning rate against steps and tokens, drawn at the end
  checkpoints/   what --resume continues from; `last` is a link to the newest
  options.json, run.json   what was asked for; run.json is written when all is done
Exit: 0 done; 143, 130, 138 stopped by SIGTERM, SIGINT, SIGUSR1 with a checkpoint saved.)";

}  // namespace

void PretrainOptions::define(CLI::App& app) {
  auto& t = task;
  app.add_option("genome", t.input, "A genome (FASTA, plain, gzip or BGZF) or a corpus folder; may be left out with --resume")->type_name("FASTA|CORPUS");
  output.define(app, "The run folder");
  app.add_flag("--plan", t.plan, "Measure a few steps, print tokens, time, memory and disk, and leave without writing anything");

  const char* model = "Model";
  app.add_option("--preset", t.preset, "tiny, small, base, or auto: base on a GPU, small on a CPU")
      ->check(CLI::IsMember({"auto", "tiny", "small", "base"}))->capture_default_str()->group(model);
  app.add_option("--layers", t.layers, "Encoder layers")->check(positive())->group(model);
  app.add_option("--heads", t.heads, "Attention heads")->check(positive())->group(model);
  app.add_option("--hidden", t.hidden, "Hidden size")->check(positive())->group(model);
  app.add_option("--ffn", t.ffn, "Size of the feed-forward layer")->check(positive())->group(model);
  app.add_option("--max-length", t.max_length, "Longest input")->check(positive())->type_name("TOKENS")->group(model);
  app.add_option("--block", t.block, "Attention block")->check(positive())->type_name("TOKENS")->group(model);
  app.add_option("--vocab-size", t.vocab_size, "Pieces of the vocabulary, special tokens included")->check(positive())->group(model);
  app.add_option("--dropout", t.dropout, "Dropout of activations and attention (default: 0.1 for base, 0 for tiny and small)")->check(between(0.0, 0.99))->group(model);
  const sparsity::PatternConfig pattern;
  app.add_option("--pattern", t.pattern, "Attention pattern")->check(CLI::IsMember(pattern_names()))->default_str(pattern.name)->group(model);
  app.add_option("--global", t.global, "Global blocks")->check(not_negative())->default_str(std::to_string(pattern.global))->group(model);
  app.add_option("--window", t.window, "Window blocks, the block itself among them (odd)")->check(positive())->default_str(std::to_string(pattern.window))->group(model);
  app.add_option("--random", t.random, "Random blocks per query block")->check(not_negative())->default_str(std::to_string(pattern.random))->group(model);
  app.add_option("--init-from", t.init_from, "Start from this model's weights, with its architecture and vocabulary")->type_name("MODEL")->group(model);

  const char* training = "Training";
  app.add_option("--steps", t.steps, "Optimiser steps")->check(positive())->group(training);
  app.add_option_function<std::string>("--batch", [&t](const std::string& text) {
        if (text == "auto")
          t.fit_batch = true;
        else if (int64_t value = 0; CLI::detail::lexical_cast(text, value) && value > 0)
          t.batch = value;
        else
          throw CLI::ValidationError("--batch", text + ": not a number from 1, nor auto");
      }, "Examples per step, over all ranks. auto: the preset's (or --batch-tokens), in the largest micro-batches that fit the device's memory")
      ->type_name("N|auto")->group(training);
  app.add_option("--batch-tokens", t.batch_tokens, "Tokens per step: a batch of so many / --max-length examples, accumulated in micro-batches")
      ->check(positive())->type_name("TOKENS")->group(training);
  app.add_option("--micro-batch", t.train.micro_batch, "Examples per forward pass and rank, gradients are accumulated (0: by the model's size)")
      ->check(not_negative())->capture_default_str()->group(training);
  app.add_flag("--recompute", t.recompute, "Compute each layer again in the backward pass instead of keeping it: a fraction of the memory, a third more time, the same gradients")
      ->group(training);
  app.add_option("--learning-rate", t.learning_rate, "Peak of the learning rate (AdamW, linear warm-up and decay)")->check(positive())->group(training);
  app.add_option("--warmup", t.train.warmup_steps, "Steps of warm-up (-1: the least of 10000 and 10 % of the steps)")->capture_default_str()->group(training);
  app.add_option("--weight-decay", t.train.weight_decay, "Weight decay (not of biases and LayerNorm)")->check(not_negative())->capture_default_str()->group(training);
  app.add_option("--clip", t.train.clip_norm, "Largest norm of the gradients (0: any)")->check(not_negative())->capture_default_str()->group(training);
  add_choice<corpus::Objective>(app, "--objective", t.objective, {{"mlm+nsp", corpus::Objective::mlm_nsp}, {"mlm", corpus::Objective::mlm}},
                                "mlm+nsp (the paper's), or mlm: masked tokens alone", training);
  app.add_option("--mask-fraction", t.mask_fraction, "Share of tokens that are predicted")->check(between(0.01, 0.9))->capture_default_str()->group(training);
  app.add_option("--checkpoint-every", t.train.checkpoint_every, "Steps between checkpoints")->check(positive())->capture_default_str()->group(training);
  app.add_option("--log-every", t.train.log_every, "Steps between lines of metrics.jsonl")->check(positive())->capture_default_str()->group(training);
  app.add_option("--keep", t.train.keep, "Checkpoints kept")->check(positive())->capture_default_str()->group(training);
  app.add_option("--evaluate-every", t.train.evaluate_every, "Steps between held-out evaluations (0: only at the end)")->check(not_negative())->capture_default_str()->group(training);
  app.add_option("--evaluation-tokens", t.evaluation_tokens, "Held-out tokens that an evaluation scores")->check(positive())->type_name("TOKENS")->capture_default_str()->group(training);

  const char* corpus = "Vocabulary and corpus";
  app.add_option("--vocab", t.vocab, "A .model, tokenizer.json or model folder (default: a BPE vocabulary is trained on the genome)")->group(corpus);
  app.add_option("--vocab-bases", t.vocab_bases, "Train the vocabulary on at most so many bases, drawn by the seed")->check(positive())->type_name("BP")->capture_default_str()->group(corpus);
  app.add_option("--passes", t.passes, "Passes over the genome (default: the paper's 10, or fewer where the run reads fewer)")->check(positive())->group(corpus);
  app.add_option("--contigs", t.contigs, "primary, all, or a regular expression for whole names")->capture_default_str()->group(corpus);
  app.add_option("--hold-out", t.hold_out, "Kept out of vocabulary and training: a BED file, contigs (comma-separated), or a fraction")
      ->type_name("BED|CONTIG|FRACTION")->capture_default_str()->group(corpus);
  app.add_option("--exclude", t.exclude, "BED of sequence that is neither trained nor evaluated on")->type_name("BED")->group(corpus);
  add_choice<corpus::SamplerOptions::Strands>(app, "--strands", t.sampler.strands,
                                              {{"forward", corpus::SamplerOptions::Strands::forward}, {"both", corpus::SamplerOptions::Strands::both}},
                                              "forward, or both: half of the documents are reverse-complemented", corpus);
  app.add_option("--max-n-fraction", t.sampler.max_n_fraction, "Sentences with a larger share of N are left out (1 keeps all)")
      ->check(between(0.0, 1.0))->capture_default_str()->group(corpus);
  add_invalid_bases(app, t.invalid_bases);

  add_ranks(app, t.train.ranks);
  device.define(app);
  common.define(app);
  common.define_seed(app);
  app.footer(preset_table() + kFooter);
}

}  // namespace bigdna::apps
