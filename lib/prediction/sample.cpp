#include "prediction/sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/log_sum.h"
#include "genome/fasta.h"
#include "genome/fasta_writer.h"
#include "io/output.h"
#include "session/stream.h"
#include "tokenizer/encoder.h"

namespace bigdna::prediction {

TokenDraw::TokenDraw(const tokenizer::Vocabulary& vocabulary, double temperature, int64_t top)
    : allowed_(vocabulary.base_tokens()), temperature_(temperature), top_(top) {
  if (allowed_.empty()) fail("the vocabulary has no token of A, C, G and T");
}

tokenizer::TokenId TokenDraw::operator()(std::span<const float> logits, Rng& rng) const {
  std::vector<double> weights;
  for (const auto id : allowed_) weights.push_back(logits[static_cast<size_t>(id)] / temperature_);
  double least = -std::numeric_limits<double>::infinity();
  if (top_ > 0 && top_ < std::ssize(weights)) {
    auto sorted = weights;
    std::ranges::nth_element(sorted, sorted.begin() + top_ - 1, std::greater());
    least = sorted[static_cast<size_t>(top_ - 1)];
  }
  const double largest = *std::ranges::max_element(weights);
  double total = 0;
  for (double& weight : weights) total += weight = weight < least ? 0 : std::exp(weight - largest);
  double left = rng.uniform() * total;
  size_t chosen = 0;
  for (size_t i = 0; i < weights.size() && left >= 0; ++i)
    if (weights[i] > 0) chosen = i, left -= weights[i];
  return allowed_[chosen];
}

double bits_of(std::span<const float> logits, tokenizer::TokenId id) {
  return (log_sum(logits) - logits[static_cast<size_t>(id)]) / std::numbers::ln2;
}

namespace {

using tokenizer::TokenId;

/// What the sequences that are drawn side by side have in common: the tokens that the model reads before the next one.
class DrawnTogether {
 public:
  DrawnTogether(const session::Decoder& decoder, const tokenizer::Vocabulary& vocabulary,
                std::span<const TokenId> prompt)
      : decoder_(decoder), first_(kDrawnTogether, vocabulary.special().cls), past_(kDrawnTogether) {
    for (const TokenId id : prompt) tokens_.emplace_back(kDrawnTogether, id);
    read_all();
  }
  /// Of sequence `i`, what follows.
  std::span<const float> logits(size_t i) const {
    const size_t columns = logits_.size() / kDrawnTogether;
    return std::span(logits_).subspan(i * columns, columns);
  }
  void push(std::vector<TokenId> ids) {
    tokens_.push_back(std::move(ids));
    if (std::ssize(tokens_) < longest())
      logits_ = decoder_.next(tokens_.back(), past_);
    else
      read_all();
  }

 private:
  /// Between [CLS] and [SEP], as in training.
  int64_t longest() const { return decoder_.config().max_length - 2; }
  void read_all() {
    if (std::ssize(tokens_) >= longest()) tokens_.erase(tokens_.begin(), tokens_.end() - longest() / 2);
    past_ = model::Past(kDrawnTogether);
    logits_ = decoder_.next(first_, past_);
    for (const auto& ids : tokens_) logits_ = decoder_.next(ids, past_);
  }

  const session::Decoder& decoder_;
  const std::vector<TokenId> first_;
  std::vector<std::vector<TokenId>> tokens_;  // one of each sequence, in the order of reading
  model::Past past_;
  std::vector<float> logits_;
};

}  // namespace

std::vector<DrawnSequence> draw_sequences(const session::Decoder& decoder, const tokenizer::Vocabulary& vocabulary,
                                          const TokenDraw& draw, std::span<const TokenId> prompt, int64_t bases,
                                          uint64_t seed, int64_t first) {
  DrawnTogether together(decoder, vocabulary, prompt);
  std::vector<DrawnSequence> drawn(kDrawnTogether);
  std::vector<Rng> streams;
  for (int64_t i = 0; i < kDrawnTogether; ++i) streams.emplace_back(seed, static_cast<uint64_t>(first + i));
  while (true) {
    std::vector<TokenId> ids;
    for (size_t i = 0; i < drawn.size(); ++i) {
      ids.push_back(draw(together.logits(i), streams[i]));
      if (std::ssize(drawn[i].bases) >= bases) continue;  // it goes along with those that are shorter
      drawn[i].tokens.push_back(ids.back());
      drawn[i].bits += bits_of(together.logits(i), ids.back());
      drawn[i].bases += vocabulary.piece(ids.back()).text;
    }
    if (std::ranges::all_of(drawn, [&](const auto& one) { return std::ssize(one.bases) >= bases; })) break;
    together.push(std::move(ids));
  }
  for (auto& one : drawn) one.bases.resize(static_cast<size_t>(bases));
  return drawn;
}

namespace {

/// A record to be continued, or nothing.
struct Prompt {
  std::string name;
  int64_t number = 0;
  std::vector<TokenId> tokens;
};

/// The prompts in the order of their file; without a file, one without bases.
class Prompts {
 public:
  Prompts(const SampleOptions& options, const tokenizer::Encoder& encoder) : encoder_(encoder) {
    if (!options.prompt.empty()) reader_.emplace(options.prompt, options.invalid_bases);
  }
  /// Null behind the last.
  std::shared_ptr<const Prompt> next() {
    if (!reader_) return number_++ == 0 ? std::make_shared<const Prompt>(Prompt{"sample", 0, {}}) : nullptr;
    const auto record = reader_->next_named();
    if (!record) return nullptr;
    if (record->bases.empty()) fail(reader_->where(*record), ": has no bases");
    return std::make_shared<const Prompt>(Prompt{record->name, number_++, encoder_.encode(record->bases).ids});
  }

