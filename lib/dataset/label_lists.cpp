#include "dataset/label_lists.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/log.h"
#include "dataset/label_words.h"
#include "io/delimited.h"

namespace bigdna::dataset {

namespace {
using Entries = std::vector<std::string>;
constexpr std::string_view kListBlanks = " \t\r\n", kOpening = "[({", kClosing = "])}";
/// What programs write before the brackets of a list.
constexpr std::string_view kCalls[] = {"c",       "array",   "np.array", "numpy.array", "tensor",    "torch.tensor",
                                       "list",    "tuple",   "set",      "frozenset",   "character", "numeric",
                                       "integer", "logical", "Decimal"};
constexpr std::string_view kEmptyInR[] = {"character", "numeric", "integer", "logical"};  // character(0)

bool is_call(std::string_view name) {
  return std::ranges::find(kCalls, name) != std::end(kCalls) || name.starts_with("np.");  // np.float64(0.5)
}

bool is_quote(char c) { return c == '\'' || c == '"'; }
bool is_opening(char c) { return kOpening.find(c) != kOpening.npos; }
bool is_value(const std::string& entry) { return number_of(entry) || truth_of(entry) || io::is_missing_word(entry); }

/// The place of the bracket that closes the first letter; npos if none does. Quotes hide brackets.
size_t place_of_closing(std::string_view text) {
  std::string waiting;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote) {
      at += c == '\\';
      if (c == quote) quote = 0;
    } else if (is_quote(c)) {
      quote = c;
    } else if (is_opening(c)) {
      waiting += kClosing[kOpening.find(c)];
    } else if (c == waiting.back()) {
      waiting.pop_back();
      if (waiting.empty()) return at;
    }
  }
  return text.npos;
}

/// Reads what stands between the brackets of a list.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  Entries read() {
    bool separated = false;
    Entries entries;
    while (skip_blanks(), at_ < text_.size())
      if (text_[at_] == ',' || text_[at_] == ';')
        separated = true, ++at_;
      else
        entries.push_back(entry());
    return separated || quoted_ || entries.size() != 1 ? entries : between_blanks(entries[0]);
  }

 private:
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kListBlanks, at_), text_.size()); }
  char next() const { return at_ < text_.size() ? text_[at_] : ','; }

  std::string entry() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(",;'\"[](){}", at_), text_.size());
    auto plain = std::string(text_.substr(begin, at_ - begin));
    plain.resize(plain.find_last_not_of(kListBlanks) + 1);
    if (is_quote(next()) && (plain.empty() || plain == "u" || plain == "b")) return quoted();
    if (next() == '(' && plain.starts_with("np.")) {  // np.int64(1)
      ++at_;
      auto inner = entry();
      if (next() != ')') fail("has a bracket that is not closed");
      ++at_;
      return inner;
    }
    if (is_quote(next())) fail("has a quote inside an entry");
    if (is_opening(next())) fail("holds a list in a list");
    if (plain.find_first_of(":=") != plain.npos) fail("gives names to its entries");
    if (plain.find("...") != plain.npos) fail("was shortened when it was written");
    return plain;
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string entry;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      entry += text_[at_];
    }
    if (at_ == text_.size()) fail("has a quote that is not closed");
    ++at_;
    quoted_ = true;
    skip_blanks();
    if (next() == ':') fail("gives names to its entries");
    return std::string(trimmed(entry));
  }

  static Entries between_blanks(const std::string& plain) {
    std::istringstream input(plain);
    Entries parts;
    for (std::string part; input >> part;) parts.push_back(part);
    if (parts.size() > 1 && !std::ranges::all_of(parts, is_value)) fail("has words without quotes and commas");
    return parts;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool quoted_ = false;
};

/// Whether a word has a bracket or a quote that is not closed.
bool is_part_of_list(std::string_view word) {
  for (const auto& [opening, closing] : {std::pair('[', ']'), std::pair('{', '}')}) {
    int64_t open = 0;
    for (const char c : word)
      if ((open += (c == opening) - (c == closing)) < 0) return true;
    if (open) return true;
  }
  return is_quote(word.front()) && (word.size() == 1 || word.back() != word.front());
}

