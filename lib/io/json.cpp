#include "io/json.h"

#include <algorithm>

#include "base/error.h"
#include "io/output.h"

namespace bigdna::io {

namespace {
/// Stops a parser that goes too deep, and keeps nothing.
class Depth : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(size_t) override { return ++depth_ <= kDeepestJson; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(size_t) override { return ++depth_ <= kDeepestJson; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

 private:
  int depth_ = 0;
};
}  // namespace

template <class Json>
Json parse_json(std::string_view text, const std::string& where) {
  using Event = typename Json::parse_event_t;
  const auto check_depth = [&](int outer, Event event, Json&) {
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (begins && outer >= kDeepestJson) fail(where, ": its JSON is nested more than ", kDeepestJson, " levels deep");
    return true;
  };
  try {
    return Json::parse(text, check_depth);
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
  Depth depth;
  if (!nlohmann::json::sax_parse(bytes, &depth, nlohmann::json::input_format_t::msgpack)) fail(where, ": damaged");
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
