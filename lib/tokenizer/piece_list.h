/// The pieces while a vocabulary is learned: symbols, then merges in order; and the order of pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace bigdna::tokenizer {

class PieceList {
 public:
  PieceList(const std::vector<std::string>& symbols, int max_length)
      : max_length_(max_length), symbols_(symbols.size()) {
    for (const std::string& symbol : symbols) pieces_.push_back({symbol, 1});
  }
  size_t size() const { return pieces_.size(); }
  size_t merges() const { return pieces_.size() - symbols_; }
  const std::string& text(size_t piece) const { return pieces_[piece].text; }
  int length(size_t piece) const { return pieces_[piece].length; }  // characters

  bool fits(size_t left, size_t right) const { return length(left) + length(right) <= max_length_; }
  /// Adds left + right as the next piece. Returns false and adds nothing if that text is already a merged piece.
  bool add(size_t left, size_t right) {
    std::string joined = text(left) + text(right);
    if (!merged_.insert(joined).second) return false;
    const int length = this->length(left) + this->length(right);
    pieces_.push_back({std::move(joined), length});
    return true;
  }
  /// Whether the first of two equally frequent pairs merges first: the shorter piece does, then the lesser text.
  bool before(size_t left1, size_t right1, size_t left2, size_t right2) const {
    const int length1 = length(left1) + length(right1), length2 = length(left2) + length(right2);
    if (length1 != length2) return length1 < length2;
    const std::string_view a = text(left1), b = text(right1), c = text(left2), d = text(right2);
    if (const int order = a.substr(0, c.size()).compare(c.substr(0, a.size()))) return order < 0;
    if (a.size() == c.size()) return b < d;
    if (a.size() < c.size()) {
      const std::string_view rest = c.substr(a.size());
      if (const int order = b.substr(0, rest.size()).compare(rest.substr(0, b.size()))) return order < 0;
      return b.size() <= rest.size() ? b.size() < rest.size() + d.size() : b.substr(rest.size()) < d;
    }
    const std::string_view rest = a.substr(c.size());
    if (const int order = rest.substr(0, d.size()).compare(d.substr(0, rest.size()))) return order < 0;
    return d.size() <= rest.size() ? false : b < d.substr(rest.size());
  }

 private:
  struct Entry {
    std::string text;
    int length;
  };
  int max_length_;
  size_t symbols_;
  std::vector<Entry> pieces_;
  std::unordered_set<std::string> merged_;
};

}  // namespace bigdna::tokenizer
