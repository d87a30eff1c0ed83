/// Plans a pretraining run: sizes from the preset and options, speed from a few measured steps.
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "base/counted.h"
#include "base/log.h"
#include "base/rng.h"
#include "mlm/counts_init.h"
#include "mlm/pretrain.h"
#include "model/device.h"
#include "model/parameters.h"
#include "model_folder/architecture.h"
#include "model_folder/attention.h"
#include "model_folder/model_folder.h"
#include "model_folder/stack.h"
#include "train/memory.h"
#include "train/optimiser.h"

namespace bigdna::mlm {

namespace {

/// Approximate bytes per token that a forward pass keeps for the backward pass: what each layer saves (its input, q, k,
/// v, attention, both sums, the middle; the wide product and its activation) or, with recomputation, its input alone;
/// plus one layer's gradients. Attentions that LibTorch computes keep about two numbers for each product.
double activation_bytes(const model_folder::ModelConfig& c, at::ScalarType precision, bool recompute) {
  const double size = precision == at::kBFloat16 ? 2 : 4;
  const bool reversible = model_folder::stack(c).recomputes;  // two streams and their gradients, in fp32
  recompute = recompute || reversible;
  const int64_t layer = (8 + model_folder::stack(c).kept) * c.hidden + 2 * c.ffn;
  const int64_t runs = model_folder::layer_runs(c);
  double attention = 0;  // always in fp32
  for (int64_t i = 0; i < runs; ++i) {
    const int64_t others = c.heads - model_folder::pattern_heads(c, i);
    if (others == 0) continue;
    const double kept = 4.0 * 2 * static_cast<double>(others) * model_folder::attention(c).pairs(c, c.max_length);
    attention = recompute ? std::max(attention, kept) : attention + kept;
  }
  if (c.is_causal()) attention += 2 * 4 * static_cast<double>(c.vocab_size);  // every token's log-probabilities
  if (reversible) return attention + 4 * static_cast<double>(4 * c.hidden) + size * static_cast<double>(2 * layer);
  return attention + size * static_cast<double>(recompute ? runs * c.hidden + 2 * layer : (runs + 1) * layer);
}

/// Examples of random pieces: the time of a step does not depend on the tokens.
std::vector<corpus::Example> random_examples(const model_folder::ModelConfig& config, int64_t count,
                                             double mask_fraction) {
  std::vector<corpus::Example> examples(static_cast<size_t>(count));
  for (size_t i = 0; i < examples.size(); ++i) {
    Rng rng(1, i);
    auto& example = examples[i];
    for (int64_t t = 0; t < config.max_length; ++t) {
      example.ids.push_back(static_cast<int32_t>(rng.below(static_cast<uint64_t>(config.vocab_size))));
      example.token_types.push_back(2 * t >= config.max_length);
      if (rng.uniform() < mask_fraction || t == 1) {
        example.masked.push_back(static_cast<int32_t>(t));
        example.masked_labels.push_back(example.ids.back());
      }
    }
    if (config.has_nsp()) example.targets = {static_cast<float>(i % 2)};
  }
  return examples;
}

/// As many as are in memory at the same time.
std::vector<corpus::Example> examples_of_pass(const model_folder::ModelConfig& config, double mask_fraction,
                                              const train::LoopOptions& options) {
  return random_examples(config, std::min(options.micro_batch > 0 ? options.micro_batch : options.batch, options.batch),
                         mask_fraction);
}

std::string megabytes(double bytes) { return log::human(bytes) + "B"; }

}  // namespace

PretrainSetup resolve(const PretrainOptions& options, const at::Device& device, at::ScalarType precision) {
  const std::string name = options.preset != "auto" ? options.preset : device.is_cpu() ? "mini" : "base";
  const auto& preset = model_folder::preset(name);
  PretrainSetup setup;
  auto& config = setup.config;
  if (options.init_from.empty()) {
    config = model_folder::config_of(preset, options.architecture);
    // Small models see each token once or twice and underfit, so dropout would only slow them down. Table 21's 0.1 is
    // for base.
    if (preset.name != "base") config.dropout = config.attention_dropout = 0;
    config.layers = options.layers.value_or(config.layers);
    config.heads = options.heads.value_or(config.heads);
    config.hidden = options.hidden.value_or(config.hidden);
    config.ffn = options.ffn.value_or(config.ffn);
    config.max_length = options.max_length.value_or(config.max_length);
    config.vocab_size = options.vocab_size.value_or(config.vocab_size);
    config.pattern.name = options.pattern.value_or(config.pattern.name);
    config.pattern.block = options.block.value_or(config.pattern.block);
    for (size_t i = 0; const auto& number : sparsity::pattern_numbers())
      if (const auto given = options.pattern_numbers[i++]) config.pattern.*number.value = *given;
    config.pattern.factors = options.factors;
    config.pattern.near = options.near;
    config.pattern.global_blocks = options.global_blocks;
    config.pattern.seed = options.train.seed;
    config.attention = model_folder::attention_from(options.attention, config.heads);
    config.stack = model_folder::stack_from(options.stack);
  } else {
    config = model_folder::ModelFolder::open(options.init_from).config;
  }
  if (options.dropout) config.dropout = config.attention_dropout = *options.dropout;
  config.head = options.objective == corpus::Objective::mlm_nsp ? "pretraining" : "mlm";
  const bool next = options.objective == corpus::Objective::next;
  if (config.is_causal() && !next)
    throw UsageError(concat(options.init_from, ": is causal, so it learns by --objective next alone"));
  if (next) config.pattern.causal = true, config.pattern.global_blocks = sparsity::GlobalBlocks::first;
  config.labels = 0;
  config.gaps = options.gaps;
  config.bidirectional_flanks = options.bidirectional_flanks;
  corpus::check_max_length(config.max_length, options.objective, options.gaps > 0);
  if (options.init_from.empty() && options.init == Init::counts) check_counts_init(config);
  model_folder::check(config);
  if (options.recompute) model_folder::check_recompute(config);
  setup.train = options.train;
  setup.train.steps = options.steps.value_or(preset.steps);
  setup.train.batch = options.batch.value_or(preset.batch);
  if (options.batch_tokens)
    setup.train.batch = std::max<int64_t>(1, (*options.batch_tokens + config.max_length / 2) / config.max_length);
  // An evaluation is three forward passes over its tokens, and a step costs about as much as three over its own.
  const int64_t rarely = 50 * options.evaluation_tokens / (setup.train.batch * config.max_length);
  setup.train.evaluate_every = options.evaluate_every.value_or(std::max(setup.train.evaluate_every, rarely));
  setup.mask_fraction = next ? 1 : options.mask_fraction.value_or(preset.mask_fraction);
  // modern learns more where every token to be predicted is hidden (docs/benchmarks.md)
  setup.hiding = options.masking.value_or(
      config.architecture == model_folder::Architecture::bigbird ? corpus::Hiding::bert : corpus::Hiding::all);
  setup.train.learning_rate = options.learning_rate.value_or(preset.learning_rate);
  if (setup.train.micro_batch == 0) {
    const double budget = device.is_cpu() ? 2e9 : 24e9;
    const double fits =
        budget / (activation_bytes(config, precision, options.recompute) * static_cast<double>(config.max_length));
    setup.train.micro_batch = std::clamp<int64_t>(static_cast<int64_t>(fits), 1, setup.train.batch);
  }
  return setup;
}

int64_t vocabulary_for(int64_t wanted, int64_t training_bases) {
  const int64_t carried = std::max<int64_t>(64, training_bases / 600 / 64 * 64);  // 100 tokens of 6 bases per piece
  return std::min(wanted, carried);
}

double bases_per_token(int64_t vocab_size) {  // measured: 5.2 at 4096 pieces (human chr20), 6.5 at 32 000
  return std::max(1.5, 5.2 + 0.63 * std::log(static_cast<double>(vocab_size) / 4096));
}

int64_t fit_micro_batch(const MlmModel& model, double mask_fraction, int64_t most, int64_t processes) {
  model::Parameters parameters = model::initialise(model.config, 1);
  for (auto& [name, tensor] : parameters) tensor = tensor.to(model.placement.device).requires_grad_(true);
  const train::AdamW optimiser(parameters);
  const train::TrainingTask task = mlm_training_task(model);
  const auto examples = random_examples(model.config, 2, mask_fraction);
  const auto part = [&](int64_t count) {
    train::BatchPart those{{examples.begin(), examples.begin() + count}, 0, {}};
    those.totals = train::totals_of(those.examples);
    return those;
  };
  train::forward_backward(task, parameters, part(1), 1, 1, model.placement.device);  // makes gradients and buffers
  const auto held = [&](int64_t count) {  // bytes in use at the end of a forward pass
    const auto those = part(count);
    const auto batch = model::make_batch(those.examples, task.block, task.pad_id, model.placement.device);
    const auto result = task.forward(parameters, batch, those.totals, 1);
    return train::memory_in_use(model.placement.device);
  };
  const uint64_t one = held(1), two = held(2),
                 available = train::memory_available(model.placement.device) / static_cast<uint64_t>(processes);
  // With --recompute, most of the memory holds log-probabilities over the vocabulary, whose gradients are as large.
  const int64_t fits = train::fitting_examples(one, two, available, most, model.recompute ? 2 : 4.0 / 3);
  log::info("micro-batches of ", counted(fits, "example"), ": about ",
            log::human(static_cast<double>(two - std::min(one, two))), "B each; ",
            log::human(static_cast<double>(available)), "B are free");
  return fits;
}

train::Measurement measure_steps(const MlmModel& model, double mask_fraction, const train::LoopOptions& options) {
  return train::measure_steps(mlm_training_task(model), model::initialise(model.config, 1),
                              examples_of_pass(model.config, mask_fraction, options), options, model.placement.device);
}

namespace {

/// Tokens per second.
double measure_forward(const MlmModel& model, double mask_fraction, const train::LoopOptions& options) {
  const log::Progress stage("measuring forward passes");
  model::configure_threads(options.threads);
  const c10::NoGradGuard no_grad;
  const auto forward = model.placement.forward();
  model::Parameters parameters = model::initialise(model.config, 1);
  for (auto& [name, tensor] : parameters) tensor = tensor.to(model.placement.device);
  const auto cast = model::cast_for(model.config, parameters, forward.compute);
  const auto batch = model::make_batch(examples_of_pass(model.config, mask_fraction, options),
                                       model.config.pattern.block, model.config.pad_id, model.placement.device);
  const auto pass = [&] {
    const auto rows = model::encode_pretraining(model.config, cast, batch, forward);
    // waits for a GPU
    return model::mlm_scores(model.config, cast, rows.masked, batch.masked_labels, forward).nats.sum().item<double>();
  };
  pass();  // the first one warms up
  return static_cast<double>(batch.size() * model.config.max_length) / train::seconds_of(pass);
}

}  // namespace

PlannedRun measure_run(const PretrainSetup& setup, const MlmModel& model, int64_t ranks, bool forward) {
  train::LoopOptions part = setup.train;
  part.batch = (part.batch + ranks - 1) / ranks;
  return {setup, measure_steps(model, setup.mask_fraction, part),
          forward ? measure_forward(model, setup.mask_fraction, part) : 0, model.placement.device.str(), ranks};
}

std::vector<std::string> plan_lines(const PlannedRun& run) {
  const auto& c = run.setup.config;
  const auto& t = run.setup.train;
  const auto& measured = run.measured;
  const double parameters = static_cast<double>(model_folder::parameter_count(c));
  const double tokens = static_cast<double>(t.steps * t.batch * c.max_length);
  const int64_t batch = (t.batch + run.ranks - 1) / run.ranks;
  // Rank 0 evaluates, each so many steps and after the last one. There a token costs as much as in a step.
  const int64_t evaluations = run.evaluation_tokens == 0 ? 0
                              : t.evaluate_every > 0     ? (t.steps - 1) / t.evaluate_every + 1
                                                         : 1;
  const double seconds = measured.seconds_per_step * static_cast<double>(t.steps) +
                         static_cast<double>(evaluations) * run.evaluation_tokens / measured.tokens_per_second;
  std::vector<std::string> lines;
  double corpus_bytes = 0;
  if (run.genome) {
    const auto& genome = *run.genome;
    corpus_bytes = 2.0 * run.pass * run.passes;
    lines.push_back(concat("genome: ", log::human(static_cast<double>(genome.bases)), "bp on ",
                           counted(genome.contigs.size(), "contig"), ", ", log::human(static_cast<double>(genome.n)),
                           "bp of it N; ", log::human(static_cast<double>(training_bases(genome))), "bp to train on, ",
                           log::human(static_cast<double>(genome.validation.total())), "bp held out"));
    lines.push_back(concat("corpus: ", run.passes, run.passes == 1 ? " pass" : " passes", ", about ",
                           log::human(run.pass * run.passes), "tokens, ", megabytes(corpus_bytes), " on disk"));
  } else {
    lines.push_back(concat("corpus: ", log::human(run.pass), "tokens in ", run.corpus));
  }
  lines.push_back(concat("model: ", model_folder::architecture(c).name, ", ", counted(c.layers, "layer"), ", ",
                         counted(c.heads, "head"), ", hidden ", c.hidden, ", ", c.max_length, " tokens, vocabulary ",
                         c.vocab_size, ", ", c.pattern.name, " attention in blocks of ", c.pattern.block,
                         model_folder::stack(c).plain ? "" : concat(", ", model_folder::to_string(c.stack), " stack"),
                         ": ", log::human(parameters), "parameters"));
  const int64_t keys = std::lround(model_folder::attention(c).pairs(c, c.max_length));
  lines.push_back(concat("attention: ", model_folder::to_string(c.attention), ", ", keys, " keys per query at ",
                         c.max_length, " tokens, or what costs as much"));
  lines.push_back(concat("training: ", counted(t.steps, "step"), " of ", t.batch, " x ", c.max_length,
                         " tokens = ", log::human(tokens), "tokens, about ", std::setprecision(3),
                         tokens / (run.pass * run.passes), " times the corpus"));
  lines.push_back(concat("speed: ", log::human(measured.tokens_per_second * run.ranks), "tokens/s measured on ",
                         run.device, " with ", counted(t.threads, "thread"),
                         run.ranks > 1 ? concat(", ", run.ranks, " ranks") : "", ": about ", log::duration(seconds),
                         " with ", counted(evaluations, "evaluation")));
  if (run.forward > 0)
    lines.push_back(concat("forward speed: ", log::human(run.forward * run.ranks), "tokens/s without gradients"));
  lines.push_back(concat("memory: ", megabytes(static_cast<double>(measured.peak_memory)), " now, in micro-batches of ",
                         std::min(t.micro_batch, batch)));
  // One is written before the oldest goes, and the last one after the last step.
  const int64_t saved = (t.steps + t.checkpoint_every - 1) / t.checkpoint_every,
                checkpoints = std::min(std::max<int64_t>(1, t.keep) + 1, saved);
  lines.push_back(concat("disk: ", megabytes(corpus_bytes + parameters * (12.0 * static_cast<double>(checkpoints) + 4)),
                         " for corpus, ", counted(checkpoints, "checkpoint"), " and the model"));
  return lines;
}

}  // namespace bigdna::mlm
