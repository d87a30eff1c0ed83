#include "mlm/evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/streams.h"

namespace bigdna::mlm {

namespace {

/// Contexts of a model, the longest first.
std::vector<int64_t> contexts_of(const model_folder::ModelFolder& model, const std::vector<int64_t>& asked) {
  if (asked.empty()) return {model.config.max_length};
  std::vector<int64_t> contexts;
  for (const int64_t context : asked)
    if (context <= model.config.max_length) contexts.push_back(context);
  if (contexts.empty())
    throw UsageError(concat("--context: ", model.path, " has only ", model.config.max_length, " positions"));
  std::sort(contexts.rbegin(), contexts.rend());
  contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());
  return contexts;
}

/// The vocabularies of the models, each with the longest and the shortest of its models' contexts.
std::vector<PassageReader> readers_of(const std::vector<model_folder::ModelFolder>& models,
                                      const std::vector<std::vector<int64_t>>& contexts) {
  std::map<std::string, PassageReader> readers;  // by the vocabulary's hash
  for (size_t m = 0; m < models.size(); ++m) {
    const auto& vocabulary = models[m].vocabulary;
    const int64_t longest = contexts[m].front(), shortest = contexts[m].back();
    auto& reader = readers.emplace(vocabulary.hash(), PassageReader{&vocabulary, longest, shortest}).first->second;
    reader.longest = std::max(reader.longest, longest);
    reader.shortest = std::min(reader.shortest, shortest);
  }
  std::vector<PassageReader> those;
  for (const auto& [hash, reader] : readers) those.push_back(reader);
  return those;
}

/// The block of each passage: a stretch of the genome, or the passage itself.
std::vector<size_t> blocks_of(const std::vector<Passage>& passages, int64_t size) {
  constexpr size_t kFewest = 20;
  std::map<std::pair<std::string, int64_t>, size_t> numbers;
  std::vector<size_t> blocks;
  for (const auto& passage : passages)
    blocks.push_back(
        numbers.emplace(std::pair(passage.region.contig, passage.region.start / size), numbers.size()).first->second);
  if (numbers.size() < kFewest)
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  return blocks;
}

/// A pair of unrelated segments: A of one window and B of another, cut to `context` tokens.
corpus::Example mismatched(const corpus::Example& first, const corpus::Example& second, int64_t context) {
  const auto b_begins = [](const corpus::Example& e) {
    return std::find(e.token_types.begin(), e.token_types.end(), 1) - e.token_types.begin();
  };
  const auto a_end = b_begins(first), b_begin = b_begins(second);
  corpus::Example pair;
  pair.region = first.region;
  pair.targets = {1};
  pair.ids.assign(first.ids.begin(), first.ids.begin() + a_end);
  pair.token_types.assign(pair.ids.size(), 0);
  const auto b_size = std::min<int64_t>(static_cast<int64_t>(second.ids.size()) - b_begin, context - a_end);
  pair.ids.insert(pair.ids.end(), second.ids.begin() + b_begin, second.ids.begin() + b_begin + b_size);
  pair.ids.back() = second.ids.back();  // [SEP]
  pair.token_types.resize(pair.ids.size(), 1);
  for (size_t i = 0; i < first.masked.size(); ++i)
    if (first.masked[i] < a_end) {
      pair.masked.push_back(first.masked[i]);
      pair.masked_labels.push_back(first.masked_labels[i]);
    }
  for (size_t i = 0; i < second.masked.size(); ++i)
    if (second.masked[i] >= b_begin && second.masked[i] < b_begin + b_size - 1) {
      pair.masked.push_back(static_cast<int32_t>(second.masked[i] - b_begin + a_end));
      pair.masked_labels.push_back(second.masked_labels[i]);
    }
  return pair;
}

/// Passages in one vocabulary, shared by all its scorers.
class MaskedText {
 public:
  /// `context`: the longest of the vocabulary's models, within which copies are looked for.
  MaskedText(const Passages& passages, const tokenizer::Vocabulary& vocabulary, const MlmEvaluationOptions& options,
             std::vector<size_t> blocks, int64_t context)
      : vocabulary_(vocabulary), encoder_(vocabulary), blocks_(std::move(blocks)), context_(context) {
    const corpus::Masker all(vocabulary, options.mask_fraction, corpus::Hiding::all),
        bert(vocabulary, options.mask_fraction);
    for (size_t i = 0; i < passages.passages().size(); ++i) {
      const auto& passage = passages.passages()[i];
      const Rng rng(mix({options.passages.seed, kMaskedTokens}), i);
      masked_.push_back(mask_passage(passage, encoder_, all, rng));
      bert_.push_back(mask_passage(passage, encoder_, bert, rng));
      const auto& begins = masked_.back().begins;
      for (const int32_t at : masked_.back().tokens.masked)
        repetitive_.push_back(
            passages.repetitive(passage, begins[static_cast<size_t>(at)], begins[static_cast<size_t>(at) + 1]));
    }
    block_count_ = *std::max_element(blocks_.begin(), blocks_.end()) + 1;
    const auto inputs = inputs_of(masked_);
    windows_ = inputs.size();
    copies_ = find_copies(inputs, 0, vocabulary, options.passages.threads);
    elsewhere_ = find_copies(inputs, inputs.size() / 2, vocabulary, options.passages.threads);
  }

