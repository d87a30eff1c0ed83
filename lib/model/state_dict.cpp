#include "model/state_dict.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <caffe2/serialize/inline_container.h>

#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/table.h"
#include "io/paths.h"

namespace bigdna::model {

static_assert(std::endian::native == std::endian::little, "pickles and storages are little-endian");

namespace {

using caffe2::serialize::PyTorchStreamReader;

/// A Python object. Parts point into Unpickler::values_, which owns all of them, so that nothing is freed by recursion.
struct Value {
  enum Kind { none, mark, whole, real, text, sequence, dictionary, global, storage, tensor } kind = none;
  int64_t number = 0;                // whole numbers and truth values; of a storage: its elements
  std::string word{};                // text; a global's "MODULE NAME"
  std::vector<Value*> parts{};       // of tuples and lists; of dictionaries key, value, key, value ...
  at::ScalarType type = at::kFloat;  // of a storage
  const char* data = nullptr;        // of a storage
  at::Tensor values{};               // of a tensor: contiguous, float
};

struct StorageRow {
  std::string_view name;
  at::ScalarType type;
};
constexpr std::array<StorageRow, 9> kStorages{{{"torch FloatStorage", at::kFloat},
                                               {"torch DoubleStorage", at::kDouble},
                                               {"torch HalfStorage", at::kHalf},
                                               {"torch BFloat16Storage", at::kBFloat16},
                                               {"torch LongStorage", at::kLong},
                                               {"torch IntStorage", at::kInt},
                                               {"torch ShortStorage", at::kShort},
                                               {"torch ByteStorage", at::kByte},
                                               {"torch BoolStorage", at::kBool}}};

/// A file inside the zip file, which torch.save does not compress. Error if it claims to be larger than the whole.
std::pair<at::DataPtr, size_t> record(PyTorchStreamReader& zip, size_t bytes, const std::string& name) {
  if (zip.getRecordSize(name) > bytes) fail("damaged: ", name, " is larger than the file");
  auto [data, size] = zip.getRecord(name);
  return {std::move(data), size};
}

class Unpickler {
 public:
  Unpickler(PyTorchStreamReader& zip, size_t bytes, std::string_view code) : zip_(zip), bytes_(bytes), code_(code) {}

  Parameters state_dict() {
    const Value& root = *run();
    require(root.kind == Value::dictionary, "it holds no state dict");
    Parameters tensors;
    for (size_t i = 0; i + 1 < root.parts.size(); i += 2) {
      require(root.parts[i]->kind == Value::text, "a key of its dict is not text");
      const std::string& name = root.parts[i]->word;
      if (root.parts[i + 1]->kind != Value::tensor) fail("'", name, "' is not a tensor, so this is not a state dict");
      tensors[name] = root.parts[i + 1]->values;
    }
    return tensors;
  }

 private:
  static void require(bool holds, const char* cause = "damaged") {
    if (!holds) fail(cause);
  }

  std::string_view take(size_t count) {
    require(count <= code_.size() - at_);
    at_ += count;
    return code_.substr(at_ - count, count);
  }
  template <class T>
  T read() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view line() {
    const size_t end = code_.find('\n', at_);
    require(end != code_.npos);
    const auto text = take(end - at_);
    ++at_;
    return text;
  }

  Value* make(Value value) { return &values_.emplace_back(std::move(value)); }
  void push(Value value) { stack_.push_back(make(std::move(value))); }
  void push_number(int64_t number) { push({.kind = Value::whole, .number = number}); }
  Value* pop() {
    require(!stack_.empty() && stack_.back()->kind != Value::mark);
    Value* top = stack_.back();
    stack_.pop_back();
    return top;
  }
  /// What lies above the last mark, which is removed.
  std::vector<Value*> pop_to_mark() {
    size_t from = stack_.size();
    while (from > 0 && stack_[from - 1]->kind != Value::mark) --from;
    require(from > 0);
    std::vector<Value*> parts(stack_.begin() + static_cast<std::ptrdiff_t>(from), stack_.end());
    stack_.resize(from - 1);
    return parts;
  }
  void push_tuple(size_t count) {
    std::vector<Value*> parts(count);
    for (size_t i = count; i-- > 0;) parts[i] = pop();
    push({.kind = Value::sequence, .parts = std::move(parts)});
  }
  void append(Value::Kind kind, const std::vector<Value*>& parts) {
    require(!stack_.empty() && stack_.back()->kind == kind && (kind == Value::sequence || parts.size() % 2 == 0));
    stack_.back()->parts.insert(stack_.back()->parts.end(), parts.begin(), parts.end());
  }
  void remember(uint32_t place) {
    require(!stack_.empty());
    memo_[place] = stack_.back();
  }
  void recall(uint32_t place) {
    const auto found = memo_.find(place);
    require(found != memo_.end());
    stack_.push_back(found->second);
  }

