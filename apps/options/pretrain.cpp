#include "apps/options/pretrain.h"

#include <filesystem>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "base/table.h"
#include "io/packed_folder.h"
#include "io/paths.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"
#include "model_folder/model_folder.h"
#include "sparsity/pattern.h"

namespace bigdna::apps {

namespace {

// What options have in common, for the errors that name those that do not fit.
constexpr const char* kArchitecture = "architecture";  // --init-from has it already
constexpr const char* kVocabulary = "vocabulary";      // how a vocabulary is trained: --vocab names one that exists
constexpr const char* kGenome = "genome";  // how vocabulary and corpus are made: a corpus folder has them already

std::string preset_table() {
  std::string header = "  preset", rows;
  for (const auto& p : model_folder::presets()) {
    std::string row = concat("  ", p.name, std::string(6 - p.name.size(), ' '));
    const auto column = [&](std::string_view name, const auto& value) {
      const std::string text = concat(value), gap(2 + name.size() - text.size(), ' ');
      if (rows.empty()) header += concat("  ", name);
      row += gap + text;
    };
    column("architecture", model_folder::architecture(p.architecture).name);
    column("layers", p.layers);
    column("heads", p.heads);
    column("hidden", p.hidden);
    column(" ffn", p.ffn);
    column("tokens", p.max_length);
    column("block", p.block);
    column("vocabulary", p.vocab_size);
    column("batch", p.batch);
    column("  rate", p.learning_rate);
    column("  steps", p.steps);
    column("masked", concat(100 * p.mask_fraction, " %"));
    rows += row + "\n";
  }
  return "Presets (each value can be overridden by its option):\n" + header + "\n" + rows;
}

constexpr const char* kDetails = R"(Writes into -o DIR:
  model/         the trained model, a Hugging Face model folder
  vocabulary/    dna.model, dna.vocab (unless --vocab or a corpus folder was given)
  corpus/        the corpus folder (unless one was given)
  metrics.jsonl  one JSON object per line. Training lines: step, tokens, loss, learning_rate, gradient_norm,
                 update_norm (norm of this step's change of the parameters), and over the training batches
                 since the last line mlm_loss and nsp_loss (nats), accuracy and bpc (bits per base, tokens
                 without N) at [MASK] positions, nsp_accuracy, tokens_per_second.
                 Evaluation lines: step, tokens, held_out_bpc (every token to be predicted is masked),
                 held_out_bpc_all (including tokens with N), held_out_bpc_shuffled (the visible tokens in
                 random order: what the model knows without context), held_out_accuracy,
                 held_out_perplexity (per token) and held_out_nsp_accuracy.
                 For comparison with the paper: held_out_bpc_bert (a tenth of the tokens stay visible) and
                 held_out_bpc_paper_style (bits per token / mean length of the vocabulary's pieces).
                 With --stack universal: held_out_steps_mean and held_out_steps_most, the steps that tokens
                 take until they halt.
                 Models of counts at the same masked positions: unigram_bpc, two_sided_bigram_bpc (sees one
                 token on each side), two_sided_trigram_bpc (sees two on each side).
                 With --objective next, every token is predicted from the tokens before it. The models of
                 counts see only these (one_sided_bigram_bpc, one_sided_trigram_bpc). In
                 held_out_bpc_shuffled, stretches of 32 tokens are shuffled, and the token after each is
                 predicted.
                 With --gaps, bits per base of held-out middles, given their length: held_out_gap_bpc (both
                 flanks), held_out_gap_bpc_left (the left flank alone, in plain order; tokens may cross the
                 border, so with tokens of several bases it is too low), held_out_gap_bpc_shuffled
                 (the flanks of another middle). held_out_gap_bpc_with_end also has the bits of the length.
  events.out.tfevents.bigdna   the same numbers for tensorboard --logdir DIR
  learning_curve.svg           losses, bits per base and learning rate against steps and tokens, drawn at
                               the end
  checkpoints/   checkpoints for --resume; `last` is a link to the newest
  options.json, run.json   the options; run.json is written last, when the run is complete
Exit: 0 done; 143, 130, 129, 138, 140, 152 stopped by SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU
with a checkpoint saved.)";

/// A number, or "auto".
Option::Text batch_text(mlm::PretrainOptions& task) {
  Option::Text text;
  text.get = [&task] { return task.fit_batch ? "auto" : task.batch ? std::to_string(*task.batch) : ""; };
  text.set = [&task](const std::string& given) {
    std::string number = given;
    int64_t value = 0;
    task.fit_batch = given == "auto";
    task.batch.reset();
    if (task.fit_batch) return;
    if (!whole_number<int64_t>()(number).empty() || !CLI::detail::lexical_cast(number, value) || value < 1)
      throw CLI::ValidationError("--batch", given + ": must be a positive number or auto");
    task.batch = value;
  };
  return text;
}

}  // namespace

void PretrainOptions::visit(OptionList& visit) {
  auto& t = task;
  visit(t.input, "genome",
        "A genome (FASTA: plain, gzip, bgzip or xz) or a corpus folder; may be omitted with --resume")
      .type("FASTA|CORPUS")
      .input();
  folder.visit(visit, "The run folder (required without --plan)");
  visit(t.plan, "--plan",
        "Measure a few steps, print tokens, time, memory and disk space, and exit without writing anything")
      .not_decisive();

  visit.group("Model");
  auto presets = row_names(model_folder::presets());
  presets.insert(presets.begin(), "auto");
  visit(t.preset, "--preset",
        "Sizes, batch, learning rate and steps (a table of them is at the end of --help); auto: base on a GPU, mini on "
        "a CPU")
      .one_of(std::move(presets));
  using Architecture = std::optional<model_folder::Architecture>;
  std::vector<std::pair<std::string, Architecture>> architectures;
  for (const auto* row : model_folder::architectures())
    architectures.emplace_back(row->name, static_cast<model_folder::Architecture>(architectures.size()));
  visit
      .choice<Architecture>(
          t.architecture, "--architecture", std::move(architectures),
          "bigbird: the paper's, post-norm BERT with learned positions; modern: ModernBERT's, with rotary positions, "
          "pre-norm, gated feed-forward layers and no biases. Both work with any --pattern (default: the preset's)")
      .tag(kArchitecture);
  visit(t.layers, "--layers", "Number of encoder layers").check(positive()).tag(kArchitecture);
  visit(t.heads, "--heads", "Number of attention heads").check(positive()).tag(kArchitecture);
  visit(t.hidden, "--hidden", "Hidden size").check(positive()).tag(kArchitecture);
  visit(t.ffn, "--ffn", "Size of the feed-forward layer").check(positive()).tag(kArchitecture);
  visit(t.max_length, "--max-length", "Longest input").check(positive()).type("TOKENS").tag(kArchitecture);
  visit(t.block, "--block", "Attention block size").check(positive()).type("TOKENS").tag(kArchitecture);
  visit(t.vocab_size, "--vocab-size", "Number of pieces in the vocabulary, special tokens included")
      .check(positive())
      .tag(kArchitecture)
      .tag(kGenome)
      .tag(kVocabulary);
  visit(t.dropout, "--dropout", "Dropout of activations and attention (default: 0.1 for base, otherwise 0)")
      .check(between(0.0, 0.99));
  const sparsity::PatternConfig pattern;
  visit(t.pattern, "--pattern", "Attention pattern (bigdna info --help lists them)")
      .one_of(pattern_names())
      .type("PATTERN")
      .default_is(pattern.name)
      .tag(kArchitecture);
  for (size_t i = 0; const auto& number : sparsity::pattern_numbers())
    visit(t.pattern_numbers[i++], std::string(number.flag), number_help(number))
        .check(number.least > 0 ? positive() : not_negative())
        .default_is(std::to_string(pattern.*number.value))
        .tag(kArchitecture);
  using sparsity::Factors;
  visit
      .choice<Factors>(t.factors, "--factors",
                       {{"merged", Factors::merged}, {"by-layer", Factors::by_layer}, {"by-head", Factors::by_head}},
                       concat("merged: every head attends to both parts of the pattern; by-layer, by-head: even layers "
                              "or the first half of the heads attend to neighbours, the others to the rest; used by ",
                              sparsity::patterns_that_read(sparsity::kReadsFactors)))
      .tag(kArchitecture);
  using sparsity::Near;
  visit
      .choice<Near>(t.near, "--near", {{"stride", Near::stride}, {"window", Near::window}},
                    concat("stride: neighbours are all blocks up to the stride away; window: --window blocks; used by ",
                           sparsity::patterns_that_read(sparsity::kReadsNear)))
      .tag(kArchitecture);
  using sparsity::GlobalBlocks;
  visit
      .choice<GlobalBlocks>(t.global_blocks, "--global-blocks",
                            {{"edges", GlobalBlocks::edges}, {"first", GlobalBlocks::first}},
                            "edges: half of the global blocks are at each end; first: all are at the beginning, as in "
                            "every causal model")
      .tag(kArchitecture);
  visit(t.attention, "--attention",
        "An attention that replaces --pattern in some or all heads, with its settings: NAME:SETTING=VALUE,... (bigdna "
        "info --attentions describes each); blocks: all heads use the pattern")
      .type("ATTENTION")
      .tag(kArchitecture);
  visit(t.stack, "--stack",
        "How layers are combined, with settings: NAME:SETTING=VALUE,... (bigdna info --attentions describes each). "
        "reversible: the backward pass recomputes the input of each layer from its output, so memory does not grow "
        "with the number of layers; gated: a gate replaces each residual addition (both only for modern); universal: "
        "the layers are repeated, and each token can stop early. gated and universal need --init random")
      .type("STACK")
      .tag(kArchitecture);
  visit
      .choice<mlm::Init>(t.init, "--init", {{"counts", mlm::Init::counts}, {"random", mlm::Init::random}},
                         "counts: start from counts of neighbouring tokens in the corpus, which takes seconds; random: "
                         "from random weights, as in the paper")
      .tag(kArchitecture);
  visit(t.init_from, "--init-from", "Start from this model's weights, with its architecture and vocabulary").model();

  visit.group("Training");
  visit(t.steps, "--steps", "Number of optimiser steps").check(positive());
  visit(t.hours, "--hours",
        "Train for about H hours: the speed of this machine decides the number of steps and, with --preset auto, the "
        "preset")
      .check(positive())
      .type("H");
  visit(batch_text(t), "--batch",
        "Examples per step, over all ranks. auto: the preset's number (or --batch-tokens), in the largest "
        "micro-batches that fit into the device's memory")
      .type("N|auto");
  visit(t.batch_tokens, "--batch-tokens",
        "Tokens per step: the batch is this number / --max-length examples, accumulated in micro-batches")
      .check(positive())
      .type("TOKENS");
  visit(t.train.micro_batch, "--micro-batch",
        "Examples in memory at the same time on each rank; gradients are accumulated (0: chosen by the model's size)")
      .check(not_negative());
  visit(t.recompute, "--recompute",
        "Recompute each layer in the backward pass instead of storing it: a fraction of the memory, a third more time, "
        "the same gradients");
  visit(t.learning_rate, "--learning-rate", "Peak learning rate (AdamW, linear warm-up and decay)").check(positive());
  visit(t.train.warmup_steps, "--warmup",
        "Number of warm-up steps (default: the smaller of 10000 and 10 % of the steps)")
      .check(not_negative());
  visit(t.train.weight_decay, "--weight-decay", "Weight decay; not applied to biases and LayerNorm")
      .check(not_negative());
  visit(t.train.clip_norm, "--clip", "Clip the norm of the gradients to this (0: never)").check(not_negative());
  using corpus::Objective;
  visit.choice<Objective>(
      t.objective, "--objective", {{"mlm+nsp", Objective::mlm_nsp}, {"mlm", Objective::mlm}, {"next", Objective::next}},
      "mlm+nsp: masked tokens and next-sentence prediction, as in the paper; mlm: masked tokens only; next: each token "
      "from the tokens before it. The model is then causal, and its likelihoods are exact");
  visit(t.gaps, "--gaps",
        "With --objective next: share of the examples in which a middle is moved to the end, after its two flanks, so "
        "that the model also predicts bases from both sides (bigdna fill)")
      .check(between(0.0, 1.0))
      .type("SHARE");
  visit(
      t.bidirectional_flanks, "--bidirectional-flanks",
      "With --gaps: tokens of the flanks attend to each other in both directions (a prefix LM), as in an encoder that "
      "shares its weights with the decoder; only the middle is then predicted");
  visit(t.mask_fraction, "--mask-fraction", "Fraction of tokens to predict in training (held-out evaluations: 0.15)")
      .check(between(0.01, 0.9));
  using corpus::Hiding;
  visit.choice<std::optional<Hiding>>(
      t.masking, "--masking", {{"bert", Hiding::bert}, {"all", Hiding::all}},
      "bert: of the tokens to predict, 80 % become [MASK], 10 % a random piece and 10 % stay, as in the paper; all: "
      "all become [MASK] (default: bert for bigbird, all for modern)");
  visit(t.evaluate_every, "--evaluate-every",
        "Steps between held-out evaluations (0: only at the end; default: at least 500, and so many that evaluations "
        "take about 2 % of the work)")
      .check(not_negative());
  visit(t.evaluation_tokens, "--evaluation-tokens", "Number of held-out tokens that each evaluation scores")
      .check(positive())
      .type("TOKENS");
  visit(t.train.checkpoint_every, "--checkpoint-every", "Steps between checkpoints").check(positive()).recorded();
  visit(t.train.keep, "--keep", "Number of checkpoints to keep").check(positive()).recorded();
  visit(t.train.log_every, "--log-every", "Steps between lines of metrics.jsonl").check(positive()).recorded();

  visit.group("Vocabulary and corpus");
  visit(t.vocab, "--vocab",
        "A .model file, tokenizer.json or model folder (default: train a BPE vocabulary on the genome)")
      .type("PATH")
      .path_or_name()
      .input(model_folder::vocabulary_files_of)
      .tag(kArchitecture);
  visit(t.vocab_bases, "--vocab-bases", "Train the vocabulary on at most this many bases, drawn by --seed")
      .check(positive())
      .type("BP")
      .tag(kGenome)
      .tag(kVocabulary);
  visit(t.passes, "--passes",
        "Number of passes over the genome (default: 10, as in the paper, or fewer if the run needs fewer)")
      .check(positive())
      .tag(kGenome);
  visit(t.contigs, "--contigs", "Contigs to use: primary, all, or a regular expression for whole names")
      .type("CONTIGS")
      .tag(kGenome);
  visit(t.hold_out, "--hold-out",
        "Sequence to hold out of vocabulary and training: a BED file, contigs (comma-separated), or a fraction of the "
        "genome")
      .type("BED|CONTIG|FRACTION")
      .input()
      .tag(kGenome);
  visit(t.exclude, "--exclude", "Regions to leave out of training and evaluation").type("BED").input().tag(kGenome);
  using Strands = corpus::SamplerOptions::Strands;
  visit
      .choice<Strands>(t.sampler.strands, "--strands", {{"forward", Strands::forward}, {"both", Strands::both}},
                       "forward: as in the FASTA; both: half of the documents are reverse-complemented")
      .tag(kGenome);
  visit(t.sampler.max_n_fraction, "--max-n-fraction", "Leave out sentences with a larger fraction of N (1 keeps all)")
      .check(between(0.0, 1.0))
      .tag(kGenome);
  visit_invalid_bases(visit, t.invalid_bases).tag(kGenome);

  visit_ranks(visit, t.train.ranks);
  visit_device(visit, task.run);
  common.visit_with_seed(visit);
}

bool PretrainOptions::asks_for(const OptionList& list, const io::Job& earlier) const {
  io::Job job = list.job();
  const auto take = [&](const char* option) {
    if (!list.given(option)) job.set(option, earlier.values().value(option, nlohmann::ordered_json()));
  };
  job.resolve("--precision", earlier.values().value("--precision", "auto"));
  if (task.hours)
    for (const char* chosen : {"--preset", "--steps"}) take(chosen);
  if (task.fit_batch) take("--micro-batch");
  try {
    job.require_same(earlier, "", "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

void PretrainOptions::finish(OptionList& list) {
  if (folder.output.empty() && !task.plan) throw UsageError("-o/--output is required (only --plan does without)");
  const std::string recorded = io::job_file_of_output(folder.output);
  if (folder.resume && !folder.output.empty() && io::exists(recorded)) {
    const auto earlier = io::Job::load(recorded);
    if (!list.replaces_others() || asks_for(list, earlier)) list.take_missing(earlier);
  }
  model_folder::attention_from(task.attention, 1);  // refuses what no model has
  model_folder::stack_from(task.stack);
  sparsity::PatternConfig pattern{.near = task.near};
  pattern.name = task.pattern.value_or(pattern.name);
  if (task.attention.empty() || task.attention == "blocks")  // others may read numbers that their pattern does not
    for (const auto& number : sparsity::pattern_numbers())
      if (list.given(std::string(number.flag))) sparsity::refuse_unread(pattern, number);
  if (list.given("--global-blocks") && !(sparsity::pattern(pattern.name).parts & sparsity::kGlobalPart))
    throw UsageError(concat("attention pattern: ", pattern.name, " has no global blocks (--global-blocks)"));
  if (task.objective == corpus::Objective::next)
    for (const char* option : {"--mask-fraction", "--masking"})
      if (list.given(option))
        throw UsageError(concat(option, " has no effect with --objective next, which hides nothing"));
  if (task.gaps > 0 && task.objective != corpus::Objective::next) throw UsageError("--gaps needs --objective next");
  if (task.bidirectional_flanks && task.gaps == 0) throw UsageError("--bidirectional-flanks needs --gaps");
  if (list.given("--steps") && list.given("--hours")) throw UsageError("--steps cannot be used with --hours");
  if (task.batch && task.batch_tokens) throw UsageError("--batch cannot be used with --batch-tokens");
  if (task.fit_batch && list.given("--micro-batch")) throw UsageError("--batch auto cannot be used with --micro-batch");
  if (const std::string given = list.given_with(kArchitecture); !task.init_from.empty() && !given.empty())
    throw UsageError(concat(given, " cannot be combined with --init-from: the model it names has its own",
                            list.given("--pattern") ? " (bigdna convert --pattern changes the pattern)" : ""));
  if (!task.vocab.empty()) list.refuse_with(kVocabulary, "with --vocab, which names a vocabulary that exists");
  if (io::is_folder(task.input))
    list.refuse_with(kGenome, concat("on the prepared corpus ", task.input,
                                     " (bigdna corpus and bigdna vocab have most of these options)"));
}

std::string PretrainOptions::details() { return preset_table() + kDetails; }

}  // namespace bigdna::apps
