#include "session/gap_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/log_sum.h"
#include "genome/alphabet.h"

namespace bigdna::session {

using tokenizer::TokenId;

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kNever = -std::numeric_limits<double>::infinity();

}  // namespace

void GapModel::check(const model_folder::ModelConfig& config, const tokenizer::Vocabulary& vocabulary,
                     const std::string& name) {
  if (config.gaps == 0 || !config.has_mlm())
    fail(name,
         ": was not trained with gaps, so it does not read what stands behind a gap (bigdna pretrain --objective next "
         "--gaps SHARE makes a model that does)");
  for (const char base : genome::kBases)
    if (vocabulary.find(std::string_view(&base, 1)) < 0)
      fail(name, ": its vocabulary has no token of a single ", base, ", so not every gap can be filled exactly");
}

int64_t GapModel::longest(const model_folder::ModelConfig& config) {
  return config.max_length - corpus::kGapSpecials - 2;
}

GapModel::GapModel(const Session& session, const tokenizer::Encoder& encoder, const std::string& name)
    : session_(session), encoder_(encoder), tokens_(encoder.vocabulary().base_tokens()) {
  check(session.config(), encoder.vocabulary(), name);
}

size_t GapModel::reach() const {
  return static_cast<size_t>(session_.config().max_length * encoder_.vocabulary().longest_piece());
}

std::string_view GapModel::near(std::string_view left) const {
  return left.substr(left.size() - std::min(left.size(), reach()));
}

corpus::GapTokens GapModel::flanks(std::string_view left, std::string_view right, int64_t bases, int64_t tokens) const {
  auto of = corpus::tokenise({std::string(near(left)), "", std::string(right.substr(0, reach()))}, encoder_);
  // A base has a token of its own at worst; where that leaves less than half of the model to the flanks, they have half
  // unless the middle needs more.
  const int64_t half = (session_.config().max_length - corpus::kGapSpecials) / 2;
  corpus::cut_flanks(of, session_.config().max_length, std::max(tokens, std::min(bases, half)));
  return of;
}

std::vector<double> GapModel::fitting(std::span<const float> logits, int64_t bases, double temperature) const {
  const auto& vocabulary = encoder_.vocabulary();
  std::vector<double> values;
  for (const TokenId id : tokens_)
    values.push_back(vocabulary.bases(id) <= bases ? logits[static_cast<size_t>(id)] / temperature : kNever);
  const double total = log_sum(values);
  for (double& value : values) value -= total;
  return values;
}

std::vector<GapScore> GapModel::scores(std::string_view left, std::string_view right,
                                       std::span<const std::string> middles) const {
  const auto& vocabulary = encoder_.vocabulary();
  std::vector<GapScore> scores(middles.size(), {kNone, kNone});
  std::vector<std::vector<TokenId>> tokens;
  std::vector<size_t> scored;
  int64_t most_bases = 0, most_tokens = 0;
  for (size_t i = 0; i < middles.size(); ++i) {
    const auto& middle = middles[i];
    if (middle.empty() || !genome::is_bases(middle)) continue;
    std::vector<TokenId> own;
    encoder_.encode_ids(middle, own);
    if (std::ssize(own) + corpus::kGapSpecials > session_.config().max_length) continue;
    most_bases = std::max(most_bases, std::ssize(middle)), most_tokens = std::max(most_tokens, std::ssize(own));
    tokens.push_back(std::move(own));
    scored.push_back(i);
  }
  if (scored.empty()) return scores;
  auto gap = flanks(left, right, most_bases, most_tokens);
  std::vector<corpus::Example> examples;
  for (auto& own : tokens) {
    gap.middle = own;
    examples.push_back(corpus::gap_example(gap, vocabulary.special(), corpus::GapPart::middle));
  }
  const auto all = session_.masked_logits(examples);
  const auto columns = static_cast<size_t>(session_.config().vocab_size);
  for (size_t k = 0; k < scored.size(); ++k) {
    GapScore score;
    int64_t bases = std::ssize(middles[scored[k]]);
    for (size_t t = 0; t < examples[k].masked.size(); ++t) {
      const auto logits = std::span(all[k]).subspan(t * columns, columns);
      const TokenId id = examples[k].masked_labels[t];
      score.with_end += logits[static_cast<size_t>(id)] - log_sum(logits);
      if (t == tokens[k].size()) break;  // [SEP]: nothing else fits
      const auto place = std::ranges::lower_bound(tokens_, id) - tokens_.begin();
      score.of_length += fitting(logits, bases)[static_cast<size_t>(place)];
      bases -= vocabulary.bases(id);
    }
    scores[scored[k]] = score;
  }
  return scores;
}

