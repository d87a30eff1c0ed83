#include "train/loop.h"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "base/clock.h"
#include "base/log.h"
#include "io/json.h"
#include "base/rng.h"
#include "base/signals.h"
#include "train/loader.h"
#include "model/device.h"
#include "train/checkpoint.h"
#include "train/metrics_log.h"
#include "train/optimiser.h"
#include "train/progress.h"

namespace bigdna::train {

namespace {

std::string format(const char* pattern, double value) {
  char text[48];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

/// One run: its state, and the work around each step.
class Run {
 public:
  Run(const TrainingTask& task, model::Parameters parameters, const LoopOptions& options, const std::string& folder,
      const at::Device& device, Ranks& ranks)
      : task_(task),
        options_(options),
        device_(device),
        ranks_(ranks),
        state_(on_device(std::move(parameters), device, task.rate_factor)),
        gradients_(trained(state_.parameters), ranks, options.ranks.shard_optimiser),
        evaluates_(task.evaluate != nullptr) {
    check_batch(options, ranks);
    if (ranks_.first()) {
      checkpoints_.emplace(folder + "/checkpoints", options.keep);
      load(folder);
    }
    if (ranks_.several()) send_state();
    log_ = ranks_.first() ? std::make_unique<MetricsLog>(folder + "/metrics.jsonl", state_.step) : nullptr;
  }

  RunResult operator()() {
    const StopRequests requests;
    model::configure_threads(options_.threads);
    const int64_t first = state_.step;
    const auto [begin, end] = ranks_.part(options_.batch);
    const auto make = [this, begin = begin, end = end](int64_t step) {
      std::vector<corpus::Example> examples;
      for (int64_t i = begin; i < end; ++i) examples.push_back(task_.example(step * options_.batch + i));
      return examples;
    };
    Loader loader(make, first, std::max(1, options_.threads / 4));
    log::Progress progress(task_.label, static_cast<uint64_t>(std::max<int64_t>(0, options_.steps - first)), "steps");
    started_ = Clock::now();
    logged_ = started_;
    if (state_.step == 0 && task_.evaluates_start) evaluate();
    while (!finished_ && state_.step < options_.steps) {
      const bool last = state_.step + 1 == options_.steps, logs = (state_.step + 1) % options_.log_every == 0 || last;
      step({loader.next(), begin, {}}, logs);
      progress.update(static_cast<uint64_t>(state_.step - first), note());
      if (logs) write_log();
      if (last || (options_.evaluate_every > 0 && state_.step % options_.evaluate_every == 0)) evaluate();
      finished_ = last || (options_.patience > 0 && evaluations_.worse >= options_.patience);
      const int signal = ranks_.several() ? signal_ : StopRequests::signal();
      if (finished_ || signal || state_.step % options_.checkpoint_every == 0) save();
      if (signal)
        throw Stopped(signal, concat("stopped by ", name_of_signal(signal), " after step ", state_.step, " of ",
                                     options_.steps, "; a checkpoint is saved, --resume continues"));
    }
    return result();
  }

 private:
  static model::Parameters on_device(model::Parameters parameters, const at::Device& device, const RateFactor& factor) {
    for (auto& [name, tensor] : parameters)
      tensor =
          tensor.detach().to(device, at::kFloat, false, true).contiguous().requires_grad_(!factor || factor(name) > 0);
    return parameters;
  }

  static model::Parameters trained(model::Parameters parameters) {
    std::erase_if(parameters, [](const auto& entry) { return !entry.second.requires_grad(); });
    return parameters;
  }

  void load(const std::string& folder) {
    if (!checkpoints_->load_last(state_)) return;
    resumed_ = true;
    try {
      read_progress();
    } catch (const nlohmann::json::exception& error) {
      fail(folder, "/checkpoints: the progress in state.json is damaged: ", error.what());
    }
    if (!task_.best_metric.empty() && evaluations_.best_step >= 0 && !checkpoints_->has_best(evaluations_.best_step))
      fail(folder, "/checkpoints: the best parameters (step ", evaluations_.best_step, ") are missing");
    log::info(finished_ ? "already finished, at step " : "continuing after step ", state_.step);
  }

  void read_progress() {
    tokens_ = state_.progress.at("tokens");
    finished_ = state_.progress.at("finished");
    window_ = ProgressWindow::from_json(state_.progress.at("window"));
    evaluations_.read(state_.progress);
  }

  /// Copies rank 0's state to all ranks.
  void send_state() {
    const nlohmann::ordered_json mine = {{"resumed", resumed_},
                                         {"evaluates", evaluates_},
                                         {"step", state_.step},
                                         {"optimiser_step", state_.optimiser.step},
                                         {"progress", state_.progress}};
    // with patience: rank 0 may still be fitting a head, or counting, before it gets here
    const auto json = io::parse_json(ranks_.broadcast(mine.dump(), /*patience=*/true), "rank 0's state");
    state_.step = json.at("step");
    state_.optimiser.step = json.at("optimiser_step");
    state_.progress = json.at("progress");
    resumed_ = json.at("resumed");
    evaluates_ = json.at("evaluates");
    for (const auto& [name, tensor] : state_.parameters) ranks_.broadcast(tensor.detach());
    if (resumed_) {
      read_progress();
      for (const auto* moments : {&state_.optimiser.exp_avg, &state_.optimiser.exp_avg_sq})
        for (const auto& [name, tensor] : *moments) ranks_.broadcast(tensor);
    }
    keep_owned();
  }

  /// The optimiser's state of the parameters that this rank updates.
  void keep_owned() {
    for (auto* moments : {&state_.optimiser.exp_avg, &state_.optimiser.exp_avg_sq})
      std::erase_if(*moments, [&](const auto& entry) { return !gradients_.owned().count(entry.first); });
  }

  /// The optimiser's whole state on rank 0, in the host's memory; other ranks keep theirs.
  void gather_optimiser() {
    for (auto* moments : {&state_.optimiser.exp_avg, &state_.optimiser.exp_avg_sq})
      for (const auto& [name, parameter] : state_.parameters) {
        const int owner = gradients_.owner(name);
        if (owner == 0) continue;
        const auto mine = moments->find(name);
        const at::Tensor moment = mine != moments->end() ? mine->second : at::zeros_like(parameter.detach());
        ranks_.broadcast(moment, owner);
        if (ranks_.first()) moments->insert_or_assign(name, moment.cpu());
      }
  }

  void step(BatchPart part, bool measure) {
    part.totals = totals_of(part.examples);
    if (ranks_.several()) {
      std::vector<double> sums{static_cast<double>(part.totals.examples), static_cast<double>(part.totals.masked),
                               part.totals.weight};
      ranks_.sum(sums);
      part.totals = {static_cast<int64_t>(sums[0]), static_cast<int64_t>(sums[1]), sums[2]};
    }
    const auto seed = mix({options_.seed, static_cast<uint64_t>(state_.step)});
    StepValues values =
        forward_backward(task_, state_.parameters, part, options_.micro_batch, seed, device_, &gradients_);
    const double local = gradient_norm(gradients_.owned());
    double norm = local;
    if (ranks_.several()) norm = agree(values, local);
    if (!std::isfinite(values.loss) || !std::isfinite(norm))
      fail(std::isfinite(values.loss) ? "a gradient" : "the loss", " is not a number after step ", state_.step,
           "; try a lower --learning-rate");
    const int64_t warmup = options_.warmup_steps.value_or(default_warmup(options_.steps));
    rate_ = learning_rate(state_.step, options_.learning_rate, warmup, options_.steps);
    const AdamWOptions adamw{options_.weight_decay, options_.beta1, options_.beta2, options_.epsilon,
                             options_.clip_norm};
    std::vector<double> change{
        state_.optimiser.update(gradients_.owned(), rate_, adamw, norm, measure, task_.rate_factor)};
    gradients_.share();
    if (measure && options_.ranks.shard_optimiser) ranks_.sum(change);
    update_norm_ = std::sqrt(change[0]);
    ++state_.step;
    tokens_ += values.tokens;
    tokens_here_ += values.tokens;
    window_.add(values, norm);
  }

  /// Adds up the ranks' values, and shares the news of a signal to any rank. Returns the gradients' norm.
  double agree(StepValues& values, double local_norm) {
    std::vector<double> sums{values.loss, static_cast<double>(values.tokens), local_norm * local_norm};
    for (const StopSignal& signal : kStopSignals) sums.push_back(StopRequests::signal() == signal.number);
    for (const auto& [name, value] : values.metrics) sums.insert(sums.end(), {value.sum, value.weight});
    ranks_.sum(sums);
    values.loss = sums[0];
    values.tokens = static_cast<int64_t>(sums[1]);
    size_t at = 3;
    for (const StopSignal& signal : kStopSignals)
      if (sums[at++] > 0) signal_ = signal.number;
    for (auto& [name, value] : values.metrics) value.sum = sums[at], value.weight = sums[at + 1], at += 2;
    return options_.ranks.shard_optimiser ? std::sqrt(sums[2]) : local_norm;  // unsharded: every rank has the same sum
  }

  std::string note() const {
    std::string text = format("loss %.4f", window_.mean(window_.loss));
    for (const auto& name : task_.shown) {
      const auto at = window_.metrics.find(name);
      if (at != window_.metrics.end()) text += ", " + name + format(" %.4f", at->second.value());
    }
    return text + ", " + log::human(static_cast<double>(tokens_here_) / std::max(1e-9, seconds_since(started_))) +
           "tokens/s";
  }

  void write_log() {
    nlohmann::ordered_json line = {{"step", state_.step},
                                   {"tokens", tokens_},
                                   {"loss", window_.mean(window_.loss)},
                                   {"learning_rate", rate_},
                                   {"gradient_norm", window_.mean(window_.norm)},
                                   {"update_norm", update_norm_}};
    for (const auto& [name, value] : window_.metrics) line[name] = value.value();
    line["tokens_per_second"] = static_cast<double>(window_.tokens) / std::max(1e-9, seconds_since(logged_));
    if (log_) log_->write(line);
    window_ = {};
    logged_ = Clock::now();
  }

  void evaluate() {
    if (!evaluates_) return;
    const auto start = Clock::now();
    const log::Progress stage("evaluation");
    if (ranks_.first()) {
      c10::NoGradGuard no_grad;
      evaluations_.last = task_.evaluate(state_.parameters);
    }
    if (ranks_.several()) {  // the others wait for as long as the evaluation takes
      const std::string values = nlohmann::ordered_json(evaluations_.last).dump();
      evaluations_.last = values_from(io::parse_json(ranks_.broadcast(values, /*patience=*/true), "rank 0's values"));
    }
    evaluations_.last_step = state_.step;
    nlohmann::ordered_json line = {{"step", state_.step}, {"tokens", tokens_}};
    std::string text = concat("step ", state_.step, ":");
    for (const auto& [name, value] : evaluations_.last) {
      line[name] = value;
      text += " " + name + format(" %.4f", value);
    }
    if (log_) {
      log_->write(line);
      log::info(text);
    }
    const double value = task_.best_metric.empty() ? NAN : evaluations_.last.at(task_.best_metric);
    if (!std::isnan(value)) {  // a metric that the rows do not define is no reason to keep or to stop
      const bool first = evaluations_.best_step < 0;
      const double best = first ? value : evaluations_.best.at(task_.best_metric);
      if (first || (task_.lower_is_better ? value < best : value > best)) {
        if (checkpoints_) checkpoints_->save_best(state_.parameters, state_.step);
        evaluations_.best = evaluations_.last;
        evaluations_.best_step = state_.step;
        evaluations_.worse = 0;
      } else {
        ++evaluations_.worse;
      }
    }
    started_ += Clock::now() - start;  // so that rates exclude the evaluation
    logged_ += Clock::now() - start;
  }

  void save() {
    const auto start = Clock::now();
    auto& progress = state_.progress;
    progress["tokens"] = tokens_;
    progress["finished"] = finished_;
    progress["window"] = window_.to_json();
    evaluations_.write(progress);
    if (options_.ranks.shard_optimiser) gather_optimiser();
    if (checkpoints_) checkpoints_->save(state_);
    keep_owned();
    started_ += Clock::now() - start;
    logged_ += Clock::now() - start;
  }

  RunResult result() {
    RunResult result;
    result.steps = result.best_step = state_.step;
    result.metrics = evaluations_.last;
    if (!task_.best_metric.empty() && evaluations_.best_step >= 0) {
      if (checkpoints_) checkpoints_->load_best(state_.parameters, evaluations_.best_step);
      result.best_step = evaluations_.best_step;
      result.metrics = evaluations_.best;
    }
    for (auto& [name, tensor] : state_.parameters) result.parameters.emplace(name, tensor.detach());
    return result;
  }

  const TrainingTask& task_;
  const LoopOptions& options_;
  at::Device device_;
  Ranks& ranks_;
  State state_;
  Gradients gradients_;
  std::optional<Checkpoints> checkpoints_;  // rank 0's
  std::unique_ptr<MetricsLog> log_;         // rank 0's
  ProgressWindow window_;
  Evaluations evaluations_;
  bool evaluates_;  // whether rank 0 evaluates
  bool resumed_ = false, finished_ = false;
  int signal_ = 0;  // received by some rank
  int64_t tokens_ = 0, tokens_here_ = 0;
  double rate_ = 0, update_norm_ = 0;
  Clock::time_point started_, logged_;
};

}  // namespace

void check_batch(const LoopOptions& options, const Ranks& ranks) {
  if (options.batch < ranks.size())
    throw UsageError(concat("a batch of ", options.batch, " is too small for ", ranks.size(), " ranks"));
}

RunResult run(const TrainingTask& task, model::Parameters parameters, const LoopOptions& options,
              const std::string& folder, const at::Device& device, Ranks& ranks) {
  return Run(task, std::move(parameters), options, folder, device, ranks)();
}

RunResult run(const TrainingTask& task, model::Parameters parameters, const LoopOptions& options,
              const std::string& folder, const at::Device& device) {
  Ranks alone;
  return run(task, std::move(parameters), options, folder, device, alone);
}

}  // namespace bigdna::train
