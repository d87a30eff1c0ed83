#include "corpus/examples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/rng.h"

namespace bigdna::corpus {

namespace {
// attempts to draw a second segment that does not overlap the first; a tiny genome may have none
constexpr int kDraws = 8;
constexpr size_t kIds = size_t{1} << 16;  // a corpus holds ids of 16 bits, whatever the vocabulary's size

/// Tokens [begin, end) of a document.
struct Stretch {
  int64_t document = 0, begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

/// Sentence starts of `document` in [low, high], as indices [first, last).
std::pair<int64_t, int64_t> sentences_within(const Document& document, int64_t low, int64_t high) {
  const auto& starts = document.sentence_starts;
  const auto first = std::lower_bound(starts.begin(), starts.end(), static_cast<uint32_t>(std::max<int64_t>(0, low)));
  const auto last = high < 0 ? first : std::upper_bound(first, starts.end(), static_cast<uint32_t>(high));
  return {first - starts.begin(), last - starts.begin()};
}
}  // namespace

const char* to_string(Objective objective) {
  constexpr std::array kNames{"mlm+nsp", "mlm", "next"};
  return kNames[static_cast<size_t>(objective)];
}

Masker::Masker(const tokenizer::Vocabulary& vocabulary, double fraction, Hiding hiding)
    : fraction_(fraction),
      hiding_(hiding),
      mask_(vocabulary.special().mask),
      maskable_(std::max(static_cast<size_t>(vocabulary.size()), kIds), 0) {
  if (!(fraction > 0 && fraction <= 1)) throw UsageError("--mask-fraction: must be above 0 and at most 1");
  if (mask_ < 0) fail("the vocabulary has no [MASK]");
  for (tokenizer::TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.is_special(id)) continue;
    pieces_.push_back(id);
    maskable_[static_cast<size_t>(id)] = 1;
  }
}

void Masker::operator()(Example& example, Rng& rng) const {
  int64_t left = 0;
  for (const int32_t id : example.ids) left += maskable_[static_cast<size_t>(id)];
  if (left == 0) return;
  auto need = std::max<int64_t>(1, std::llround(fraction_ * static_cast<double>(left)));
  example.masked.reserve(static_cast<size_t>(need));
  example.masked_labels.reserve(static_cast<size_t>(need));
  // selection sampling: each token with probability need / left (Knuth 3.4.2, algorithm S)
  for (size_t i = 0; need > 0; ++i) {
    int32_t& id = example.ids[i];
    if (!maskable_[static_cast<size_t>(id)]) continue;
    if (static_cast<int64_t>(uint64_t{rng.next32()} * static_cast<uint64_t>(left--) >> 32) >= need) continue;
    --need;
    example.masked.push_back(static_cast<int32_t>(i));
    example.masked_labels.push_back(id);
    const uint64_t fate = rng.below(10);
    if (fate < 8)
      id = mask_;
    else if (fate == 8)
      id = pieces_[rng.below(pieces_.size())];
    if (hiding_ == Hiding::all) id = mask_;
  }
}

void predict_next_tokens(Example& example, const tokenizer::Vocabulary& vocabulary) {
  for (size_t i = 1; i + 1 < example.ids.size(); ++i) {
    if (vocabulary.is_special(example.ids[i])) continue;
    example.masked.push_back(static_cast<int32_t>(i - 1));
    example.masked_labels.push_back(example.ids[i]);
  }
}

struct ExampleSource::State {
  std::shared_ptr<const Corpus> corpus;
  ExampleOptions options;
  tokenizer::SpecialTokens special;
  int64_t payload = 0;         // P
  std::vector<int64_t> first;  // index of each document's first example; the last entry is the number of examples
  std::vector<uint8_t> bases;  // of each id; [UNK] 1
  std::function<void(Example&, Rng&)> predict;  // chooses the tokens to be predicted
  std::optional<tokenizer::Encoder> encoder;    // with gaps

  int64_t document_of(int64_t example) const {
    return std::upper_bound(first.begin(), first.end(), example) - first.begin() - 1;
  }

  Stretch stretch_of(int64_t example, Rng& rng) const {
    Stretch stretch;
    stretch.document = document_of(example);
    const int64_t j = example - first[static_cast<size_t>(stretch.document)];
    const int64_t count =
        first[static_cast<size_t>(stretch.document) + 1] - first[static_cast<size_t>(stretch.document)];
    const int64_t tokens = corpus->tokens(stretch.document);
    int64_t size = std::min(tokens, payload), slack = tokens - size;
    if (count > 1) {
      const int64_t overlap = size - (slack + count - 2) / (count - 1);
      stretch.begin = std::clamp<int64_t>(j * slack / (count - 1) + rng.between(0, overlap) - overlap / 2, 0, slack);
    }
    if (size > 2 && rng.uniform() < options.short_sequence_probability) {
      const int64_t shorter = rng.between(2, size);
      stretch.begin += rng.between(0, size - shorter);
      size = shorter;
    }
    stretch.end = stretch.begin + size;
    return stretch;
  }

