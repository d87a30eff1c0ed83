#include "train/gradients.h"

#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cctype>

namespace bigdna::train {

namespace {

/// "layer.9" before "layer.10".
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      size_t end_a = i, end_b = j;
      while (end_a < a.size() && digit(a[end_a])) ++end_a;
      while (end_b < b.size() && digit(b[end_b])) ++end_b;
      const auto x = std::stoull(a.substr(i, end_a - i)), y = std::stoull(b.substr(j, end_b - j));
      if (x != y) return x < y;
      i = end_a, j = end_b;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

struct Gradients::Bucket {
  at::Tensor buffer;
  std::vector<at::Tensor> views;  // a gradient each, in the shapes of the parameters
  size_t first = 0;               // of its parameters
  int owner = 0;
  size_t missing = 0;  // gradients that the last micro-batch has not given yet
  Ranks::Wait wait;
};

struct Gradients::Hook : torch::autograd::PostAccumulateGradHook {
  Gradients& gradients;
  size_t parameter;
  Hook(Gradients& g, size_t p) : gradients(g), parameter(p) {}
  void operator()(const at::Tensor&) override { gradients.arrived(parameter); }
};

Gradients::Gradients(const model::Parameters& parameters, Ranks& ranks, bool sharded, int64_t bucket_bytes)
    : ranks_(ranks), sharded_(sharded && ranks.several()) {
  if (!ranks.several()) {
    owned_ = parameters;
    return;
  }
  // Names from last to first are roughly the order in which the backward pass computes gradients: heads, layers from
  // the last one down, embeddings. Another order would only cost overlap. This one is the same on every rank and after
  // --resume.
  std::vector<std::string> names;
  int64_t all = 0;
  for (const auto& [name, tensor] : parameters) {
    names.push_back(name);
    all += 4 * tensor.numel();
  }
  // enough buckets to distribute them evenly
  if (sharded_) bucket_bytes = std::min(bucket_bytes, all / (4 * ranks.size()));
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return natural_less(b, a); });
  std::vector<std::string> bucket;
  int64_t numbers = 0;
  const auto close = [&] {
    if (bucket.empty()) return;
    Bucket made;
    made.first = tensors_.size();
    made.buffer = at::zeros({numbers}, parameters.at(bucket.front()).options().requires_grad(false));
    int64_t begin = 0;
    for (const auto& name : bucket) {
      const at::Tensor& tensor = parameters.at(name);
      made.views.push_back(made.buffer.narrow(0, begin, tensor.numel()).view(tensor.sizes()));
      begin += tensor.numel();
      torch::autograd::impl::set_post_acc_grad_hooks(tensor, std::make_unique<Hook>(*this, tensors_.size()));
      tensors_.push_back(tensor);
      bucket_of_.push_back(buckets_.size());
    }
    buckets_.push_back(std::move(made));
    bucket.clear();
    numbers = 0;
  };
  for (const auto& name : names) {
    bucket.push_back(name);
    numbers += parameters.at(name).numel();
    // The first bucket is small, so that sending begins early.
    if (numbers * 4 >= (buckets_.empty() ? std::min<int64_t>(1 << 20, bucket_bytes) : bucket_bytes)) close();
  }
  close();
  seen_.assign(tensors_.size(), 0);
  // Owners: largest bucket first, each to the rank that owns the least so far.
  std::vector<size_t> by_size(buckets_.size());
  for (size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return buckets_[a].buffer.numel() > buckets_[b].buffer.numel(); });
  std::vector<int64_t> load(static_cast<size_t>(ranks.size()));
  for (const size_t i : by_size) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += buckets_[i].buffer.numel();
    buckets_[i].owner = static_cast<int>(least - load.begin());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const int owner = sharded_ ? buckets_[bucket_of_[i]].owner : 0;
    owner_[names[i]] = owner;
    if (!sharded_ || owner == ranks.rank()) owned_.emplace(names[i], parameters.at(names[i]));
  }
}

Gradients::~Gradients() {
  for (const auto& tensor : tensors_) torch::autograd::impl::set_post_acc_grad_hooks(tensor, nullptr);
}

int Gradients::owner(const std::string& name) const {
  const auto at = owner_.find(name);
  return at == owner_.end() ? 0 : at->second;
}

void Gradients::begin() {
  leaving_ = false;
  launched_ = 0;
  std::fill(seen_.begin(), seen_.end(), 0);
  for (auto& bucket : buckets_) {
    bucket.buffer.zero_();
    bucket.missing = bucket.views.size();
    for (size_t i = 0; i < bucket.views.size(); ++i) tensors_[bucket.first + i].mutable_grad() = bucket.views[i];
  }
}

void Gradients::last() { leaving_ = true; }

void Gradients::complete(const std::vector<at::Tensor>& received) {
  last();
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (std::any_of(received.begin(), received.end(), [&](const auto& one) { return one.is_same(tensors_[i]); }))
      arrived(i);
}

void Gradients::arrived(size_t parameter) {
  seen_[parameter] = 1;
  if (!leaving_) return;
  --buckets_[bucket_of_[parameter]].missing;
  launch_full();
}

void Gradients::launch_full() {
  for (; launched_ < buckets_.size() && buckets_[launched_].missing == 0; ++launched_) {
    Bucket& bucket = buckets_[launched_];
    bucket.wait = sharded_ ? ranks_.sum_later_onto(bucket.buffer, bucket.owner) : ranks_.sum_later(bucket.buffer);
  }
}

void Gradients::finish() {
  for (auto& bucket : buckets_) bucket.missing = 0;  // a parameter without a gradient here counts as zero
  launch_full();
  for (auto& bucket : buckets_) bucket.wait();
  ranks_.sum(seen_);
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (seen_[i] == 0) tensors_[i].mutable_grad().reset();
}

void Gradients::share() {
  c10::NoGradGuard no_grad;
  for (auto& tensor : tensors_) tensor.mutable_grad().reset();
  if (!sharded_) return;
  for (auto& bucket : buckets_) {  // the gradients have been used: their buffers carry the parameters
    if (bucket.owner == ranks_.rank())
      for (size_t i = 0; i < bucket.views.size(); ++i) bucket.views[i].copy_(tensors_[bucket.first + i].detach());
    ranks_.broadcast(bucket.buffer, bucket.owner);
    if (bucket.owner != ranks_.rank())
      for (size_t i = 0; i < bucket.views.size(); ++i) tensors_[bucket.first + i].detach().copy_(bucket.views[i]);
  }
}

}  // namespace bigdna::train