/// The lists of a column.
class Column {
 public:
  Column(const LabelText& text, std::optional<LabelType> forced) : text_(text), forced_(forced) {
    for (size_t row = 0; row < text.rows.size(); ++row) cells_.push_back(cell(row));
  }

  std::optional<LabelText> without_lists() {
    if (!forced_) refuse_other_separators();
    const auto is_list = [](const Cell& cell) { return cell.bracketed || cell.entries.size() > 1; };
    if (std::ranges::none_of(cells_, is_list)) return std::nullopt;
    const bool commas_of_numbers = std::ranges::all_of(cells_, [&](const Cell& cell) {
      return !is_list(cell) || (!cell.bracketed && is_separated_number(std::string(cell.field)));
    });
    if (commas_of_numbers) return std::nullopt;  // "0,35": not read, as read_labels() says
    if (const auto width = width_of_numbers()) return spread(*width);
    if (std::ranges::none_of(cells_, &Cell::bracketed)) return std::nullopt;
    return joined();
  }

 private:
  struct Cell {
    std::string_view field;
    bool missing = false, bracketed = false;
    Entries entries;
  };

  template <class... Cause>
  [[noreturn]] void refuse(size_t row, const Cause&... cause) const {
    fail(text_.places[row], ": ", text_.columns[0], " '", cells_.size() > row ? cells_[row].field : text_.rows[row][0],
         "' ", cause...);
  }

  Cell cell(size_t row) const {
    Cell cell{trimmed(text_.rows[row][0]), false, false, {}};
    cell.missing = io::is_missing_word(cell.field);
    if (cell.missing) return cell;
    try {
      if (auto entries = listed(cell.field)) {
        cell.bracketed = true;
        cell.entries = std::move(*entries);
        return cell;
      }
    } catch (const Error& error) {
      refuse(row, error.what(), " (--label-type classes, if it is a name)");
    }
    cell.entries = words_of(cell.field);
    if (std::ranges::any_of(cell.entries, is_part_of_list))
      refuse(row, "is part of a list: a bracket or a quote is not closed (--label-type classes, if it is a name)");
    return cell;
  }

  /// The length of all lists, if these are numbers, and what each place holds is a label.
  std::optional<size_t> width_of_numbers() const {
    bool truths = true, names = true, same = true;
    std::optional<size_t> first, other;
    for (size_t row = 0; row < cells_.size(); ++row) {
      const auto& [field, missing, bracketed, entries] = cells_[row];
      if (missing) continue;
      if (!std::ranges::all_of(entries, is_value)) return std::nullopt;
      for (const auto& entry : entries) {
        truths = truths && (truth_of(entry) || io::is_missing_word(entry));
        names = names && (whole_of(entry) || !number_of(entry));
      }
      names = names && std::set<std::string_view>(entries.begin(), entries.end()).size() == entries.size();
      if (!first) first = row;
      if (entries.size() != cells_[*first].entries.size() && !other) other = row;
    }
    same = first && !other;
    const size_t width = first ? cells_[*first].entries.size() : 0;
    if (same && width < 2) return std::nullopt;
    const bool numbers = forced_ && are_numbers(*forced_);
    if (same && (truths || numbers || (!names && !forced_))) return width;
    if (same && !forced_)
      refuse(*first, "is a list of ", width,
             " whole numbers, as that of every row: are they names or numbers? "
             "(--label-type multilabel or regression)");
    if (!same && (numbers || (!names && !forced_)))
      refuse(*other, "is a list of ", cells_[*other].entries.size(), ", but that of ", text_.places[*first], " one of ",
             width, ": lists of numbers need one length");
    return std::nullopt;
  }

  LabelText spread(size_t width) const {
    LabelText spread{{}, {}, text_.places};
    for (size_t i = 0; i < width; ++i) spread.columns.push_back(concat(text_.columns[0], i + 1));
    for (const auto& cell : cells_) spread.rows.push_back(cell.missing ? Entries(width) : cell.entries);
    return spread;
  }