  Value* run() {
    while (true) {
      const auto code = static_cast<uint8_t>(take(1)[0]);
      switch (code) {
        case 0x80:
          require(read<uint8_t>() <= 5, "its pickle is of an unknown version");
          break;  // PROTO
        case 0x95:
          take(8);
          break;  // FRAME
        case '.':
          return pop();
        case '(':
          push({.kind = Value::mark});
          break;
        case 'N':
          push({});
          break;
        case 0x88:
          push_number(1);
          break;  // True
        case 0x89:
          push_number(0);
          break;
        case 'K':
          push_number(read<uint8_t>());
          break;
        case 'M':
          push_number(read<uint16_t>());
          break;
        case 'J':
          push_number(read<int32_t>());
          break;
        case 0x8a:
          push_number(long_number(take(read<uint8_t>())));
          break;
        case 'G':
          take(8), push({.kind = Value::real});
          break;
        case 'X':
          push({.kind = Value::text, .word = std::string(take(read<uint32_t>()))});
          break;
        case 0x8c:
          push({.kind = Value::text, .word = std::string(take(read<uint8_t>()))});
          break;
        case ')':
          push_tuple(0);
          break;
        case 0x85:
          push_tuple(1);
          break;
        case 0x86:
          push_tuple(2);
          break;
        case 0x87:
          push_tuple(3);
          break;
        case 't':
          push({.kind = Value::sequence, .parts = pop_to_mark()});
          break;
        case ']':
          push({.kind = Value::sequence});
          break;
        case '}':
          push({.kind = Value::dictionary});
          break;
        case 'a':
          append_one(Value::sequence, 1);
          break;
        case 'e':
          append_all(Value::sequence);
          break;
        case 's':
          append_one(Value::dictionary, 2);
          break;
        case 'u':
          append_all(Value::dictionary);
          break;
        case 'q':
          remember(read<uint8_t>());
          break;
        case 'r':
          remember(read<uint32_t>());
          break;
        case 0x94:
          remember(static_cast<uint32_t>(memo_.size()));
          break;
        case 'h':
          recall(read<uint8_t>());
          break;
        case 'j':
          recall(read<uint32_t>());
          break;
        case 'c':
          global();
          break;
        case 'Q':
          storage(*pop());
          break;
        case 'R':
          call();
          break;
        case 'b':
          pop(), require(!stack_.empty());
          break;  // attributes, as the _metadata of a state dict
        default:
          fail("its pickle has the instruction ", int{code}, ", which no state dict needs");
      }
    }
  }
  void append_one(Value::Kind kind, size_t count) {
    std::vector<Value*> parts(count);
    for (size_t i = count; i-- > 0;) parts[i] = pop();
    append(kind, parts);
  }
  void append_all(Value::Kind kind) { append(kind, pop_to_mark()); }

  static int64_t long_number(std::string_view bytes) {
    require(bytes.size() <= 8, "a number is too large");
    uint64_t value = !bytes.empty() && (bytes.back() & 0x80) ? ~uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return static_cast<int64_t>(value);
  }

  void global() {
    const auto module = line();
    push({.kind = Value::global, .word = concat(module, ' ', line())});
  }

  /// A tensor's bytes: ("storage", type, key, device, number of elements).
  void storage(const Value& id) {
    const auto& parts = id.parts;
    require(id.kind == Value::sequence && parts.size() == 5 && parts[0]->word == "storage" &&
            parts[1]->kind == Value::global && parts[2]->kind == Value::text && parts[4]->kind == Value::whole);
    const StorageRow* row = find_row(kStorages, parts[1]->word);
    if (!row) fail("tensors of type ", parts[1]->word, " are not supported");
    Value value{.kind = Value::storage, .number = parts[4]->number, .type = row->type};
    auto& [data, size] = records_[parts[2]->word];
    if (!data && value.number > 0) std::tie(data, size) = record(zip_, bytes_, "data/" + parts[2]->word);
    require(value.number >= 0 && static_cast<uint64_t>(value.number) <= size / c10::elementSize(row->type),
            "a tensor's data are shorter than its storage");
    value.data = static_cast<const char*>(data.get());
    push(std::move(value));
  }

