/// JSON is parsed here and nowhere else (cmake/check_one_place.sh), so that no file can overflow the stack:
/// nlohmann-json copies and prints values by recursion.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bigdna::io {

/// How many arrays and objects may lie in each other; bigdna's own files have fewer than ten.
inline constexpr size_t kDeepestJson = 64;
/// How many keys an object of an ordered_json may have: it compares each key with all before it.
inline constexpr size_t kMostKeys = 10'000;

/// The value of a JSON text. `Json` is nlohmann::ordered_json, or nlohmann::json for objects of many keys. Error
/// "WHERE: is not JSON (line N)", or that it is nested deeper than kDeepestJson or has an object of too many keys.
template <class Json = nlohmann::ordered_json>
Json parse_json(std::string_view text, const std::string& where);
extern template nlohmann::ordered_json parse_json(std::string_view, const std::string&);
extern template nlohmann::json parse_json(std::string_view, const std::string&);

/// The value of a file. Error naming it.
nlohmann::ordered_json read_json(const std::string& path);

/// The value of MessagePack's bytes. Error "WHERE: damaged", also for what is nested deeper than kDeepestJson. (Not
/// CBOR: nlohmann-json reads its strings by recursion, too.)
nlohmann::json parse_message_pack(std::string_view bytes, const std::string& where);

/// A whole number of a JSON value, in [least, most]; get<int64_t>() would cut fractions off and let large numbers wrap
/// around. Error "WHERE: the WHAT ... is not a whole number from LEAST to MOST".
template <class Json>
int64_t whole_number(const Json& value, int64_t least, int64_t most, std::string_view what, const std::string& where);
extern template int64_t whole_number(const nlohmann::ordered_json&, int64_t, int64_t, std::string_view,
                                     const std::string&);
extern template int64_t whole_number(const nlohmann::json&, int64_t, int64_t, std::string_view, const std::string&);

}  // namespace bigdna::io