  /// What a model of the longest context is given of passages.
  std::vector<corpus::Example> inputs_of(const std::vector<MaskedPassage>& passages) const {
    std::vector<corpus::Example> inputs;
    for (const auto& passage : passages)
      for (auto& window : windows(passage, context_, vocabulary_.special(), false)) inputs.push_back(std::move(window));
    return inputs;
  }

  /// Every token to be predicted is [MASK].
  const std::vector<MaskedPassage>& masked() const { return masked_; }
  /// The same tokens under BERT's masking.
  const std::vector<MaskedPassage>& bert() const { return bert_; }
  const tokenizer::Encoder& encoder() const { return encoder_; }
  const tokenizer::Vocabulary& vocabulary() const { return vocabulary_; }
  /// The nearest copy of each masked token in its own window, and in another one.
  const std::vector<Copy>& copies() const { return copies_; }
  const std::vector<Copy>& elsewhere() const { return elsewhere_; }
  size_t window_count() const { return windows_; }

  /// Sums by block over the masked tokens, in order: outcome(i) gives a token's nats and whether it was predicted
  /// correctly.
  template <class Outcome>
  std::vector<MlmScorer::Block> blocks(Outcome outcome) const {
    std::vector<MlmScorer::Block> blocks(block_count_);
    size_t token = 0;
    for (size_t p = 0; p < masked_.size(); ++p)
      for (const int32_t label : masked_[p].tokens.masked_labels) {
        auto& block = blocks[blocks_[p]];
        const auto [nats, right] = outcome(token);
        (repetitive_[token] ? block.repeats : block.unique).add(vocabulary_, label, nats, right);
        block.by_copy[copy_class(copies_[token])].add(vocabulary_, label, nats, right);
        ++token;
      }
    return blocks;
  }

