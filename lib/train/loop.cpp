#include "train/loop.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "base/log.h"
#include "base/rng.h"
#include "base/signals.h"
#include "corpus/loader.h"
#include "train/checkpoint.h"
#include "train/metrics_log.h"
#include "train/optimiser.h"

namespace bigdna::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string format(const char* pattern, double value) {
  char text[48];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

const char* signal_name(int signal) {
  return signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : signal == SIGUSR1 ? "SIGUSR1" : "a signal";
}

/// Values by name; JSON has no NaN and writes null.
std::map<std::string, double> values_from(const nlohmann::ordered_json& json) {
  std::map<std::string, double> values;
  for (const auto& [name, value] : json.items()) values[name] = value.is_null() ? std::nan("") : value.get<double>();
  return values;
}

/// Sums since the last line of the log. Part of the checkpoint, so that a resumed run logs the same values.
struct Window {
  int64_t steps = 0, tokens = 0;
  double norm = 0;
  StepValues sums;

  void add(const StepValues& values, double gradient_norm) {
    ++steps;
    tokens += values.tokens;
    norm += gradient_norm;
    sums.loss += values.loss;
    for (const auto& [name, value] : values.metrics) sums.metrics[name] += value;
  }
  double mean(double sum) const { return sum / static_cast<double>(std::max<int64_t>(1, steps)); }
  nlohmann::ordered_json to_json() const {
    return {{"steps", steps}, {"tokens", tokens}, {"norm", norm}, {"loss", sums.loss}, {"metrics", sums.metrics}};
  }
  static Window from_json(const nlohmann::ordered_json& json) {
    Window window;
    window.steps = json.at("steps");
    window.tokens = json.at("tokens");
    window.norm = json.at("norm");
    window.sums.loss = json.at("loss");
    window.sums.metrics = values_from(json.at("metrics"));
    return window;
  }
};

/// The evaluation so far, part of the checkpoint: what the last one said, and the best.
struct Evaluations {
  std::map<std::string, double> last, best;
  int64_t last_step = -1, best_step = -1, worse = 0;  // worse: evaluations since the best

  void write(nlohmann::ordered_json& json) const {
    json["last"] = last;
    json["last_step"] = last_step;
    json["best"] = best;
    json["best_step"] = best_step;
    json["worse"] = worse;
  }
  void read(const nlohmann::ordered_json& json) {
    last = values_from(json.at("last"));
    last_step = json.at("last_step");
    best = values_from(json.at("best"));
    best_step = json.at("best_step");
    worse = json.at("worse");
  }
};

/// One run: the state, and what is done around each step.
class Run {
 public:
  Run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder, const at::Device& device)
      : task_(task), options_(options), device_(device), state_(on_device(std::move(parameters), device)),
        checkpoints_(folder + "/checkpoints", options.keep) {
    if (checkpoints_.load_last(state_)) {
      const auto& progress = state_.progress;
      tokens_ = progress.at("tokens");
      finished_ = progress.at("finished");
      window_ = Window::from_json(progress.at("window"));
      evaluations_.read(progress);
      if (!task_.best_metric.empty() && evaluations_.best_step >= 0 && !checkpoints_.has_best(evaluations_.best_step))
        fail(folder, "/checkpoints: the best parameters (step ", evaluations_.best_step, ") are missing");
      log::info(finished_ ? "finished already, at step " : "continuing after step ", state_.step);
    }
    log_ = std::make_unique<MetricsLog>(folder + "/metrics.jsonl", state_.step);
  }

  RunResult operator()() {
    catch_stop_signals();
    at::set_num_threads(options_.threads);
    const int64_t first = state_.step;
    corpus::Loader loader(task_.batch, first, std::max(1, options_.threads / 4));
    log::Progress progress(task_.label, static_cast<uint64_t>(std::max<int64_t>(0, options_.steps - first)), "steps");
    started_ = Clock::now();
    logged_ = started_;
    while (!finished_ && state_.step < options_.steps) {
      step(loader.next());
      progress.update(static_cast<uint64_t>(state_.step - first), note());
      const bool last = state_.step == options_.steps;
      if (state_.step % options_.log_every == 0 || last) write_log();
      if (last || (options_.evaluate_every > 0 && state_.step % options_.evaluate_every == 0)) evaluate();
      finished_ = last || (options_.patience > 0 && evaluations_.worse >= options_.patience);
      const int signal = stop_signal();
      if (finished_ || signal || state_.step % options_.checkpoint_every == 0) save();
      if (signal && !finished_)
        throw Stopped(signal, concat("stopped by ", signal_name(signal), " after step ", state_.step, " of ", options_.steps,
                                     "; a checkpoint is saved, --resume continues"));
    }
    return result();
  }

 private:
  static model::Parameters on_device(model::Parameters parameters, const at::Device& device) {
    for (auto& [name, tensor] : parameters) tensor = tensor.detach().to(device, at::kFloat, false, true).contiguous().requires_grad_(true);
    return parameters;
  }

