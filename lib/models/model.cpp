#include "models/model.h"

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "dataset/task.h"
#include "genome/alphabet.h"
#include "model/network.h"
#include "model_folder/encoder_part.h"
#include "models/network_term.h"

namespace bigdna::models {

namespace {
/// The only output of a task whose outputs have no names.
dataset::Feature output_of(const dataset::Task& task) {
  return {std::string(task.name), "-", "-", std::string(task.name), '.'};
}
}  // namespace

std::vector<dataset::Feature> features_of(const model_folder::ModelFolder& folder) {
  if (const dataset::Task* task = dataset::find_task(folder.config.head); task && !task->named_outputs)
    return {output_of(*task)};
  auto features = dataset::read_features(folder.path + "/features.tsv");
  if (static_cast<int64_t>(features.size()) != folder.config.labels)
    fail(folder.path, "/features.tsv: ", counted(features.size(), "feature"), ", but the model has ",
         folder.config.labels);
  return features;
}

Network load_network(const model_folder::ModelFolder& folder, const session::Placement& placement) {
  return {*folder.network, model::load_network_weights(*folder.network, folder.weights_path()), placement, folder.path};
}

Model::Model(const std::string& path, const std::string& head)
    : folder_(head.empty() ? model_folder::ModelFolder::open_any(path) : open_model_with_head(path, head)) {
  if (!folder_.network) folder_.check_reads_sequences();
  const dataset::Task* task = dataset::find_task(head.empty() ? folder_.config.head : head);
  if (!task) {
    details_.max_length = folder_.config.max_length;
    return;
  }
  details_ = TaskDetails::of(folder_);
  kmers_ = KmerModel::of(folder_);
  if ((encoder_head_ = EncoderHead::of(folder_))) {
    encoder_folder_ = FrozenEncoder::open_beside(folder_);
    if (encoder_head_->columns() != FrozenEncoder::columns(*encoder_folder_))
      fail(folder_.path, "/", model_folder::kEncoderHeadFile, ": reads ", encoder_head_->columns(),
           " numbers, but the encoder has ", FrozenEncoder::columns(*encoder_folder_));
  }
  if (kmers_)
    kmers_->check_kernel(folder_.path + "/" + model_folder::kKmersFile,
                         encoder_folder_ ? FrozenEncoder::columns(*encoder_folder_) : 0);
  find_base_weight();
  features_ = features_of(folder_);
  if (folder_.labels_bins()) details_.link.of_outputs = links_of(features_);
  other_strand_ = dataset::features_of_other_strand(features_);
  if (folder_.labels_bins() && !task->bin_group.empty()) find_sites(*task);
}

/// The outputs of the task's bin_group on + and on - are what the model predicts.
void Model::find_sites(const dataset::Task& task) {
  sites_.emplace();
  for (const char strand : {'+', '-'}) {
    const auto found = std::ranges::find_if(features_, [&](const dataset::Feature& feature) {
      return feature.group == task.bin_group && feature.strand == strand;
    });
    if (found == features_.end())
      fail(folder_.path, ": does not label start sites (bigdna dataset chromatin --start-sites, then bigdna train)");
    (*sites_)[strand == '-'] = static_cast<size_t>(found - features_.begin());
  }
  details_.context = details_.upstream;
  details_.upstream = folder_.network->bin() / 2;
  details_.downstream = folder_.network->bin() - details_.upstream;
  features_ = {output_of(task)};
}

void Model::load(const session::Placement& placement, bool with_baselines) {
  if (with_baselines) kmer_baseline_ = KmerModel::of(folder_, model_folder::kKmerBaselineFile);
  if (encoder_folder_) frozen_ = std::make_unique<FrozenEncoder>(*encoder_folder_, details_.anchor, placement);
  if (folder_.network) {
    network_ = std::make_shared<const Network>(load_network(folder_, placement));
    sum_ = std::make_unique<Sum>(sum_with(network_));
    return;
  }
  reader_ = std::make_unique<session::SequenceReader>(folder_.vocabulary, details_.max_length, details_.anchor);
  session_ = std::make_unique<session::Session>(folder_, placement);
  if (reads_gaps()) gaps_ = std::make_unique<session::GapModel>(*session_, reader_->encoder(), folder_.path);
  encoder_ = std::make_unique<EncoderTerm>(*reader_, *session_);
  sum_ = std::make_unique<Sum>(encoder_sum(*reader_, *session_));
}

std::vector<double> Model::gap_ratios(std::span<const Change> changes) const {
  std::vector<double> ratios;
  for (const auto& change : changes) {
    const std::string_view before = change.before, after = change.after;
    const auto at = static_cast<size_t>(change.at), length = static_cast<size_t>(change.before_length);
    const std::vector<std::string> middles{std::string(before.substr(at, length)),
                                           std::string(after.substr(at, static_cast<size_t>(change.after_length)))};
    const auto scores = gaps_->scores(before.substr(0, at), before.substr(at + length), middles);
    ratios.push_back(scores[1].with_end - scores[0].with_end);
  }
  return ratios;
}

Sum Model::sum_with(std::shared_ptr<const Network> network) const {
  Sum sum(folder_.config.labels);
  if (kmers_) sum.add(std::make_unique<KmerTerm>(kmer_term()));
  if (network->config().networks > 0) sum.add(std::make_unique<NetworkTerm>(std::move(network)), base_weight());
  if (frozen_) sum.add(std::make_unique<FrozenEncoderTerm>(*frozen_, *encoder_head_));
  if (frozen_ && kmers_ && kmers_->kernel) sum.add(std::make_unique<KernelTerm>(*kmers_, details_.anchor));
  return sum;
}

int64_t Model::chunk() const { return folder_.network ? Network::chunk(*folder_.network) : session::kPredictionChunk; }

KmerTerm Model::kmer_term() const {
  return {*kmers_, details_.anchor, other_strand_, folder_.labels_bins() ? folder_.network->context() : 0};
}

std::vector<std::string> Model::terms() const {
  std::vector<std::string> names;
  if (kmers_) names.emplace_back("kmers");
  if (!folder_.network) names.emplace_back("encoder");
  if (folder_.network && folder_.network->networks > 0) names.emplace_back("network");
  if (encoder_head_) names.emplace_back("encoder");
  if (kmers_ && kmers_->kernel) names.emplace_back("kernel");
  return names;
}

/// Each term that was added has a weight of its own for what it was added to.
void Model::find_base_weight() {
  if (kmers_) base_weight_ = kmers_->base_weight;
  if (!encoder_head_) return;
  const auto& further = encoder_head_->base_weight;
  if (!kmers_) base_weight_.assign(further.size(), 1);
  for (size_t f = 0; f < further.size(); ++f) base_weight_[f] *= further[f];
}

std::vector<float> Model::logits(Sequences sequences, session::Strands strands, Contributions* parts) const {
  return sum_->logits(sequences, strands, parts);
}

std::vector<float> Model::kmer_logits(Sequences sequences, session::Strands strands) const {
  Sum sum(folder_.config.labels);
  sum.add(std::make_unique<KmerTerm>(kmer_term()));
  return sum.logits(sequences, strands);
}

std::vector<float> Model::kmer_shares(const std::string& bases, int64_t first, int64_t count,
                                      session::Strands strands) const {
  const KmerTerm term = kmer_term();
  auto all = term.shares({.bases = &bases}, first, count);
  if (strands != session::Strands::average) return all;
  const std::string reverse = genome::reverse_complement(bases);
  const auto other = term.shares({.bases = &reverse, .reversed = true}, std::ssize(bases) - first - count, count);
  const auto outputs = static_cast<int64_t>(kmers_->labels());
  for (int64_t i = 0; i < count; ++i)
    for (int64_t f = 0; f < outputs; ++f) {
      float& value = all[static_cast<size_t>(i * outputs + f)];
      value = (value + other[static_cast<size_t>((count - 1 - i) * outputs + f)]) / 2;
    }
  return all;
}

std::vector<float> Model::changes(const std::string& bases, std::span<const std::string> edits,
                                  session::Strands strands) const {
  std::vector<std::string> all{bases};
  all.insert(all.end(), edits.begin(), edits.end());
  const auto labels = static_cast<size_t>(folder_.config.labels);
  const auto of_strand = [&](bool reversed) {
    auto readings = readings_of(all, reversed);
    for (size_t i = 1; i < readings.size(); ++i) readings[i].original = 0;
    const auto logits = sum_->logits(readings);
    std::vector<float> changes(logits.begin() + static_cast<int64_t>(labels), logits.end());
    for (size_t i = 0; i < changes.size(); ++i) changes[i] -= logits[i % labels];
    return changes;
  };
  auto changes = of_strand(false);
  if (strands != session::Strands::average) return changes;
  for (auto& sequence : all) genome::reverse_complement_in_place(sequence);
  const auto other = of_strand(true);
  for (size_t i = 0; i < changes.size(); ++i) changes[i] = (changes[i] + other[i]) / 2;
  return changes;
}

std::vector<double> Model::predictions(Sequences sequences, session::Strands strands, Contributions* parts) const {
  using session::Strands;
  const auto values = logits(sequences, sites_ ? Strands::average : strands, parts);
  std::vector<double> all(values.begin(), values.end());
  details_.link.apply(all, folder_.config.labels);
  if (!sites_) return all;
  // a bin's outputs of + and - are what its strands predict
  const auto labels = static_cast<size_t>(folder_.config.labels);
  const auto of_sites = [&](std::vector<double>& rows) {
    std::vector<double> of_strands(2 * sequences.size());
    for (size_t i = 0; i < sequences.size(); ++i)
      for (size_t side = 0; side < 2; ++side)
        of_strands[side * sequences.size() + i] = rows[i * labels + (*sites_)[side]];
    if (strands != Strands::both) of_strands.resize(sequences.size());
    rows = std::move(of_strands);
  };
  of_sites(all);
  if (parts)
    for (auto& part : *parts) of_sites(part);
  return all;
}

Baselines Model::baselines() const {
  const KmerModel* kmers = kmer_baseline_ ? &*kmer_baseline_ : nullptr;
  if (network_)
    return {network_,
            details_.link,
            kmers,
            details_.anchor,
            other_strand_,
            frozen_.get(),
            encoder_head_ ? &*encoder_head_ : nullptr,
            frozen_ && kmers_ && kmers_->kernel ? &*kmers_ : nullptr};
  return {folder_.config.labels, session_->placement().streams(), details_.link, kmers, details_.anchor};
}

void Model::report_truncated() const {
  if (reader_) reader_->report_truncated();
  if (frozen_) frozen_->reader().report_truncated();
  if (network_) network_->report_truncated();
}

}  // namespace bigdna::models
