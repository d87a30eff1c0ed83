#include "tokenizer/edited_text.h"

#include <algorithm>
#include <optional>

namespace bigdna::tokenizer {

namespace {
constexpr size_t kAround = 24;  // tokens at the ends of a shared part that are encoded again with the text beside it

/// Tokens [first, last) of an encoding; `shift` is to be added to their positions.
struct Run {
  size_t first = 0, last = 0;
  int64_t shift = 0;
};

class Editor {
 public:
  Editor(const Encoder& encoder, const Encoding& original, std::string_view edited)
      : encoder_(encoder), original_(original), edited_(edited) {}

  /// nullopt where two stretches have no token in common.
  std::optional<Encoding> encode(std::span<const SharedPart> shared) {
    const auto size = static_cast<int64_t>(edited_.size());
    bool open = false;  // what follows `result_` is not yet encoded
    for (size_t i = 0; i < shared.size(); ++i) {
      const auto& part = shared[i];
      const Run run = run_of(part);
      if (i == 0 && part.from == 0 && part.to == 0) {
        append(run);
      } else {
        const Run head{run.first, std::min(run.last, run.first + kAround), run.shift};
        if (head.first == head.last) {  // too short to hold a token: it is encoded with what follows
          open = true;
          continue;
        }
        if (!encode_until(original_.begins[head.last] + run.shift)) return std::nullopt;
        if (!join_run(run)) return std::nullopt;
      }
      open = part.from + part.length != original_.begins.back() || part.to + part.length != size;
    }
    if ((open || result_.ids.empty()) && !encode_until(size)) return std::nullopt;
    if (result_end_ != size) return std::nullopt;
    result_.begins.push_back(size);
    return std::move(result_);
  }

 private:
  Run run_of(const SharedPart& part) const {
    const auto& begins = original_.begins;
    const auto first = std::lower_bound(begins.begin(), begins.end(), part.from) - begins.begin();
    const auto last = std::upper_bound(begins.begin(), begins.end(), part.from + part.length) - begins.begin() - 1;
    return {static_cast<size_t>(first), static_cast<size_t>(std::max(first, last)), part.to - part.from};
  }

  void append(const Run& run) {
    result_.ids.insert(result_.ids.end(), original_.ids.begin() + static_cast<std::ptrdiff_t>(run.first),
                       original_.ids.begin() + static_cast<std::ptrdiff_t>(run.last));
    for (size_t i = run.first; i < run.last; ++i) result_.begins.push_back(original_.begins[i] + run.shift);
    if (run.first < run.last) result_end_ = original_.begins[run.last] + run.shift;
  }

  bool joins(TokenId id) const {
    return !encoder_.vocabulary().is_special(id) && !encoder_.vocabulary().contains_n(id);
  }

  /// Appends the tokens up to `end` to the result, whose last tokens are encoded again.
  bool encode_until(int64_t end) {
    const size_t kept = result_.ids.size() - std::min(kAround, result_.ids.size());
    const int64_t begin = kept < result_.ids.size() ? result_.begins[kept] : 0;
    auto window = encoder_.encode(edited_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
    for (int64_t& at : window.begins) at += begin;
    size_t i = kept, j = 0;
    if (kept > 0) {  // from the first token on that both have
      while (i < result_.ids.size() && j < window.size() &&
             !(result_.begins[i] == window.begins[j] && result_.ids[i] == window.ids[j] && joins(window.ids[j])))
        ++(result_.begins[i] < window.begins[j] ? i : j);
      if (i >= result_.ids.size() || j >= window.size()) return false;
    }
    result_.ids.resize(i);
    result_.begins.resize(i);
    result_.ids.insert(result_.ids.end(), window.ids.begin() + static_cast<std::ptrdiff_t>(j), window.ids.end());
    result_.begins.insert(result_.begins.end(), window.begins.begin() + static_cast<std::ptrdiff_t>(j),
                          window.begins.end() - 1);
    result_end_ = end;
    return true;
  }

  /// Switches from the result to the run at the first token that both have.
  bool join_run(const Run& run) {
    size_t i = static_cast<size_t>(
        std::lower_bound(result_.begins.begin(), result_.begins.end(), original_.begins[run.first] + run.shift) -
        result_.begins.begin());
    size_t j = run.first;
    while (i < result_.ids.size() && j < run.last) {
      const int64_t at = original_.begins[j] + run.shift;
      if (result_.begins[i] == at && result_.ids[i] == original_.ids[j] && joins(result_.ids[i])) {
        result_.ids.resize(i);
        result_.begins.resize(i);
        append({j, run.last, run.shift});
        return true;
      }
      ++(result_.begins[i] < at ? i : j);
    }
    return false;
  }

  const Encoder& encoder_;
  const Encoding& original_;
  std::string_view edited_;
  Encoding result_;  // begins without its last entry
  int64_t result_end_ = 0;
};
}  // namespace

Encoding encode_edited(const Encoder& encoder, const Encoding& original, std::string_view edited,
                       std::span<const SharedPart> shared) {
  const auto& rules = encoder.vocabulary().rules();
  // with a prefix, or with runs of N as one token, a stretch is not encoded as it would be within the whole
  const bool whole = rules.dummy_prefix || (rules.long_n && edited.find('N') != std::string_view::npos);
  if (!whole)
    if (auto encoding = Editor(encoder, original, edited).encode(shared)) return std::move(*encoding);
  return encoder.encode(edited);
}

}  // namespace bigdna::tokenizer
