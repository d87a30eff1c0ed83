/// Python's pickles as inert data: nothing that a pickle names is looked up, imported or called. Objects and calls
/// become values that say what they were made of; whoever reads a file takes from them what it knows.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bigdna::io {

struct Pickled;
using PickledValue = Pickled*;

struct Pickled {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,      // str and bytes
    sequence,  // tuple, list and set
    dictionary,
    name,       // of a class or function: "collections.OrderedDict"
    made,       // the result of calling a name, or an object of a class
    persistent  // what the file keeps elsewhere: of PyTorch, the numbers of a tensor
  };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string text = {};                                            // of a text or name
  std::vector<PickledValue> items = {};                             // of a sequence; of what was made, the arguments
  std::vector<std::pair<PickledValue, PickledValue>> entries = {};  // of a dictionary, or set in what was made
  PickledValue of = nullptr;     // what was called; the key of what is kept elsewhere
  PickledValue state = nullptr;  // of an object, what its class would have got

  bool is(Kind other) const { return kind == other; }
  /// Whether it was made by calling (or as an object of) a name.
  bool is_made_by(std::string_view name) const;
  /// The entry of this key of a dictionary, or of what was made; null if there is none.
  const Pickled* find(std::string_view key) const;
};

/// A pickle's values, which may refer to each other in circles.
struct Pickle {
  std::deque<Pickled> values;
  const Pickled* root = nullptr;
};
/// The value of a pickle of protocol 2 to 5. Error "WHERE: cause" for a damaged one, or one with other instructions
/// than data and objects need.
Pickle read_pickle(std::string_view bytes, const std::string& where);

}  // namespace bigdna::io