  /// The stretch of an example, and the random numbers that follow.
  std::pair<Stretch, Rng> begin(int64_t epoch, int64_t index) const {
    const auto key = [&](uint64_t what) { return mix({options.seed, static_cast<uint64_t>(epoch), what}); };
    const auto number =
        static_cast<int64_t>(Permutation(static_cast<uint64_t>(first.back()), key(0))(static_cast<uint64_t>(index)));
    Rng rng(key(1), static_cast<uint64_t>(number));
    Stretch stretch = stretch_of(number, rng);
    return {stretch, rng};
  }

  /// What its example becomes, if that has a gap.
  std::optional<Gap> gap_of(const Document& document, const Stretch& stretch, Rng& rng) const {
    if (!encoder || rng.uniform() >= options.gaps) return std::nullopt;
    const auto& vocabulary = encoder->vocabulary();
    std::string bases;
    for (int64_t i = stretch.begin; i < stretch.end; ++i) {
      const auto id = document.tokens[static_cast<size_t>(i)];
      if (vocabulary.is_special(id)) return std::nullopt;
      bases += vocabulary.piece(id).text;
    }
    return draw_gap(bases, rng);
  }

  /// Bases of a document's tokens [begin, end), on the forward strand.
  genome::Region region_of(const Document& document, int64_t begin, int64_t end) const {
    const auto offset = [&](int64_t token) {
      const auto after = std::upper_bound(document.sentence_starts.begin(), document.sentence_starts.end(),
                                          static_cast<uint32_t>(token));
      const auto sentence = static_cast<size_t>(after - document.sentence_starts.begin()) - 1;
      int64_t at = document.sentence_bases[sentence];
      for (int64_t i = document.sentence_starts[sentence]; i < token; ++i)
        at += bases[document.tokens[static_cast<size_t>(i)]];
      return std::min(at, document.region.length());
    };
    const int64_t from = offset(begin),
                  to = end == static_cast<int64_t>(document.tokens.size()) ? document.region.length() : offset(end);
    genome::Region region = document.region;
    region.start = document.region.strand == '-' ? document.region.end - to : document.region.start + from;
    region.end = document.region.strand == '-' ? document.region.end - from : document.region.start + to;
    return region;
  }

  /// Where a stretch is cut in two; `at_sentence` tells whether that is a sentence boundary.
  int64_t cut(const Document& document, const Stretch& stretch, Rng& rng, bool& at_sentence) const {
    const auto [low, high] = sentences_within(document, stretch.begin + 1, stretch.end - 1);
    at_sentence = high > low;
    return at_sentence ? document.sentence_starts[static_cast<size_t>(rng.between(low, high - 1))]
                       : rng.between(stretch.begin + 1, stretch.end - 1);
  }

  /// `size` tokens (fewer if the document has no more) from anywhere in the corpus except `avoided`, from the start of
  /// a sentence on if `at_sentence`.
  Stretch elsewhere(int64_t size, bool at_sentence, const genome::Region& avoided, Rng& rng) const {
    Stretch stretch;
    for (int draw = 0; draw < kDraws; ++draw) {
      stretch.document = document_of(static_cast<int64_t>(rng.below(static_cast<uint64_t>(first.back()))));
      const Document document = corpus->document(stretch.document);
      const auto tokens = static_cast<int64_t>(document.tokens.size());
      const int64_t last = std::max<int64_t>(0, tokens - size);  // the last start that leaves `size` tokens
      if (at_sentence)
        stretch.begin =
            document
                .sentence_starts[static_cast<size_t>(rng.between(0, sentences_within(document, 0, last).second - 1))];
      else
        stretch.begin = rng.between(0, last);
      stretch.end = std::min(tokens, stretch.begin + size);
      const auto region = region_of(document, stretch.begin, stretch.end);
      if (region.contig != avoided.contig || region.end <= avoided.start || avoided.end <= region.start) break;
    }
    return stretch;
  }

