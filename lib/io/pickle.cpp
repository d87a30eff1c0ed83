#include "io/pickle.h"

#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/error.h"

namespace bigdna::io {

bool Pickled::is_made_by(std::string_view name) const {
  return kind == Kind::made && of && of->kind == Kind::name && of->text == name;
}

const Pickled* Pickled::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name->kind == Kind::text && name->text == key) return value;
  return nullptr;
}

namespace {

using Kind = Pickled::Kind;

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  Pickle run() && {
    while (true) {
      const auto code = static_cast<unsigned char>(take(1)[0]);
      if (code == '.') {
        result_.root = pop();
        return std::move(result_);
      }
      if (!(constant(code) || structure(code) || call(code) || memo(code)))
        damaged(concat("has the instruction ", static_cast<int>(code), ", which no saved model needs"));
    }
  }

 private:
  [[noreturn]] void damaged(const std::string& why) const { fail(where_, ": the pickle ", why); }
  std::string_view take(uint64_t size) {
    if (size > bytes_.size()) damaged("is truncated");
    const auto part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  uint64_t number(size_t size) {  // little-endian
    uint64_t value = 0;
    const auto part = take(size);
    for (size_t i = 0; i < size; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(part[i])) << (8 * i);
    return value;
  }
  std::string line() {
    const auto end = bytes_.find('\n');
    if (end == std::string_view::npos) damaged("is truncated");
    std::string text(take(end));
    take(1);
    return text;
  }
  void push(Pickled value) { push(&result_.values.emplace_back(std::move(value))); }
  void push(PickledValue value) { stack_.push_back(value); }
  PickledValue pop() {
    if (stack_.size() <= base()) damaged("takes more values than it has");
    const auto value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Pickled& top() {
    if (stack_.size() <= base()) damaged("takes more values than it has");
    return *stack_.back();
  }
  size_t base() const { return marks_.empty() ? 0 : marks_.back(); }
  std::vector<PickledValue> pop_to_mark() {
    if (marks_.empty()) damaged("takes more values than it has");
    const auto begin = stack_.begin() + static_cast<int64_t>(marks_.back());
    std::vector<PickledValue> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return values;
  }
  std::vector<PickledValue> pop_some(size_t count) {
    std::vector<PickledValue> values(count);
    for (size_t i = count; i > 0; --i) values[i - 1] = pop();
    return values;
  }
  void push_integer(int64_t value) { push({.kind = Kind::integer, .integer = value}); }
  void push_text(uint64_t size) { push({.kind = Kind::text, .text = std::string(take(size))}); }
  void push_sequence(std::vector<PickledValue> items) { push({.kind = Kind::sequence, .items = std::move(items)}); }
  void set_entries(const std::vector<PickledValue>& pairs) {
    if (pairs.size() % 2) damaged("has a key without a value");
    for (size_t i = 0; i < pairs.size(); i += 2) top().entries.emplace_back(pairs[i], pairs[i + 1]);
  }
  void append(const std::vector<PickledValue>& items) {
    top().items.insert(top().items.end(), items.begin(), items.end());
  }

  /// LONG1: two's complement, of which only what fits 64 bits is known.
  void push_long() {
    const auto size = number(1);
    if (size > 8) {
      take(size);
      return push(Pickled{});
    }
    const uint64_t value = number(size);
    const bool negative = size > 0 && size < 8 && value >> (8 * size - 1);
    push_integer(static_cast<int64_t>(negative ? value | ~uint64_t{0} << (8 * size) : value));
  }
  void push_real() {  // big-endian
    uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    push({.kind = Kind::real, .real = std::bit_cast<double>(bits)});
  }

  bool constant(unsigned char code) {
    switch (code) {
      case 0x80:
        take(1);
        break;  // PROTO
      case 0x95:
        take(8);
        break;  // FRAME
      case 'N':
        push(Pickled{});
        break;
      case 0x88:
        push({.kind = Kind::boolean, .integer = 1});
        break;
      case 0x89:
        push({.kind = Kind::boolean});
        break;
      case 'K':
        push_integer(static_cast<int64_t>(number(1)));
        break;
      case 'M':
        push_integer(static_cast<int64_t>(number(2)));
        break;
      case 'J':
        push_integer(static_cast<int32_t>(number(4)));
        break;
      case 0x8a:
        push_long();
        break;
      case 'G':
        push_real();
        break;
      case 'X':
      case 'T':
      case 'B':
        push_text(number(4));
        break;
      case 0x8c:
      case 'U':
      case 'C':
        push_text(number(1));
        break;
      case 0x8d:
      case 0x8e:
        push_text(number(8));
        break;
      default:
        return false;
    }
    return true;
  }

  bool structure(unsigned char code) {
    switch (code) {
      case '(':
        marks_.push_back(stack_.size());
        break;
      case '}':
        push({.kind = Kind::dictionary});
        break;
      case ']':
      case ')':
      case 0x8f:
        push_sequence({});
        break;
      case 't':
        push_sequence(pop_to_mark());
        break;
      case 0x85:
        push_sequence(pop_some(1));
        break;
      case 0x86:
        push_sequence(pop_some(2));
        break;
      case 0x87:
        push_sequence(pop_some(3));
        break;
      case 'a':
        append(pop_some(1));
        break;
      case 'e':
      case 0x90:
        append(pop_to_mark());
        break;
      case 's':
        set_entries(pop_some(2));
        break;
      case 'u':
        set_entries(pop_to_mark());
        break;
      case '0':
        pop();
        break;
      case '1':
        pop_to_mark();
        break;
      case '2':
        top(), push(stack_.back());
        break;
      default:
        return false;
    }
    return true;
  }

  /// What would call or look up something in Python: here it only says so.
  bool call(unsigned char code) {
    switch (code) {
      case 'c': {  // GLOBAL
        const std::string module = line();
        push({.kind = Kind::name, .text = module + "." + line()});
        break;
      }
      case 0x93: {  // STACK_GLOBAL
        const auto parts = pop_some(2);
        push({.kind = Kind::name, .text = parts[0]->text + "." + parts[1]->text});
        break;
      }
      case 'R':
      case 0x81: {  // REDUCE, NEWOBJ
        const auto parts = pop_some(2);
        push({.kind = Kind::made, .items = parts[1]->items, .of = parts[0]});
        break;
      }
      case 'b': {  // BUILD
        const auto state = pop();
        top().state = state;
        break;
      }
      case 'Q':
        push({.kind = Kind::persistent, .of = pop()});
        break;
      default:
        return false;
    }
    return true;
  }

  bool memo(unsigned char code) {
    switch (code) {
      case 'q':
        remember(number(1));
        break;
      case 'r':
        remember(number(4));
        break;
      case 0x94:
        remember(memo_.size());
        break;
      case 'h':
        recall(number(1));
        break;
      case 'j':
        recall(number(4));
        break;
      default:
        return false;
    }
    return true;
  }
  void remember(uint64_t place) {
    top();
    memo_[place] = stack_.back();
  }
  void recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) damaged("refers to a value that it does not have");
    push(found->second);
  }

  std::string_view bytes_;
  const std::string& where_;
  Pickle result_;
  std::vector<PickledValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PickledValue> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes, const std::string& where) { return Machine(bytes, where).run(); }

}  // namespace bigdna::io
