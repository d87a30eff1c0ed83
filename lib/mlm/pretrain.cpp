#include "mlm/pretrain.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>

#include "base/counted.h"
#include "base/log.h"
#include "corpus/build.h"
#include "genome/contigs.h"
#include "io/job.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/paths.h"
#include "mlm/counts_init.h"
#include "mlm/gap_evaluation.h"
#include "model/device.h"
#include "model/parameters.h"
#include "tokenizer/encoder.h"
#include "train/checkpoint.h"
#include "train/learning_curve.h"
#include "train/rank_setup.h"

namespace bigdna::mlm {

namespace fs = std::filesystem;

namespace {

constexpr int kPaperPasses = 10;  // F.1
// Hoffmann et al. 2022; with 6, a larger model was still worse than a smaller one after the same time
// (docs/benchmarks.md)
constexpr double kTokensPerParameter = 20;

/// One pretraining run, stage by stage.
class Pretraining {
 public:
  explicit Pretraining(PretrainOptions options) : options_(std::move(options)) {}

  void operator()() {
    launch_ = train::launch_from_environment();
    train::configure_log(launch_, "pretrain");
    placement_ =
        session::Placement(model::select_device(train::device_for(options_.run.device, launch_)), options_.run);
    if (options_.plan) {
      if (launch_.rank == 0) prepare();
      return;
    }
    if (options_.existing == io::Existing::resume && finished()) return;
    ranks_.emplace(launch_, placement_.device, options_.train.ranks.timeout);
    if (ranks_->first()) prepare();
    const auto steps = ranks_->broadcast(std::to_string(options_.steps.value_or(0)), /*patience=*/true);
    const auto preset = ranks_->broadcast(options_.preset);
    const auto micro_batch = ranks_->broadcast(std::to_string(options_.train.micro_batch));
    if (!ranks_->first()) follow(preset, std::stoll(steps), std::stoll(micro_batch));
    train();
  }

 private:
  /// Everything before training, which rank 0 does.
  void prepare() {
    open();
    if (options_.hours && !options_.steps) fit_hours();
    survey();
    if (const auto warmup = setup_.train.warmup_steps; warmup && *warmup > setup_.train.steps)
      log::warn("--warmup ", *warmup, ": the run has only ", counted(setup_.train.steps, "step"),
                ", so the learning rate never reaches its peak");
    if (options_.fit_batch && options_.train.micro_batch == 0) fit();
    if (!options_.plan) make_folder();
    if (!notice_.empty()) log::info(notice_);
    if (options_.plan || log::level() >= log::Level::normal) plan();
    if (options_.plan) return;
    make_vocabulary();
    make_corpus();
  }

  /// The other ranks read what rank 0 has made.
  void follow(const std::string& preset, int64_t steps, int64_t micro_batch) {
    options_.preset = preset;
    if (steps > 0) options_.steps = steps;
    options_.train.micro_batch = micro_batch;
    options_.existing = io::Existing::resume;
    open();
    const bool made = !io::is_folder(options_.input);
    corpus_folder_ = made ? in_run("corpus") : options_.input;
    const std::string own = !options_.init_from.empty() ? options_.init_from : options_.vocab;
    const std::string path = !own.empty() ? own
                             : made       ? in_run("vocabulary")
                                    : corpus::Corpus(corpus_folder_, corpus::Corpus::Split::training).vocabulary_path();
    vocabulary_ = std::make_shared<tokenizer::Vocabulary>(tokenizer::Vocabulary::load(path));
    setup_.config.vocab_size = std::max(options_.init_from.empty() ? 0 : setup_.config.vocab_size, vocabulary_->size());
    setup_.config.pad_id = vocabulary_->special().pad;
  }