 private:
  const tokenizer::Vocabulary& vocabulary_;
  tokenizer::Encoder encoder_;
  std::vector<MaskedPassage> masked_, bert_;
  std::vector<size_t> blocks_;
  int64_t context_;
  std::vector<uint8_t> repetitive_;       // of each masked token
  std::vector<Copy> copies_, elsewhere_;  // of each masked token
  size_t block_count_ = 0, windows_ = 0;
};

struct Scored {
  session::Session session;
  const tokenizer::Vocabulary& vocabulary;
};

std::vector<corpus::Example> inputs_of(const Scored& model, const std::vector<MaskedPassage>& passages, int64_t context,
                                       bool nsp) {
  std::vector<corpus::Example> inputs;
  for (const auto& passage : passages)
    for (auto& window : windows(passage, context, model.vocabulary.special(), model.session.config().has_nsp())) {
      if (!nsp) window.targets.clear();
      inputs.push_back(std::move(window));
    }
  return inputs;
}

std::vector<MlmScorer::Block> blocks_of(const MaskedText& text, const session::MaskedScores& scores) {
  return text.blocks([&](size_t i) { return std::pair(static_cast<double>(scores.nats[i]), scores.correct[i] != 0); });
}

/// The model at its longest context, with the visible tokens shuffled.
MlmScorer score_shuffled(const Scored& model, const MaskedText& text, int64_t context, uint64_t seed) {
  MlmScorer scorer;
  const auto inputs = shuffled(inputs_of(model, text.masked(), context, false), model.vocabulary, seed);
  scorer.windows = static_cast<int64_t>(inputs.size());
  scorer.blocks = blocks_of(text, model.session.masked(inputs));
  return scorer;
}

/// Bits per base with BERT's masking, which leaves a tenth of the tokens in place, for comparison with the paper.
metrics::BitsPerBase score_bert(const Scored& model, const MaskedText& text, int64_t context) {
  return score_model(model.session, model.vocabulary, inputs_of(model, text.bert(), context, false)).bert;
}

MlmScorer score_context(const Scored& model, const MaskedText& text, int64_t context, int64_t pairs) {
  MlmScorer scorer;
  scorer.context = context;
  const bool nsp = pairs > 0 && model.session.config().has_nsp();
  const auto inputs = inputs_of(model, text.masked(), context, nsp);
  scorer.windows = static_cast<int64_t>(inputs.size());
  const auto scores = model.session.masked(inputs);
  scorer.blocks = blocks_of(text, scores);
  if (!nsp || inputs.size() < 2) return scorer;
  const auto count = inputs.size(), tried = std::min(count, static_cast<size_t>(pairs));
  std::vector<corpus::Example> mismatches;
  for (size_t i = 0; i < tried; ++i) {
    const size_t at = i * count / tried;
    scorer.pairs_correct += scores.pairs[at];
    mismatches.push_back(mismatched(inputs[at], inputs[(at + count / 2) % count], context));
  }
  for (const uint8_t right : model.session.masked(mismatches).pairs) scorer.pairs_correct += right;
  scorer.pairs = static_cast<int64_t>(2 * tried);
  return scorer;
}

/// How often copies are right in training sequence, of whose windows every model could see as much.
CopyConfidence count_copies(const Passages& passages, const MaskedText& text, const MlmEvaluationOptions& options) {
  constexpr int64_t kTokens = 1'000'000;
  const log::Progress stage("copies in training sequence");
  const corpus::Masker masker(text.vocabulary(), options.mask_fraction, corpus::Hiding::all);
  std::vector<MaskedPassage> masked;
  for (const auto& passage : passages.training_passages(kTokens, options.passages.seed))
    masked.push_back(mask_passage(passage, text.encoder(), masker,
                                  Rng(mix({options.passages.seed, kCopyDocuments}), masked.size())));
  const auto inputs = text.inputs_of(masked);
  const auto copies = find_copies(inputs, 0, text.vocabulary(), options.passages.threads);
  CopyConfidence confidence;
  auto copy = copies.begin();
  for (const auto& input : inputs)
    for (const int32_t label : input.masked_labels) confidence.count(*copy++, label);
  return confidence;
}

std::vector<MlmScorer> score_counts(const NgramModel& ngrams, const CopyConfidence& confidence,
                                    const MaskedText& text) {
  std::vector<NgramModel::Probabilities> probabilities;
  std::vector<int32_t> labels;
  for (const auto& passage : text.masked()) {
    for (const auto& token : baseline_probabilities(ngrams, text.vocabulary(), passage.tokens))
      probabilities.push_back(token);
    labels.insert(labels.end(), passage.tokens.masked_labels.begin(), passage.tokens.masked_labels.end());
  }
  std::vector<MlmScorer> scorers;
  const auto add = [&](const char* name, size_t windows, bool names_tokens, const auto& outcome) {
    MlmScorer scorer;
    scorer.name = name;
    scorer.windows = static_cast<int64_t>(windows);
    scorer.names_tokens = names_tokens;
    scorer.blocks = text.blocks(outcome);
    scorers.push_back(std::move(scorer));
  };
  const auto add_ngrams = [&](const char* name, double NgramModel::Probabilities::*which) {
    add(name, text.masked().size(), false,
        [&](size_t i) { return std::pair(-std::log(probabilities[i].*which), false); });
  };
  const auto add_copies = [&](const char* name, const std::vector<Copy>& copies) {
    add(name, text.window_count(), true, [&](size_t i) {
      const double share = confidence(copies[i]);
      const bool right = copies[i].token == labels[i];
      return std::pair(-std::log((right ? share : 0) + (1 - share) * probabilities[i].trigram), right);
    });
  };
  add_ngrams("unigram", &NgramModel::Probabilities::unigram);
  add_ngrams("two_sided_bigram", &NgramModel::Probabilities::bigram);
  add_ngrams("two_sided_trigram", &NgramModel::Probabilities::trigram);
  add_copies("copies", text.copies());
  if (text.window_count() > 1) add_copies("copies_elsewhere", text.elsewhere());
  return scorers;
}

}  // namespace