 private:
  const tokenizer::Encoder& encoder_;
  std::optional<genome::FastaReader> reader_;
  int64_t number_ = 0;
};

/// Some of a prompt's sequences.
struct DrawnGroup {
  std::shared_ptr<const Prompt> prompt;
  int64_t first = 0;
  std::vector<DrawnSequence> sequences;
};

}  // namespace

void sample(const SampleOptions& options) {
  const auto folder = model_folder::ModelFolder::open(options.model);
  io::refuse_shared_files({options.output}, {options.prompt});
  io::refuse_outputs_in({options.output}, {folder.path});
  folder.check_reads_sequences();
  if (!folder.config.is_causal() || !folder.config.has_mlm())
    fail(folder.path,
         ": does not predict the next token, so it draws no sequences (bigdna pretrain --objective next makes a model "
         "that does)");
  const TokenDraw draw(folder.vocabulary, options.temperature, options.top);
  const session::Decoder decoder(folder, session::Placement(options.run));
  const tokenizer::Encoder encoder(folder.vocabulary);
  Prompts prompts(options, encoder);
  auto prompt = prompts.next();
  if (!prompt) fail(options.prompt, ": has no records");
  io::Output output(options.output);
  const auto total = options.prompt.empty() ? static_cast<uint64_t>(options.count * options.length) : 0;
  log::Progress progress("sample", total, "bp");
  int64_t first = 0, sequences = 0, beyond = 0;
  double bits = 0;
  session::stream(
      decoder.placement().streams(),
      [&]() -> std::optional<DrawnGroup> {
        if (first >= options.count) prompt = prompts.next(), first = 0;
        if (!prompt) return std::nullopt;
        return DrawnGroup{prompt, std::exchange(first, first + kDrawnTogether), {}};
      },
      [&](DrawnGroup&& group) {
        const uint64_t seed = mix({options.seed, static_cast<uint64_t>(group.prompt->number)});
        group.sequences =
            draw_sequences(decoder, folder.vocabulary, draw, group.prompt->tokens, options.length, seed, group.first);
        return std::move(group);
      },
      [&](DrawnGroup&& group) {
        for (int64_t i = group.first; i < std::min(group.first + kDrawnTogether, options.count); ++i) {
          const auto& drawn = group.sequences[static_cast<size_t>(i - group.first)];
          const double rounded = std::round(drawn.bits * 1e4) / 1e4;
          genome::write_fasta_record(
              output, concat(group.prompt->name, "_", i + 1, " tokens=", drawn.tokens.size(), " bits=", rounded),
              drawn.bases);
          bits += drawn.bits;
          beyond += std::ssize(group.prompt->tokens) + std::ssize(drawn.tokens) > folder.config.max_length - 2;
          progress.update(static_cast<uint64_t>(++sequences * options.length));
        }
      });
  output.commit();
  if (beyond)
    log::info(counted(beyond, "sequence is", "sequences are"), " longer, with the prompt, than the ",
              folder.config.max_length - 2,
              " tokens that the model reads: behind these, each token is drawn given the ", "last ",
              (folder.config.max_length - 2) / 2, " or more");
  log::info(counted(sequences, "sequence"), " of ", options.length, " bp, ",
            bits / static_cast<double>(sequences * options.length), " bits per base");
}

}  // namespace bigdna::prediction
