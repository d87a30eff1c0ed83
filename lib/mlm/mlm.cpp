#include "mlm/mlm.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <numbers>
#include <sstream>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"
#include "mlm/gap_evaluation.h"

namespace bigdna::mlm {

namespace {

at::Tensor nats_of(const at::Tensor& logits, const at::Tensor& labels) {
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
}

at::Tensor nsp_labels(const model::Batch& batch) { return batch.targets.select(1, 0).to(at::kLong); }

struct Outputs {
  model::TokenScores tokens;
  at::Tensor nsp;  // logits; undefined without NSP
};

/// `cast` is the result of model::cast_for().
Outputs outputs_of(const MlmModel& model, const model::Parameters& cast, const model::Batch& batch,
                   const model::ForwardOptions& options) {
  const auto rows = model::encode_pretraining(model.config, cast, batch, options);
  Outputs outputs{model::mlm_scores(model.config, cast, rows.masked, batch.masked_labels, options), {}};
  if (rows.first.defined()) outputs.nsp = model::nsp_logits(model.config, cast, rows.first);
  return outputs;
}

}  // namespace

double MlmScore::bits_per_token() const { return nats / std::numbers::ln2 / static_cast<double>(masked); }

double MlmScore::perplexity() const { return std::exp(nats / static_cast<double>(masked)); }

void MlmScore::add(const MlmScore& other) {
  bpc.add(other.bpc);
  masked += other.masked;
  correct += other.correct;
  nats += other.nats;
  bert.add(other.bert);
  pairs += other.pairs;
  pairs_correct += other.pairs_correct;
  halting.add(other.halting);
}

void MlmScore::add(const tokenizer::Vocabulary& vocabulary, tokenizer::TokenId label, double token_nats, bool right,
                   bool hidden) {
  const double bits = token_nats / std::numbers::ln2;
  bert.add(bits, vocabulary.bases(label), vocabulary.contains_n(label));
  if (!hidden) return;
  ++masked;
  correct += right;
  nats += token_nats;
  bpc.add(bits, vocabulary.bases(label), vocabulary.contains_n(label));
}

std::function<MlmScore()> score_batch(const tokenizer::Vocabulary& vocabulary, const model::Batch& batch,
                                      const model::TokenScores& tokens, const at::Tensor& nsp_logits, bool causal) {
  c10::NoGradGuard no_grad;
  const at::Tensor hidden =
      causal ? batch.masked.ge(0) : batch.ids.flatten().index_select(0, batch.masked).eq(vocabulary.special().mask);
  const at::Tensor pairs_correct =
      nsp_logits.defined() ? nsp_logits.argmax(1).eq(nsp_labels(batch)).sum() : at::Tensor();
  return [&vocabulary, all_nats = tokens.nats.detach(), all_labels = batch.masked_labels, right = tokens.right, hidden,
          pairs_correct, pairs = batch.size()] {
    MlmScore score;
    const at::Tensor nats = all_nats.to(at::kCPU, at::kFloat).contiguous(), labels = all_labels.cpu(),
                     correct = right.cpu(), unseen = hidden.cpu();
    for (int64_t i = 0; i < nats.numel(); ++i)
      score.add(vocabulary, static_cast<tokenizer::TokenId>(labels.const_data_ptr<int64_t>()[i]),
                nats.const_data_ptr<float>()[i], correct.const_data_ptr<bool>()[i], unseen.const_data_ptr<bool>()[i]);
    if (pairs_correct.defined()) {
      score.pairs = pairs;
      score.pairs_correct = pairs_correct.item<int64_t>();
    }
    return score;
  };
}

MlmScore score_model(const session::Session& session, const tokenizer::Vocabulary& vocabulary,
                     const std::vector<corpus::Example>& examples) {
  const auto scores = session.masked(examples);
  MlmScore score;
  size_t token = 0;
  for (const auto& example : examples)
    for (size_t i = 0; i < example.masked.size(); ++i, ++token) {
      const bool hidden = session.config().is_causal() ||
                          example.ids[static_cast<size_t>(example.masked[i])] == vocabulary.special().mask;
      score.add(vocabulary, example.masked_labels[i], scores.nats[token], scores.correct[token] != 0, hidden);
    }
  score.halting = scores.halting;
  score.pairs = static_cast<int64_t>(scores.pairs.size());
  score.pairs_correct = std::count(scores.pairs.begin(), scores.pairs.end(), 1);
  return score;
}

MlmScore score_model(const MlmModel& model, const model::Parameters& parameters,
                     const std::vector<corpus::Example>& examples) {
  return score_model({model.config, parameters, model.placement}, *model.vocabulary, examples);
}

corpus::Example shuffled(corpus::Example example, const tokenizer::Vocabulary& vocabulary, uint64_t seed) {
  std::vector<size_t> places;
  for (size_t i = 0, m = 0; i < example.ids.size(); ++i) {
    if (m < example.masked.size() && example.masked[m] == static_cast<int32_t>(i))
      ++m;
    else if (!vocabulary.is_special(example.ids[i]))
      places.push_back(i);
  }
  std::vector<int32_t> ids;
  for (const size_t place : places) ids.push_back(example.ids[place]);
  Rng(seed, kShuffledTokens).shuffle(ids);
  for (size_t i = 0; i < places.size(); ++i) example.ids[places[i]] = ids[i];
  return example;
}

std::vector<corpus::Example> shuffled(std::vector<corpus::Example> examples, const tokenizer::Vocabulary& vocabulary,
                                      uint64_t seed) {
  for (size_t i = 0; i < examples.size(); ++i)
    examples[i] = shuffled(std::move(examples[i]), vocabulary, mix({seed, i}));
  return examples;
}

corpus::Example shuffled_past(const corpus::Example& example, const tokenizer::Vocabulary& vocabulary, uint64_t seed) {
  constexpr int64_t kStretch = 32;
  corpus::Example mixed = example;
  mixed.masked.clear(), mixed.masked_labels.clear();
  Rng rng(seed, kShuffledTokens);
  const auto last = std::ssize(example.ids) - 2;  // of the text, whose first is 1
  const int64_t stretch = std::max<int64_t>(1, std::min(kStretch, last - 1));
  for (int64_t begin = 1; begin + stretch <= last; begin += stretch) {
    std::vector<int32_t> ids(example.ids.begin() + begin, example.ids.begin() + begin + stretch);
    rng.shuffle(ids);
    std::ranges::copy(ids, mixed.ids.begin() + begin);
    const int32_t label = example.ids[static_cast<size_t>(begin + stretch)];
    if (vocabulary.is_special(label)) continue;
    mixed.masked.push_back(static_cast<int32_t>(begin + stretch - 1));
    mixed.masked_labels.push_back(label);
  }
  return mixed;
}

std::vector<corpus::Example> shuffled_past(const std::vector<corpus::Example>& examples,
                                           const tokenizer::Vocabulary& vocabulary, uint64_t seed) {
  std::vector<corpus::Example> all;
  for (size_t i = 0; i < examples.size(); ++i) {
    all.push_back(shuffled_past(examples[i], vocabulary, mix({seed, i})));
    if (all.back().masked.empty()) all.pop_back();
  }
  return all;
}

std::vector<NgramModel::Probabilities> baseline_probabilities(const NgramModel& ngrams,
                                                              const tokenizer::Vocabulary& vocabulary,
                                                              const corpus::Example& example, bool causal) {
  const auto token = [&](int64_t i) {
    if (i < 0 || i >= static_cast<int64_t>(example.ids.size())) return NgramModel::kUnknown;
    const int32_t id = example.ids[static_cast<size_t>(i)];
    return vocabulary.is_special(id) ? NgramModel::kUnknown : id;
  };
  std::vector<NgramModel::Probabilities> probabilities;
  for (size_t i = 0; i < example.masked.size(); ++i) {
    const int64_t at = example.masked[i];
    NgramModel::Context context{.left2 = token(at - 1), .left = token(at)};
    if (!causal) context = {token(at - 2), token(at - 1), token(at + 1), token(at + 2)};
    probabilities.push_back(ngrams.probabilities(context, example.masked_labels[i]));
  }
  return probabilities;
}

BaselineScores score_baselines(const NgramModel& ngrams, const tokenizer::Vocabulary& vocabulary,
                               const std::vector<corpus::Example>& examples, bool causal) {
  BaselineScores scores;
  for (const auto& example : examples) {
    const auto probabilities = baseline_probabilities(ngrams, vocabulary, example, causal);
    for (size_t i = 0; i < probabilities.size(); ++i) {
      const int32_t label = example.masked_labels[i];
      const auto add = [&](metrics::BitsPerBase& sum, double p) {
        sum.add(-std::log2(p), vocabulary.bases(label), vocabulary.contains_n(label));
      };
      add(scores.unigram, probabilities[i].unigram);
      add(scores.bigram, probabilities[i].bigram);
      add(scores.trigram, probabilities[i].trigram);
    }
  }
  return scores;
}

std::string BaselineScores::text(bool causal) const {
  const char* sides = causal ? "one-sided" : "two-sided";
  std::ostringstream text;
  text << std::setprecision(4) << "bits per base without N "
       << (causal ? "given the tokens before" : "at masked positions") << ": unigram " << unigram.value() << ", "
       << sides << " bigram " << bigram.value() << ", " << sides << " trigram " << trigram.value();
  return text.str();
}

std::string CountedNgrams::text() const {
  return concat(tokens, of_tokens ? concat(" of ", *of_tokens) : "", " tokens (", documents, " of ",
                counted(of_documents, "document"), ")");
}

nlohmann::ordered_json CountedNgrams::json() const {
  nlohmann::ordered_json json{{"documents", documents}, {"of_documents", of_documents}, {"tokens", tokens}};
  json["of_tokens"] = of_tokens ? nlohmann::ordered_json(*of_tokens) : nlohmann::ordered_json();
  return json;
}

namespace {
/// Documents that do not overlap each other, in the corpus's order: of several passes over a genome, the first one and
/// what it has left out.
std::vector<int64_t> documents_apart(const corpus::Corpus& corpus) {
  std::vector<int64_t> apart;
  std::map<std::string, std::map<int64_t, int64_t>> taken;  // contig -> end of a document -> its start
  for (int64_t i = 0; i < corpus.documents(); ++i) {
    const auto region = corpus.region(i);
    auto& ends = taken[region.contig];
    const auto after = ends.upper_bound(region.start);
    if (after != ends.end() && after->second < region.end) continue;
    ends.emplace(region.end, region.start);
    apart.push_back(i);
  }
  return apart;
}
}  // namespace

CountedNgrams train_ngrams(const corpus::Corpus& corpus, int64_t vocab_size, uint64_t seed,
                           const DocumentTokens& tokens_of, int64_t max_tokens, Sides sides) {
  const auto apart = documents_apart(corpus);
  NgramTrainer trainer(vocab_size, max_tokens);
  CountedNgrams counts;
  counts.of_documents = static_cast<int64_t>(apart.size());
  int64_t whole = 0;
  for (const int64_t i : apart) whole += corpus.tokens(i);
  if (!tokens_of) counts.of_tokens = whole;
  const Permutation order(apart.size(), mix({seed, kNgramDocuments}));
  std::map<int64_t, std::vector<uint16_t>> chosen;  // in the corpus's order, whatever the seed: what trainer expects
  std::optional<log::Progress> reading(std::in_place, "documents for n-grams",
                                       static_cast<uint64_t>(std::min(whole, max_tokens)), "tokens");
  for (int64_t tokens = 0; tokens < max_tokens && counts.documents < counts.of_documents; ++counts.documents) {
    const int64_t i = apart[order(static_cast<uint64_t>(counts.documents))];
    const auto document = corpus.document(i);
    auto& kept = chosen[i];
    if (tokens_of) {
      const auto own = tokens_of(document);
      kept.assign(own.begin(), own.end());
    } else {
      kept.assign(document.tokens.begin(), document.tokens.end());
    }
    tokens += static_cast<int64_t>(kept.size());
    reading->update(static_cast<uint64_t>(std::min(tokens, max_tokens)));
  }
  reading.reset();
  for (const auto& [i, tokens] : chosen) trainer.add(tokens);
  counts.model = trainer.finish(sides);
  counts.tokens = counts.model.tokens();
  log::info("n-grams are counted on ", counts.text());
  return counts;
}

std::vector<corpus::Example> first_examples(const corpus::ExampleSource& source, int64_t tokens, int threads) {
  std::vector<corpus::Example> examples;
  constexpr int64_t kChunk = 64;
  for (int64_t begin = 0; begin < source.size() && tokens > 0; begin += kChunk) {
    std::vector<corpus::Example> chunk(static_cast<size_t>(std::min(kChunk, source.size() - begin)));
    parallel_for(static_cast<int64_t>(chunk.size()), threads,
                 [&](int64_t i) { chunk[static_cast<size_t>(i)] = source.make(0, begin + i); });
    for (auto& example : chunk) {
      if (tokens <= 0) break;
      tokens -= static_cast<int64_t>(example.ids.size());
      examples.push_back(std::move(example));
    }
  }
  return examples;
}

train::TrainingTask mlm_training_task(const MlmModel& model) {
  train::TrainingTask task;
  task.label = "pretrain";
  task.block = model.config.pattern.block;
  task.pad_id = model.config.pad_id;
  task.shown = {"accuracy", "bpc"};
  task.forward = [model](const model::Parameters& parameters, const model::Batch& batch_of, const train::Totals& totals,
                         uint64_t seed) {
    auto options = model.placement.forward();
    options.training = true;
    options.recompute = model.recompute;
    options.dropout_seed = seed;
    options.share = static_cast<double>(batch_of.size()) / static_cast<double>(totals.examples);
    const Outputs outputs =
        outputs_of(model, model::cast_for(model.config, parameters, options.compute), batch_of, options);
    const at::Tensor& nats = outputs.tokens.nats;
    train::StepResult result;
    result.loss = nats.sum().div(static_cast<double>(totals.masked));
    at::Tensor nsp;
    if (outputs.nsp.defined()) {
      nsp = nats_of(outputs.nsp, nsp_labels(batch_of)).sum();
      result.loss = result.loss.add(nsp.div(static_cast<double>(totals.examples)));
      nsp = nsp.detach();
    }
    result.metrics =
        [read = score_batch(*model.vocabulary, batch_of, outputs.tokens, outputs.nsp, model.config.is_causal()), nsp,
         all = nats.detach().sum(), predicted = static_cast<double>(nats.numel())] {
          const MlmScore score = read();
          const auto masked = static_cast<double>(score.masked), pairs = static_cast<double>(score.pairs);
          std::map<std::string, train::Mean> metrics{{"mlm_loss", {all.item<double>(), predicted}},
                                                     {"accuracy", {static_cast<double>(score.correct), masked}},
                                                     {"bpc", {score.bpc.bits, static_cast<double>(score.bpc.bases)}}};
          if (nsp.defined()) {
            metrics["nsp_loss"] = {nsp.item<double>(), pairs};
            metrics["nsp_accuracy"] = {static_cast<double>(score.pairs_correct), pairs};
          }
          return metrics;
        };
    return result;
  };
  return task;
}

train::TrainingTask mlm_task(const MlmModel& model, std::shared_ptr<const corpus::ExampleSource> source,
                             HeldOut held_out) {
  if (source->size() == 0) fail("the corpus is too small: it has no training example");
  train::TrainingTask task = mlm_training_task(model);
  task.example = [source](int64_t index) { return source->make(index / source->size(), index % source->size()); };
  if (held_out.empty()) return task;
  task.evaluate = [model,
                   scored = std::make_shared<const HeldOut>(std::move(held_out))](const model::Parameters& parameters) {
    const session::Session session(model.config, parameters, model.placement);
    const auto score_of = [&](const std::vector<corpus::Example>& examples) {
      return score_model(session, *model.vocabulary, examples);
    };
    const MlmScore score = score_of(scored->hidden);
    const char* sides = model.config.is_causal() ? "one_sided" : "two_sided";
    std::map<std::string, double> values{
        {"held_out_bpc", score.bpc.value()},
        {"held_out_bpc_all", score.bpc.all()},
        {"held_out_bpc_shuffled", score_of(scored->shuffled).bpc.value()},
        {"held_out_bpc_paper_style", score.bits_per_token() / model.vocabulary->mean_piece_length()},
        {"held_out_accuracy", score.accuracy()},
        {"held_out_perplexity", score.perplexity()},
        {"unigram_bpc", scored->baselines.unigram.value()},
        {concat(sides, "_bigram_bpc"), scored->baselines.bigram.value()},
        {concat(sides, "_trigram_bpc"), scored->baselines.trigram.value()}};
    if (!scored->bert.empty()) values["held_out_bpc_bert"] = score_of(scored->bert).bert.value();
    if (score.pairs > 0) values["held_out_nsp_accuracy"] = score.nsp_accuracy();
    if (score.halting.tokens > 0) {
      values["held_out_steps_mean"] = score.halting.mean();
      values["held_out_steps_most"] = static_cast<double>(score.halting.most);
    }
    if (!scored->gaps.gaps.empty()) values.merge(gap_metrics(session, scored->gaps));
    return values;
  };
  return task;
}

}  // namespace bigdna::mlm
