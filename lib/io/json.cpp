#include "io/json.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::io {

namespace {
/// Reads events and keeps nothing but how deep they go and how many keys the largest object has. It stops where they
/// go too deep. A parser's own callback would do, but nlohmann-json then looks through an array again after each object
/// in it.
class Shape : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool too_deep() const { return keys_.size() > kDeepestJson; }
  size_t most_keys() const { return most_keys_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override {
    most_keys_ = std::max(most_keys_, ++keys_.back());
    return true;
  }
  bool start_object(size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  bool begin() {
    keys_.push_back(0);
    return !too_deep();
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  std::vector<size_t> keys_;  // of each object (0: array) that is open
  size_t most_keys_ = 0;
};
}  // namespace

template <class Json>
Json parse_json(std::string_view text, const std::string& where) {
  Shape shape;
  nlohmann::json::sax_parse(text, &shape);
  if (shape.too_deep()) fail(where, ": its JSON is nested more than ", kDeepestJson, " levels deep");
  if (std::is_same_v<Json, nlohmann::ordered_json> && shape.most_keys() > kMostKeys)
    fail(where, ": an object of its JSON has ", shape.most_keys(), " keys; at most ", kMostKeys, " are read");
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& error) {
    const auto before = text.substr(0, error.byte > 0 ? error.byte - 1 : 0);
    fail(where, ": is not JSON (line ", 1 + std::count(before.begin(), before.end(), '\n'), ")");
  } catch (const typename Json::exception&) {
    fail(where, ": is not JSON (a number is out of range)");
  }
}

template nlohmann::ordered_json parse_json(std::string_view, const std::string&);
template nlohmann::json parse_json(std::string_view, const std::string&);

nlohmann::ordered_json read_json(const std::string& path) { return parse_json(read_file(path), path); }

nlohmann::json parse_message_pack(std::string_view bytes, const std::string& where) {
  Shape shape;
  if (!nlohmann::json::sax_parse(bytes, &shape, nlohmann::json::input_format_t::msgpack)) fail(where, ": damaged");
  return nlohmann::json::from_msgpack(bytes);
}

template <class Json>
int64_t whole_number(const Json& value, int64_t least, int64_t most, std::string_view what, const std::string& where) {
  const bool fits = value.is_number_unsigned() ? std::cmp_less_equal(value.template get<uint64_t>(), most) &&
                                                     std::cmp_greater_equal(value.template get<uint64_t>(), least)
                    : value.is_number_integer()
                        ? value.template get<int64_t>() >= least && value.template get<int64_t>() <= most
                        : false;
  if (!fits)
    fail(where, ": the ", what, ' ', value.dump(-1, ' ', false, Json::error_handler_t::replace),
         " is not a whole number from ", least, " to ", most);
  return value.template get<int64_t>();
}

template int64_t whole_number(const nlohmann::ordered_json&, int64_t, int64_t, std::string_view, const std::string&);
template int64_t whole_number(const nlohmann::json&, int64_t, int64_t, std::string_view, const std::string&);

}  // namespace bigdna::io