MlmScore MlmScorer::Block::all() const {
  MlmScore sum = unique;
  sum.add(repeats);
  return sum;
}

MlmEvaluation evaluate_mlm(const std::vector<model_folder::ModelFolder>& models, const session::Placement& placement,
                           const MlmEvaluationOptions& options) {
  std::vector<std::vector<int64_t>> contexts;
  int64_t longest = 0;
  for (const auto& model : models) {
    contexts.push_back(contexts_of(model, options.contexts));
    longest = std::max(longest, contexts.back().front());
  }
  for (const int64_t context : options.contexts)
    if (context > longest) throw UsageError(concat("--context ", context, ": no model has that many positions"));
  PassageOptions passage_options = options.passages;
  passage_options.readers = readers_of(models, contexts);
  const Passages passages(passage_options, models);
  const auto blocks = blocks_of(passages.passages(), options.block);

  MlmEvaluation evaluation;
  evaluation.repeats = passages.knows_repeats();
  evaluation.passages = static_cast<int64_t>(passages.passages().size());
  for (const auto& passage : passages.passages()) evaluation.bases += passage.region.length();
  log::info("seed ", options.passages.seed, ", ", counted(evaluation.passages, "passage"), ", ",
            log::human(static_cast<double>(evaluation.bases)), "bp",
            evaluation.repeats ? ", repeats and unique sequence separately" : "");

  std::map<std::string, int64_t> longest_of;  // by vocabulary
  for (size_t m = 0; m < models.size(); ++m) {
    auto& most = longest_of[models[m].vocabulary.hash()];
    most = std::max(most, contexts[m].front());
  }
  std::map<std::string, std::pair<size_t, std::unique_ptr<MaskedText>>> texts;  // by vocabulary: its first model
  std::vector<MlmScorer> null;                                                  // each model with its context shuffled
  for (size_t m = 0; m < models.size(); ++m) {
    auto& [first, text] = texts[models[m].vocabulary.hash()];
    if (!text) {
      first = m;
      text = std::make_unique<MaskedText>(passages, models[m].vocabulary, options, blocks,
                                          longest_of.at(models[m].vocabulary.hash()));
      evaluation.piece_lengths[m] = models[m].vocabulary.mean_piece_length();
    }
    const Scored model{{models[m], placement}, models[m].vocabulary};
    for (const int64_t context : contexts[m]) {
      const log::Progress stage(concat(models[m].path, ", context of ", context));
      auto scorer = score_context(model, *text, context, options.pairs);
      scorer.name = models[m].path;
      scorer.model = m;
      scorer.vocabulary = first;
      if (context == contexts[m].front()) {
        scorer.bert = score_bert(model, *text, context);
        null.push_back(score_shuffled(model, *text, context, options.passages.seed));
        null.back().name = "shuffled:" + models[m].path;
        null.back().model = m;
        null.back().vocabulary = first;
      }
      evaluation.scorers.push_back(std::move(scorer));
    }
  }
  for (auto& scorer : null) evaluation.scorers.push_back(std::move(scorer));
  for (size_t m = 0; m < models.size(); ++m) {
    const auto& [first, text] = texts.at(models[m].vocabulary.hash());
    if (first != m) continue;
    const auto ngrams = passages.train_ngrams(text->encoder(), options.passages.seed);
    if (!ngrams) {
      log::warn("no baselines of counts, because the training sequence is unknown");
      break;
    }
    evaluation.ngrams[models[m].path] = ngrams->json();
    const auto confidence = count_copies(passages, *text, options);
    evaluation.copies[models[m].path] = confidence.json();
    for (auto& scorer : score_counts(ngrams->model, confidence, *text)) {
      scorer.vocabulary = m;
      if (texts.size() > 1) scorer.name += ":" + models[m].path;
      evaluation.scorers.push_back(std::move(scorer));
    }
  }
  return evaluation;
}

}  // namespace bigdna::mlm