  void step(const std::vector<corpus::Example>& examples) {
    const auto seed = mix({options_.seed, static_cast<uint64_t>(state_.step)});
    const StepValues values = forward_backward(task_, state_.parameters, examples, options_.micro_batch, seed, device_);
    if (!std::isfinite(values.loss))
      fail("the loss is not a number after step ", state_.step, "; try a lower --learning-rate or a longer --warmup");
    const int64_t warmup = options_.warmup_steps >= 0 ? options_.warmup_steps : default_warmup(options_.steps);
    rate_ = learning_rate(state_.step, options_.learning_rate, warmup, options_.steps);
    const AdamWOptions adamw{options_.weight_decay, options_.beta1, options_.beta2, options_.epsilon, options_.clip_norm};
    const double norm = state_.optimiser.update(state_.parameters, rate_, adamw);
    ++state_.step;
    tokens_ += values.tokens;
    tokens_here_ += values.tokens;
    window_.add(values, norm);
  }

  std::string note() const {
    std::string text = format("loss %.4f", window_.mean(window_.sums.loss));
    for (const auto& name : task_.shown) {
      const auto at = window_.sums.metrics.find(name);
      if (at != window_.sums.metrics.end()) text += ", " + name + format(" %.4f", window_.mean(at->second));
    }
    return text + ", " + log::human(static_cast<double>(tokens_here_) / std::max(1e-9, seconds_since(started_))) + "tokens/s";
  }

  void write_log() {
    nlohmann::ordered_json line = {{"step", state_.step},
                                   {"tokens", tokens_},
                                   {"loss", window_.mean(window_.sums.loss)},
                                   {"learning_rate", rate_},
                                   {"gradient_norm", window_.mean(window_.norm)}};
    for (const auto& [name, sum] : window_.sums.metrics) line[name] = window_.mean(sum);
    line["tokens_per_second"] = static_cast<double>(window_.tokens) / std::max(1e-9, seconds_since(logged_));
    log_->write(line);
    window_ = {};
    logged_ = Clock::now();
  }

  void evaluate() {
    if (!task_.evaluate) return;
    const auto start = Clock::now();
    {
      c10::NoGradGuard no_grad;
      evaluations_.last = task_.evaluate(state_.parameters);
    }
    evaluations_.last_step = state_.step;
    nlohmann::ordered_json line = {{"step", state_.step}, {"tokens", tokens_}};
    std::string text = concat("step ", state_.step, ":");
    for (const auto& [name, value] : evaluations_.last) {
      line[name] = value;
      text += " " + name + format(" %.4f", value);
    }
    log_->write(line);
    log::info(text);
    if (!task_.best_metric.empty()) {
      const double value = evaluations_.last.at(task_.best_metric);
      const bool first = evaluations_.best_step < 0;
      const double best = first ? value : evaluations_.best.at(task_.best_metric);
      if (first || (task_.lower_is_better ? value < best : value > best)) {
        checkpoints_.save_best(state_.parameters, state_.step);
        evaluations_.best = evaluations_.last;
        evaluations_.best_step = state_.step;
        evaluations_.worse = 0;
      } else {
        ++evaluations_.worse;
      }
    }
    started_ += Clock::now() - start;  // rates are of training alone
    logged_ += Clock::now() - start;
  }

  void save() {
    const auto start = Clock::now();
    auto& progress = state_.progress;
    progress["tokens"] = tokens_;
    progress["finished"] = finished_;
    progress["window"] = window_.to_json();
    evaluations_.write(progress);
    checkpoints_.save(state_);
    started_ += Clock::now() - start;
    logged_ += Clock::now() - start;
  }

  RunResult result() {
    RunResult result;
    result.steps = result.best_step = state_.step;
    result.metrics = evaluations_.last;
    if (!task_.best_metric.empty() && evaluations_.best_step >= 0) {
      checkpoints_.load_best(state_.parameters, evaluations_.best_step);
      result.best_step = evaluations_.best_step;
      result.metrics = evaluations_.best;
    }
    for (auto& [name, tensor] : state_.parameters) result.parameters.emplace(name, tensor.detach());
    return result;
  }

  const Task& task_;
  const TrainOptions& options_;
  at::Device device_;
  State state_;
  Checkpoints checkpoints_;
  std::unique_ptr<MetricsLog> log_;
  Window window_;
  Evaluations evaluations_;
  bool finished_ = false;
  int64_t tokens_ = 0, tokens_here_ = 0;
  double rate_ = 0;
  Clock::time_point started_, logged_;
};

}  // namespace

StepValues forward_backward(const Task& task, const model::Parameters& parameters, const std::vector<corpus::Example>& examples,
                            int64_t micro_batch, uint64_t dropout_seed, const at::Device& device) {
  StepValues values;
  const auto count = static_cast<int64_t>(examples.size());
  const int64_t size = micro_batch > 0 ? micro_batch : count;
  for (int64_t begin = 0; begin < count; begin += size) {
    const int64_t end = std::min(count, begin + size);
    const double share = static_cast<double>(end - begin) / static_cast<double>(count);
    const model::Batch batch = model::make_batch({examples.begin() + begin, examples.begin() + end}, task.block, task.pad_id, device);
    StepResult result = task.forward(parameters, batch, mix({dropout_seed, static_cast<uint64_t>(begin)}));
    (end - begin == count ? result.loss : result.loss.mul(share)).backward();
    values.loss += share * result.loss.item<double>();
    for (const auto& [name, value] : result.metrics) values.metrics[name] += share * value;
    values.tokens += batch.tokens();
  }
  return values;
}

RunResult run(const Task& task, model::Parameters parameters, const TrainOptions& options, const std::string& folder,
              const at::Device& device) {
  return Run(task, std::move(parameters), options, folder, device)();
}

}  // namespace bigdna::train