double GapModel::left_alone(std::string_view left, const std::string& middle) const {
  const auto& vocabulary = encoder_.vocabulary();
  if (middle.empty() || !genome::is_bases(middle)) return kNone;
  const int64_t room = session_.config().max_length - 2;
  const auto own = static_cast<int64_t>(encoder_.encode(middle).size());
  if (own > room) return kNone;
  const int64_t most = room - std::max(own, std::min(std::ssize(middle), room / 2));
  left = near(left);
  const auto before = encoder_.encode(left);
  const auto cut = std::max<int64_t>(0, static_cast<int64_t>(before.size()) - most);
  left.remove_prefix(static_cast<size_t>(before.begins[static_cast<size_t>(cut)]));
  std::vector<TokenId> alone, whole;
  encoder_.encode_ids(left, alone);
  encoder_.encode_ids(std::string(left) + middle, whole);
  if (std::ssize(whole) > room) return kNone;
  const auto same = std::ranges::mismatch(alone, whole).in1 - alone.begin();
  std::vector<corpus::Example> examples;
  for (const auto* ids : {&alone, &whole}) {
    corpus::Example example;
    example.ids = {vocabulary.special().cls};
    for (const TokenId id : *ids) {
      const auto position = std::ssize(example.ids) - 1;  // of the token before it
      if (position >= same && !vocabulary.is_special(id)) {
        example.masked.push_back(static_cast<int32_t>(position));
        example.masked_labels.push_back(id);
      }
      example.ids.push_back(id);
    }
    example.ids.push_back(vocabulary.special().sep);
    example.token_types.assign(example.ids.size(), 0);
    examples.push_back(std::move(example));
  }
  const auto nats = session_.masked_nats(examples);
  return std::accumulate(nats[0].begin(), nats[0].end(), 0.0) - std::accumulate(nats[1].begin(), nats[1].end(), 0.0);
}

DrawnMiddle GapModel::draw(std::string_view left, std::string_view right, int64_t bases, double temperature,
                           Rng& rng) const {
  const auto& vocabulary = encoder_.vocabulary();
  const auto columns = static_cast<size_t>(session_.config().vocab_size);
  auto gap = flanks(left, right, bases, 0);
  DrawnMiddle drawn;
  while (std::ssize(drawn.bases) < bases) {
    const int64_t rest = bases - std::ssize(drawn.bases);
    gap.middle = drawn.tokens;
    corpus::cut_flanks(gap, session_.config().max_length, std::ssize(gap.middle) + 1);
    auto example = corpus::gap_example(gap, vocabulary.special(), corpus::GapPart::middle);
    example.masked = {example.masked.back()};  // what follows the middle so far
    example.masked_labels = {vocabulary.special().sep};
    const auto all = session_.masked_logits({example});
    const auto logits = std::span(all.front()).subspan(0, columns);
    const auto log_p = fitting(logits, rest);
    size_t chosen = 0;
    if (temperature > 0) {
      double left_over = rng.uniform();
      const auto tempered = fitting(logits, rest, temperature);
      for (size_t i = 0; i < tempered.size() && left_over >= 0; ++i)
        if (tempered[i] > kNever) chosen = i, left_over -= std::exp(tempered[i]);
    } else {
      chosen = static_cast<size_t>(std::ranges::max_element(log_p) - log_p.begin());
    }
    drawn.nats += log_p[chosen];
    drawn.tokens.push_back(tokens_[chosen]);
    drawn.bases += vocabulary.piece(tokens_[chosen]).text;
  }
  return drawn;
}

}  // namespace bigdna::session