  std::string in_run(const std::string& name) const { return options_.output + "/" + name; }
  /// Whether an earlier process has done everything. A model that has been damaged since is made again, if there is a
  /// checkpoint.
  bool finished() const {
    if (train::Checkpoints::any(in_run("checkpoints")) && fs::exists(in_run(io::manifest_name("run")))) {
      try {
        io::verify_folder(in_run("model"), /*checksums=*/false);
      } catch (const Error& error) {
        log::warn(error.what(), "; the model is made again from the last checkpoint");
        return false;
      }
    }
    return io::is_complete(options_.output, "run");
  }
  bool done(const std::string& stage, const char* kind) const {
    return fs::exists(in_run(stage + "/" + io::manifest_name(kind)));
  }

  /// Checks paths and what an earlier run left, and chooses device and setup.
  void open() {
    for (std::string* path :
         {&options_.input, &options_.vocab, &options_.init_from, &options_.exclude, &options_.hold_out})
      if (io::exists(*path)) *path = fs::absolute(*path).lexically_normal();
    for (std::string* path : {&options_.vocab, &options_.init_from})
      if (!path->empty()) *path = model_folder::model_in(*path);
    // before the genome is read
    if (options_.existing == io::Existing::resume && ranks_ && ranks_->first()) io::is_of_this_job(options_.output);
    if (options_.input.empty())
      throw UsageError("name a genome or a corpus folder (only --resume of a run that has begun needs none)");
    for (const auto& path : {options_.input, options_.exclude, options_.hold_out})
      if (io::reads_once(path))
        throw UsageError(concat(path, ": is read several times, so it must be a file, not stdin or a pipe"));
    if (!io::exists(options_.input)) fail(options_.input, ": ", errno_text(ENOENT));
    setup_ = resolve(options_, placement_.device, placement_.compute);
    if (options_.plan) return;
    train::check_batch(setup_.train, *ranks_);
    // Errors of the folder are reported before the genome is read; the folder is created only afterwards.
    if (options_.existing == io::Existing::refuse && fs::exists(options_.output))
      io::prepare_output_folder({options_.output, "run"});
  }

  void make_folder() {
    io::prepare_output_folder(
        {options_.output,
         "run",
         options_.existing,
         {options_.input, options_.vocab, options_.init_from, options_.exclude, options_.hold_out}});
    log::info("seed ", options_.train.seed, ", ", counted(options_.train.threads, "thread"));
  }

  void survey() {
    if (io::is_folder(options_.input)) {
      corpus_folder_ = options_.input;
      const corpus::Corpus corpus(corpus_folder_, corpus::Corpus::Split::training);
      if (options_.vocab.empty() && options_.init_from.empty()) options_.vocab = corpus.vocabulary_path();
    } else {
      corpus_folder_ = in_run("corpus");
      const bool read_again = !options_.plan && !done("corpus", "corpus");
      genome_ = corpus::survey(corpus_options(options_, 1), /*keep=*/read_again);
      bases_ = training_bases(genome_);
      if (bases_ == 0) fail(options_.input, ": there is nothing to train on (all of it is held out, excluded or N)");
      if (const int64_t least = 2 * options_.sampler.sentence_min; bases_ < least)
        fail(options_.input, ": has only ", bases_, " bp to train on; an example needs two sentences, ", least, " bp");
      if (genome_.validation.empty()) log::warn("nothing is held out: there will be no evaluation");
      corpus::warn_of_vocabulary(options_.vocab, genome_);
    }
    if (!options_.vocab.empty() || !options_.init_from.empty()) {
      vocabulary_ = std::make_shared<tokenizer::Vocabulary>(
          tokenizer::Vocabulary::load(options_.init_from.empty() ? options_.vocab : options_.init_from));
      setup_.config.vocab_size =
          std::max(options_.init_from.empty() ? 0 : setup_.config.vocab_size, vocabulary_->size());
      if (io::is_folder(options_.input))
        corpus::Corpus(corpus_folder_, corpus::Corpus::Split::training, vocabulary_->hash());
    } else {
      const int64_t size = vocabulary_for(setup_.config.vocab_size, bases_);
      if (size < setup_.config.vocab_size)
        notice_ = concat("the genome is small: a vocabulary of ", size, " pieces instead of ", setup_.config.vocab_size,
                         " (at least 100 tokens per piece)");
      setup_.config.vocab_size = size;
    }
    setup_.config.pad_id = vocabulary_ ? vocabulary_->special().pad : setup_.config.pad_id;
    const double pass = static_cast<double>(bases_) / bases_per_token(setup_.config.vocab_size);
    const double wanted = static_cast<double>(setup_.train.steps * setup_.train.batch * setup_.config.max_length);
    passes_ = options_.passes.value_or(
        pass > 0 ? static_cast<int>(std::clamp(std::ceil(wanted / pass), 1.0, double{kPaperPasses})) : 1);
  }