  static void append(const Document& document, int64_t begin, int64_t end, uint8_t type, int32_t separator,
                     Example& example) {
    example.ids.insert(example.ids.end(), document.tokens.begin() + begin, document.tokens.begin() + end);
    example.ids.push_back(separator);
    example.token_types.resize(example.ids.size(), type);
  }
};

void check_max_length(int64_t max_length, Objective objective, bool gaps) {
  if (gaps && max_length < kGapSpecials + 3)
    throw UsageError(concat("--max-length ", max_length, ": must be ", kGapSpecials + 3,
                            " or more with gaps ([CLS], a token, [MASK], a token, [SEP], a token, [SEP])"));
  if (objective != Objective::mlm_nsp && max_length < 3)
    throw UsageError(concat("--max-length ", max_length, ": must be 3 or more ([CLS], a token, [SEP])"));
  if (objective == Objective::mlm_nsp && max_length < 5)
    throw UsageError(concat("--max-length ", max_length,
                            ": must be 5 or more ([CLS], two sentences of a token, each with its [SEP])"));
}

ExampleSource::ExampleSource(std::shared_ptr<const Corpus> corpus, const tokenizer::Vocabulary& vocabulary,
                             ExampleOptions options) {
  auto state = std::make_shared<State>();
  State& s = *state;
  const bool pairs = options.objective == Objective::mlm_nsp;
  if (options.gaps > 0 && options.objective != Objective::next) throw UsageError("--gaps needs --objective next");
  check_max_length(options.max_length, options.objective, options.gaps > 0);
  if (options.gaps > 0) s.encoder.emplace(vocabulary);
  s.corpus = std::move(corpus);
  s.options = options;
  s.special = vocabulary.special();
  if (s.special.cls < 0 || s.special.sep < 0 || s.special.mask < 0)
    fail("the vocabulary has no [CLS], [SEP] or [MASK]");
  if (options.objective == Objective::next)
    s.predict = [vocabulary](Example& example, Rng&) { predict_next_tokens(example, vocabulary); };
  else
    s.predict = Masker(vocabulary, options.mask_fraction, options.hiding);
  s.payload = options.max_length - (pairs ? 3 : 2);
  s.bases.assign(kIds, 1);
  for (tokenizer::TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.is_special(id)) continue;
    s.bases[static_cast<size_t>(id)] = static_cast<uint8_t>(std::min(255, vocabulary.bases(id)));
  }
  s.first.reserve(static_cast<size_t>(s.corpus->documents()) + 1);
  s.first.push_back(0);
  for (int64_t d = 0; d < s.corpus->documents(); ++d)
    s.first.push_back(s.first.back() + (s.corpus->tokens(d) + s.payload - 1) / s.payload);
  state_ = std::move(state);
}

int64_t ExampleSource::size() const { return state_->first.back(); }

std::optional<Gap> ExampleSource::gap(int64_t epoch, int64_t index) const {
  auto [stretch, rng] = state_->begin(epoch, index);
  return state_->gap_of(state_->corpus->document(stretch.document), stretch, rng);
}

Example ExampleSource::make(int64_t epoch, int64_t index) const {
  const State& s = *state_;
  auto [stretch, rng] = s.begin(epoch, index);
  const Document document = s.corpus->document(stretch.document);
  if (const auto gap = s.gap_of(document, stretch, rng)) {
    auto tokens = tokenise(*gap, *s.encoder);
    if (const auto middle = std::ssize(tokens.middle); middle + kGapSpecials <= s.options.max_length) {
      cut_flanks(tokens, s.options.max_length, middle);
      Example example = gap_example(tokens, s.special, s.options.gap_part);
      example.index = index;
      example.region = s.region_of(document, stretch.begin, stretch.end);
      return example;
    }
  }
  Example example;
  example.index = index;
  example.ids.reserve(static_cast<size_t>(s.payload + 3));
  example.ids.push_back(s.special.cls);
  if (s.options.objective != Objective::mlm_nsp) {
    s.append(document, stretch.begin, stretch.end, 0, s.special.sep, example);
    example.region = s.region_of(document, stretch.begin, stretch.end);
  } else {
    bool at_sentence = false, random = rng.below(2) == 1;
    // A single token has no continuation.
    const int64_t middle = stretch.size() < 2 ? stretch.end : s.cut(document, stretch, rng, at_sentence);
    random |= middle == stretch.end;
    Stretch second{stretch.document, middle, stretch.end};
    if (random) {
      second = s.elsewhere(std::max<int64_t>(1, second.size()), at_sentence,
                           s.region_of(document, stretch.begin, stretch.end), rng);
      random =
          second.document != stretch.document || second.begin != middle;  // false in a corpus of, say, two sentences
    }
    s.append(document, stretch.begin, middle, 0, s.special.sep, example);
    s.append(s.corpus->document(second.document), second.begin, second.end, 1, s.special.sep, example);
    example.targets = {random ? 1.0f : 0.0f};
    example.region = s.region_of(document, stretch.begin, middle);
  }
  s.predict(example, rng);
  return example;
}

}  // namespace bigdna::corpus
