#include "train/passes.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "base/rng.h"
#include "model/parallel.h"

namespace bigdna::train {

namespace {

/// Lets threads through one by one, in the order of their numbers.
class Turns {
 public:
  /// Runs `work` when it is the turn of `number`; not at all once a thread has given up.
  template <class Work>
  void take(int64_t number, Work work) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_up_ || next_ == number; });
    if (given_up_) return;
    work();
    ++next_;
    changed_.notify_all();
  }
  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t next_ = 0;
  bool given_up_ = false;
};

/// The passes of one part of a batch, and what they add up to.
class Passes {
 public:
  Passes(const TrainingTask& task, const model::Parameters& parameters, const BatchPart& part, uint64_t dropout_seed,
         const at::Device& device)
      : task_(task), parameters_(parameters), part_(part), dropout_seed_(dropout_seed), device_(device) {
    for (const auto& [name, tensor] : parameters)
      if (tensor.requires_grad()) trained_.push_back(tensor);
  }

  /// Micro-batches, one after another.
  StepValues in_turn(int64_t micro_batch, Gradients* gradients) {
    const auto count = static_cast<int64_t>(part_.examples.size());
    model::Batch batch = batch_of(0, std::min(count, micro_batch));
    for (int64_t begin = 0, end = 0; begin < count; begin = end) {
      end = std::min(count, begin + micro_batch);
      const StepResult result = forward(batch, begin);
      const int64_t tokens = batch.tokens();
      if (gradients && end == count) gradients->last();
      result.loss.backward();
      if (end < count) batch = batch_of(end, std::min(count, end + micro_batch));  // while the GPU works
      add(values_of(result, tokens));                                              // waits for it
    }
    return std::move(values_);
  }

  /// Passes of passes_of(), `threads` at the same time. Or one by one, each on all threads of LibTorch
  /// (`share_operations`).
  StepValues side_by_side(const std::vector<int64_t>& starts, int threads, bool share_operations,
                          Gradients* gradients) {
    added_.resize(trained_.size());
    // The guard also rules the threads of the parallel region: they inherit the number that it sets here.
    std::optional<model::OneThreadPerOperation> guard;
    if (!share_operations) guard.emplace();
    const auto body = [](void* self, int64_t i) { static_cast<Passes*>(self)->pass(i); };
    starts_ = starts;
    model::parallel(static_cast<int64_t>(starts.size()) - 1, threads, body, this);
    guard.reset();
    if (gradients) gradients->complete(received());
    return std::move(values_);
  }

 private:
  model::Batch batch_of(int64_t begin, int64_t end) const {
    return model::make_batch({part_.examples.begin() + begin, part_.examples.begin() + end}, task_.block, task_.pad_id,
                             device_);
  }

  StepResult forward(const model::Batch& batch, int64_t first) const {
    return task_.forward(parameters_, batch, part_.totals,
                         mix({dropout_seed_, static_cast<uint64_t>(part_.first + first)}));
  }

  static StepValues values_of(const StepResult& result, int64_t tokens) {
    StepValues values;
    values.loss = result.loss.item<double>();
    values.tokens = tokens;
    if (result.metrics) values.metrics = result.metrics();
    return values;
  }

  void add(const StepValues& values) {
    values_.loss += values.loss;
    values_.tokens += values.tokens;
    for (const auto& [name, value] : values.metrics) values_.metrics[name].add(value);
  }

  void pass(int64_t i) {
    try {
      const int64_t begin = starts_[static_cast<size_t>(i)], end = starts_[static_cast<size_t>(i) + 1];
      const model::Batch batch = batch_of(begin, end);
      const StepResult result = forward(batch, begin);
      auto gradients = torch::autograd::grad({result.loss}, trained_, {}, /*retain_graph=*/false,
                                             /*create_graph=*/false, /*allow_unused=*/true);
      const StepValues values = values_of(result, batch.tokens());
      turns_.take(i, [&] {
        add(values);
        for (size_t k = 0; k < gradients.size(); ++k) add(k, std::move(gradients[k]));
      });
    } catch (...) {
      turns_.give_up();
      throw;
    }
  }

  void add(size_t parameter, at::Tensor gradient) {
    if (!gradient.defined()) return;
    added_[parameter] = true;
    at::Tensor& sum = trained_[parameter].mutable_grad();
    if (sum.defined())
      sum.add_(gradient);
    else
      sum = std::move(gradient);
  }

  std::vector<at::Tensor> received() const {
    std::vector<at::Tensor> those;
    for (size_t k = 0; k < trained_.size(); ++k)
      if (added_[k]) those.push_back(trained_[k]);
    return those;
  }

  const TrainingTask& task_;
  const model::Parameters& parameters_;
  const BatchPart& part_;
  const uint64_t dropout_seed_;
  const at::Device device_;
  std::vector<at::Tensor> trained_;
  std::vector<int64_t> starts_;
  Turns turns_;              // guards what follows
  std::vector<bool> added_;  // whether a pass had a gradient of trained_
  StepValues values_;
};

}  // namespace

Totals totals_of(const std::vector<corpus::Example>& examples) {
  Totals totals;
  for (const auto& example : examples) {
    totals.masked += static_cast<int64_t>(example.masked.size());
    for (const float weight : example.weights) totals.weight += static_cast<double>(weight);
  }
  totals.examples = static_cast<int64_t>(examples.size());
  return totals;
}

std::vector<int64_t> passes_of(const std::vector<corpus::Example>& examples, int64_t tokens, int64_t most) {
  std::vector<int64_t> starts{0};
  int64_t met = 0;
  const auto count = static_cast<int64_t>(examples.size());
  for (int64_t i = 0; i < count; ++i) {
    met += static_cast<int64_t>(examples[static_cast<size_t>(i)].ids.size());
    if (met < tokens && i + 1 - starts.back() < most && i + 1 < count) continue;
    starts.push_back(i + 1);
    met = 0;
  }
  return starts;
}

StepValues forward_backward(const TrainingTask& task, const model::Parameters& parameters, const BatchPart& part,
                            int64_t micro_batch, uint64_t dropout_seed, const at::Device& device,
                            Gradients* gradients) {
  if (gradients) gradients->begin();
  Passes passes(task, parameters, part, dropout_seed, device);
  const auto count = static_cast<int64_t>(part.examples.size());
  const int64_t most = micro_batch > 0 ? std::min(micro_batch, count) : count;
  StepValues values;
  if (device.is_cpu()) {
    const auto starts = passes_of(part.examples, task.pass_tokens, most);
    auto at_once = static_cast<int64_t>(starts.size()) - 1;
    if (most < count) {
      int64_t largest = 1;
      for (size_t i = 1; i < starts.size(); ++i) largest = std::max(largest, starts[i] - starts[i - 1]);
      at_once = most / largest;
    }
    values = passes.side_by_side(starts, static_cast<int>(std::min<int64_t>(at::get_num_threads(), at_once)),
                                 /*share_operations=*/micro_batch == 1, gradients);
  } else {
    values = passes.in_turn(most, gradients);
  }
  if (gradients) gradients->finish();
  return values;
}

}  // namespace bigdna::train