  MlmModel mlm_model() const {
    MlmModel model;
    model.config = setup_.config;
    model.vocabulary = vocabulary_;
    model.placement = placement_;
    model.recompute = options_.recompute;
    return model;
  }

  /// --hours: chooses the number of steps that take this long here and, if no preset is named, the largest preset that
  /// then sees enough tokens. Done once and kept in options.json, so that a resumed run does the same.
  void fit_hours() {
    const auto steps_of = [&](const std::string& preset) {
      PretrainOptions options = options_;
      options.preset = preset;
      setup_ = resolve(options, placement_.device, placement_.compute);
      MlmModel model = mlm_model();
      model.vocabulary = placeholder_vocabulary(setup_.config.vocab_size);
      train::LoopOptions part = setup_.train;
      part.batch = (part.batch + launch_.size - 1) / launch_.size;
      const train::Measurement measured = measure_steps(model, setup_.mask_fraction, part);
      return std::max<int64_t>(1, std::llround(*options_.hours * 3600 / measured.seconds_per_step));
    };
    if (options_.preset == "auto") {
      const auto presets = model_folder::presets();  // ascending by size
      options_.preset = presets.front().name;
      for (const auto& larger : presets.subspan(1)) {
        const double tokens =
            static_cast<double>(steps_of(std::string(larger.name)) * setup_.train.batch * setup_.config.max_length);
        if (tokens < kTokensPerParameter * static_cast<double>(model_folder::parameter_count(setup_.config))) break;
        options_.preset = larger.name;
      }
    }
    options_.steps = steps_of(options_.preset);
    setup_ = resolve(options_, placement_.device, placement_.compute);
    io::job().set("--preset", options_.preset);
    io::job().set("--steps", *options_.steps);
    log::info("--hours ", *options_.hours, ": preset ", options_.preset, ", ", counted(*options_.steps, "step"));
  }

  /// Chooses the micro-batch by the device's memory, once; options.json keeps it, so that a resumed run has the same.
  void fit() {
    MlmModel model = mlm_model();
    if (!model.vocabulary) model.vocabulary = placeholder_vocabulary(setup_.config.vocab_size);
    const int64_t most = (setup_.train.batch + launch_.size - 1) / launch_.size;
    options_.train.micro_batch = setup_.train.micro_batch =
        fit_micro_batch(model, setup_.mask_fraction, most, placement_.device.is_cpu() ? launch_.size : 1);
    io::job().set("--micro-batch", options_.train.micro_batch);
  }