  LabelText joined() const {
    LabelText joined{text_.columns, {}, text_.places};
    // where a row has none of the names, these are lists, of whatever length
    const bool any_empty =
        std::ranges::any_of(cells_, [](const Cell& cell) { return cell.bracketed && cell.entries.empty(); });
    for (size_t row = 0; row < cells_.size(); ++row) {
      const auto& cell = cells_[row];
      std::string field;
      for (const auto& entry : cell.entries) {
        if (entry.find_first_of(",;") != entry.npos)
          refuse(row, "lists '", entry, "', a name with a comma or semicolon");
        field += (field.empty() ? "" : ";") + entry;
      }
      if (any_empty) field += ';';
      joined.rows.push_back({cell.missing ? std::string(cell.field) : field});
    }
    return joined;
  }

  /// Error where labels are joined by something else than commas and semicolons; a warning where they may be.
  void refuse_other_separators() const {
    std::set<std::string_view> fields;
    for (const auto& cell : cells_)
      if (!cell.missing && !cell.bracketed) fields.insert(cell.field);
    bool any_bar = false;
    for (size_t row = 0; row < cells_.size(); ++row) {
      const auto& cell = cells_[row];
      if (cell.missing || cell.bracketed || cell.entries.size() != 1) continue;
      for (const char separator : {'|', '#', '/', '&', '+', ':', ' '}) {
        const auto parts = io::split(cell.field, separator);
        if (parts.size() < 2 || is_separated_number(std::string(cell.field))) continue;
        const bool numbers = std::ranges::all_of(parts, [](auto part) { return number_of(part).has_value(); });
        const bool alone = std::ranges::all_of(parts, [&](auto part) { return fields.contains(trimmed(part)); });
        if ((numbers && (parts.size() > 2 || separator == ' ')) || (alone && separator != ' '))
          refuse(row, "joins labels by '", separator,
                 "': lists are joined by commas or semicolons (--label-type classes, if it is a name)");
        any_bar = any_bar || separator == '|';
      }
    }
    if (any_bar)
      log::warn("column ", text_.columns[0],
                ": labels with a '|' are taken for names (lists are joined by commas or semicolons)");
  }

  const LabelText& text_;
  std::optional<LabelType> forced_;
  std::vector<Cell> cells_;
};
}  // namespace

std::optional<Entries> listed(std::string_view field) {
  const auto text = trimmed(field);
  const auto name = text.substr(0, std::min(text.find('('), text.size()));
  if (name.size() < text.size() && is_call(name)) {
    const auto call = text.substr(name.size());
    const size_t end = place_of_closing(call);
    if (end == call.npos) fail("has a bracket that is not closed");
    if (end + 1 < call.size()) return std::nullopt;  // "c(1) protein"
    auto inner = trimmed(call.substr(1, end - 1));
    if (inner == "0" && std::ranges::find(kEmptyInR, name) != std::end(kEmptyInR)) return Entries();
    if (inner.empty() || !is_opening(inner.front())) return ListReader(inner).read();
    const size_t closing = place_of_closing(inner);
    if (closing == inner.npos) fail("has a bracket that is not closed");
    return ListReader(inner.substr(1, closing - 1)).read();  // behind it may be dtype=float32
  }
  if (text.empty() || !is_opening(text.front())) return std::nullopt;
  const size_t end = place_of_closing(text);
  if (text.front() == '(' && (end != text.size() - 1 || text.find_first_of(",;") == text.npos)) return std::nullopt;
  if (end == text.npos) fail("has a bracket or a quote that is not closed");
  if (end != text.size() - 1) return std::nullopt;  // "[Fe-S] protein"
  return ListReader(text.substr(1, end - 1)).read();
}

std::optional<LabelText> without_lists(const LabelText& text, std::optional<LabelType> forced) {
  if (text.columns.size() != 1 || forced == LabelType::binary || forced == LabelType::classes) return std::nullopt;
  return Column(text, forced).without_lists();
}

}  // namespace bigdna::dataset
