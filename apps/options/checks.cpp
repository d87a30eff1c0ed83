#include "apps/options/checks.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"

namespace bigdna::apps {

namespace {
CLI::Validator number(const std::function<bool(double)>& fits, const std::string& must, const std::string& in_help) {
  return CLI::Validator(
      [fits, must](std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
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

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        return error == std::errc() && end == text.data() + text.size()
                   ? std::string()
                   : concat("must be a whole number below 2^64, not ", text);
      },
      "");
}

CLI::Validator bytes() { return CLI::AsSizeValue(false); }

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