  /// Measures a few steps and logs size, time, memory and disk space of the run.
  void plan() {
    if (!options_.plan && fs::exists(in_run("checkpoints"))) return;  // it has been logged before
    MlmModel model = mlm_model();
    if (!model.vocabulary) model.vocabulary = placeholder_vocabulary(setup_.config.vocab_size);
    PlannedRun run = measure_run(setup_, model, launch_.size, /*forward=*/options_.plan);
    if (bases_ > 0) {
      run.genome = &genome_;
      run.passes = passes_;
      run.pass = static_cast<double>(bases_) / bases_per_token(setup_.config.vocab_size);
      run.evaluation_tokens =
          static_cast<double>(genome_.validation.total()) / bases_per_token(setup_.config.vocab_size);
    } else {
      run.corpus = corpus_folder_;
      run.pass = static_cast<double>(corpus::Corpus(corpus_folder_, corpus::Corpus::Split::training).tokens());
      run.evaluation_tokens =
          static_cast<double>(corpus::Corpus(corpus_folder_, corpus::Corpus::Split::validation).tokens());
    }
    run.evaluation_tokens = std::min(run.evaluation_tokens, static_cast<double>(options_.evaluation_tokens));
    const auto lines = plan_lines(run);
    if (!options_.plan) {
      for (const auto& line : lines) log::info(line);
      return;
    }
    io::Output out("-");
    for (const auto& line : lines) out.write(line + "\n");
    out.commit();
  }

  void make_vocabulary() {
    if (vocabulary_) return;
    const std::string folder = in_run("vocabulary");
    if (done("vocabulary", "vocabulary")) {
      vocabulary_ = std::make_shared<tokenizer::Vocabulary>(tokenizer::Vocabulary::load(folder));
    } else {
      log::info("training a vocabulary of ", setup_.config.vocab_size, " pieces");
      vocabulary_ = std::make_shared<tokenizer::Vocabulary>(
          build_vocabulary(options_, genome_, setup_.config.vocab_size, folder));
    }
    setup_.config.vocab_size = vocabulary_->size();
    setup_.config.pad_id = vocabulary_->special().pad;
    log::info("vocabulary: ", vocabulary_->size(), " pieces of ", std::setprecision(3),
              vocabulary_->mean_piece_length(), " bp on average");
  }

  void make_corpus() {
    if (bases_ == 0 || done("corpus", "corpus")) return;
    log::info("building the corpus: ", passes_, passes_ == 1 ? " pass" : " passes");
    corpus::build_corpus(corpus_options(options_, passes_), genome_, tokenizer::Encoder(*vocabulary_));
    genome_.kept = {};  // frees its memory before the model trains
  }

  corpus::ExampleOptions example_options() const {
    corpus::ExampleOptions examples;
    examples.max_length = setup_.config.max_length;
    examples.mask_fraction = setup_.mask_fraction;
    examples.hiding = setup_.hiding;
    examples.objective = options_.objective;
    examples.gaps = options_.gaps;
    // a flank's token that reads the tokens behind it would predict what it reads
    if (options_.bidirectional_flanks) examples.gap_part = corpus::GapPart::middle;
    examples.seed = options_.train.seed;
    return examples;
  }

  /// The fixed set that evaluations score.
  HeldOut held_out_examples(const std::shared_ptr<const corpus::Corpus>& validation, const NgramModel& ngrams) const {
    const log::Progress stage("held-out examples");
    auto whole = example_options();
    whole.short_sequence_probability = whole.gaps = 0;
    // independent of the training's, so that runs can be compared
    whole.mask_fraction = corpus::ExampleOptions().mask_fraction;
    const auto examples = [&](corpus::Hiding hiding) {
      whole.hiding = hiding;
      return first_examples(corpus::ExampleSource(validation, *vocabulary_, whole), options_.evaluation_tokens,
                            options_.train.threads);
    };
    const bool causal = setup_.config.is_causal();
    HeldOut held_out{examples(corpus::Hiding::all), {}, {}, {}, {}};
    held_out.gaps = held_out_gaps(validation, *vocabulary_, example_options(), options_.evaluation_tokens);
    const uint64_t seed = options_.train.seed;
    held_out.shuffled =
        causal ? shuffled_past(held_out.hidden, *vocabulary_, seed) : shuffled(held_out.hidden, *vocabulary_, seed);
    if (!causal) held_out.bert = examples(corpus::Hiding::bert);
    held_out.baselines = score_baselines(ngrams, *vocabulary_, held_out.hidden, causal);
    log::info("held out: ", counted(held_out.hidden.size(), "example"), "; ", held_out.baselines.text(causal));
    return held_out;
  }