  void call() {
    const Value& arguments = *pop();
    const Value& function = *pop();
    require(function.kind == Value::global && arguments.kind == Value::sequence);
    if (function.word == "collections OrderedDict") {
      require(arguments.parts.empty());
      push({.kind = Value::dictionary});
    } else if (function.word == "torch._utils _rebuild_tensor_v2") {
      tensor(arguments.parts);
    } else if (function.word == "torch._utils _rebuild_parameter") {
      require(!arguments.parts.empty() && arguments.parts[0]->kind == Value::tensor);
      stack_.push_back(arguments.parts[0]);
    } else {
      fail("it names ", function.word, ", which no state dict needs");
    }
  }

  static std::vector<int64_t> numbers(const Value& tuple) {
    require(tuple.kind == Value::sequence);
    std::vector<int64_t> numbers;
    for (const Value* part : tuple.parts) {
      require(part->kind == Value::whole && part->number >= 0);
      numbers.push_back(part->number);
    }
    return numbers;
  }

  /// (storage, offset, size, stride, ...)
  void tensor(const std::vector<Value*>& parts) {
    require(parts.size() >= 4 && parts[0]->kind == Value::storage && parts[1]->kind == Value::whole &&
            parts[1]->number >= 0);
    const Value& storage = *parts[0];
    const auto sizes = numbers(*parts[2]), strides = numbers(*parts[3]);
    require(sizes.size() == strides.size());
    int64_t count = 1, last = parts[1]->number;  // elements, and the index of the last one
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t reach = 0;
      require(!__builtin_mul_overflow(count, sizes[i], &count) &&
              !__builtin_mul_overflow(std::max<int64_t>(0, sizes[i] - 1), strides[i], &reach) &&
              !__builtin_add_overflow(last, reach, &last));
    }
    // a view of more elements than the storage has repeats them; no weights do
    require(count == 0 || (last < storage.number && count <= storage.number), "a tensor is larger than its storage");
    Value value{.kind = Value::tensor};
    if (count == 0) {
      value.values = at::empty(sizes);
    } else {
      auto* const data = const_cast<char*>(storage.data) +  // from_blob takes void*; it is only read
                         static_cast<size_t>(parts[1]->number) * c10::elementSize(storage.type);
      value.values = at::from_blob(data, sizes, strides, storage.type)
                         .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true)
                         .contiguous();
    }
    push(std::move(value));
  }

  PyTorchStreamReader& zip_;
  size_t bytes_;  // of the whole file
  std::string_view code_;
  size_t at_ = 0;
  std::deque<Value> values_;
  std::vector<Value*> stack_;
  std::map<uint32_t, Value*> memo_;
  std::map<std::string, std::pair<at::DataPtr, size_t>> records_;  // a storage that tensors share is read once
};

}  // namespace

Parameters read_state_dict(const std::string& path) try {
  constexpr size_t kLongestPickle = size_t{4} << 20;  // a thousand tensors take a quarter of one
  PyTorchStreamReader zip(io::openable(path));
  const size_t bytes = io::extent_of(path).bytes;
  try {
    if (zip.hasRecord("byteorder")) {
      const auto [order, size] = record(zip, bytes, "byteorder");
      if (std::string_view(static_cast<const char*>(order.get()), size) != "little") fail("is not little-endian");
    }
    const auto [code, size] = record(zip, std::min(bytes, kLongestPickle), "data.pkl");
    return Unpickler(zip, bytes, {static_cast<const char*>(code.get()), size}).state_dict();
  } catch (const Error& error) {
    fail(path, ": ", error.what(), " (load it in Python and save_pretrained(..., safe_serialization=True))");
  }
} catch (const c10::Error&) {
  fail(path,
       ": damaged, or not PyTorch's zip format (1.6 and later): load it in Python and save_pretrained(..., "
       "safe_serialization=True)");
}

}  // namespace bigdna::model
