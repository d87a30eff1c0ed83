#include "apps/options/checks.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <type_traits>

#include "base/error.h"

namespace bigdna::apps {

namespace {
CLI::Validator number(const std::function<bool(double)>& fits, const std::string& must, const std::string& in_help) {
  return CLI::Validator(
      [fits, must](std::string& text) {
        double value = 0;
        const bool is_decimal = text.find_first_of("xX") == text.npos;
        const bool is_number = is_decimal && CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        return is_number && fits(value) ? std::string() : concat("must be ", must, ", not ", text);
      },
      in_help);
}
}  // namespace

CLI::Validator positive() {
  return number([](double value) { return value > 0; }, "above 0", "POSITIVE");
}

CLI::Validator not_negative() {
  return number([](double value) { return value >= 0; }, "0 or more", "NONNEGATIVE");
}

CLI::Validator between(double low, double high) {
  return number([=](double value) { return low <= value && value <= high; }, concat("from ", low, " to ", high),
                concat("FLOAT in [", low, " - ", high, "]"));
}

CLI::Validator between(int low, int high) {
  return number([=](double value) { return low <= value && value <= high; }, concat("from ", low, " to ", high),
                concat("INT in [", low, " - ", high, "]"));
}

template <class T>
CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.empty()) return std::string();  // not_empty() says so
        T value = 0;
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
        // No number of bases, tokens or steps is larger, and sums of a few such numbers do not overflow.
        const int bits = std::is_same_v<T, int64_t> ? 48 : std::numeric_limits<T>::digits;
        const bool fits = !std::is_same_v<T, int64_t> || std::abs(static_cast<double>(value)) <= std::ldexp(1., bits);
        if (error == std::errc() && at == end && fits) return text = std::to_string(value), std::string();
        std::string range;
        if (std::is_unsigned_v<T>)
          range = concat(" below 2^", bits);
        else if (error == std::errc::result_out_of_range || !fits)
          range = concat(" between -2^", bits, " and 2^", bits);
        return concat("must be a whole number", range, ", not ", text);
      },
      "");
}
template CLI::Validator whole_number<int>();
template CLI::Validator whole_number<int64_t>();
template CLI::Validator whole_number<uint64_t>();

CLI::Validator bytes() {
  return CLI::Validator(
      [](std::string& text) {
        static const std::map<std::string, int> kPowers{{"", 0},    {"b", 0},  {"k", 1},   {"kb", 1}, {"kib", 1},
                                                        {"m", 2},   {"mb", 2}, {"mib", 2}, {"g", 3},  {"gb", 3},
                                                        {"gib", 3}, {"t", 4},  {"tb", 4},  {"tib", 4}};
        int64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, value);
        const auto power = kPowers.find(CLI::detail::to_lower(CLI::detail::trim_copy(std::string(at, end))));
        if (error == std::errc::invalid_argument || power == kPowers.end())
          return concat("must be a whole number of bytes, or one with k, m, g or t, such as 500m, not ", text);
        const int64_t factor = int64_t{1} << (10 * power->second), most = std::numeric_limits<int64_t>::max() / factor;
        if (error != std::errc() || value > most || value < -most)
          return concat("must be below 2^63 bytes, not ", text);
        text = std::to_string(value * factor);
        return std::string();
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

CLI::Validator no_stdout() {
  return CLI::Validator(
      [](std::string& text) { return std::string(text == "-" ? "- is stdout, and a folder is written: name it" : ""); },
      "");
}

void require_different(const std::vector<std::string>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (inputs[i] == "-" && inputs[j] == "-") throw UsageError("stdin can be given once");
      std::error_code missing;
      if (std::filesystem::equivalent(inputs[i], inputs[j], missing)) throw UsageError(inputs[i] + " is given twice");
    }
}

}  // namespace bigdna::apps