  void train() {
    const std::string hash = vocabulary_->hash();
    const auto training = std::make_shared<const corpus::Corpus>(corpus_folder_, corpus::Corpus::Split::training, hash);
    const auto validation =
        std::make_shared<const corpus::Corpus>(corpus_folder_, corpus::Corpus::Split::validation, hash);
    const auto source = std::make_shared<const corpus::ExampleSource>(training, *vocabulary_, example_options());
    genome::IntervalSet seen;  // by the model of --init-from
    if (!options_.init_from.empty()) seen = model_folder::ModelFolder::open(options_.init_from).training_intervals();
    if (ranks_->first())
      genome::warn_of_other_genome(seen, options_.init_from, genome::recorded_contigs(training->manifest().details),
                                   corpus_folder_);
    const auto chosen = training->held_out_intervals();
    if (const auto met = chosen.total() - genome::without(chosen, seen).total(); met > 0 && ranks_->first())
      log::warn(met, " held-out bp are in the training data of ", options_.init_from,
                ", so held-out losses are too low, and the model records these bases as training data");
    HeldOut held_out;
    std::optional<CountedNgrams> counts;
    if (ranks_->first() && training->documents() > 0)
      counts = train_ngrams(*training, vocabulary_->size(), options_.train.seed, {}, NgramTrainer::kMaxTokens,
                            setup_.config.is_causal() ? Sides::left : Sides::both);
    const auto counted_on = counts ? counts->json() : nlohmann::ordered_json();
    // rank 0 evaluates
    if (counts && validation->documents() > 0) held_out = held_out_examples(validation, counts->model);
    const MlmModel model = mlm_model();
    const train::TrainingTask task = mlm_task(model, source, std::move(held_out));
    model::Parameters start =
        !options_.init_from.empty() ? model::load_encoder(model.config, options_.init_from + "/model.safetensors",
                                                          options_.train.seed, model_folder::Heads::present)
        : options_.init == Init::counts && counts
            ? initialise_from_counts(model.config, counts->model, options_.train.seed, options_.train.threads)
            // other ranks get the first one's
            : model::initialise(model.config, options_.train.seed);
    counts.reset();
    const train::RunResult result =
        train::run(task, std::move(start), setup_.train, options_.output, placement_.device, *ranks_);
    if (!ranks_->first()) return;
    warn_without_context(result.metrics);
    train::draw_learning_curve(options_.output, "bpc");
    write_pretrained(options_, setup_, *vocabulary_, *training, result, counted_on, std::move(seen));
  }

  PretrainOptions options_;
  train::RankLaunch launch_;
  std::optional<train::Ranks> ranks_;
  PretrainSetup setup_;
  corpus::Survey genome_;
  int64_t bases_ = 0;  // to train on
  std::string corpus_folder_, notice_;
  std::shared_ptr<const tokenizer::Vocabulary> vocabulary_;
  int passes_ = 1;
  session::Placement placement_;
};

}  // namespace

corpus::BuildOptions corpus_options(const PretrainOptions& options, int passes) {
  corpus::BuildOptions build;
  build.fastas = {options.input};
  build.output = options.output + "/corpus";
  build.sampler = options.sampler;
  build.sampler.passes = passes;
  build.sampler.seed = options.train.seed;
  build.contigs = options.contigs;
  build.exclude = options.exclude;
  build.hold_out = options.hold_out;
  build.invalid_bases = options.invalid_bases;
  build.threads = options.train.threads;
  build.existing = io::Existing::resume;
  return build;
}

void pretrain(PretrainOptions options) { Pretraining(std::move(options))(); }

}  // namespace bigdna::mlm
