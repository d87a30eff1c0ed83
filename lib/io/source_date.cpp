#include "io/source_date.h"

#include <cstdlib>
#include <ctime>

#include "base/error.h"
#include "base/number.h"

namespace bigdna::io {

std::optional<uint64_t> source_date() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (!text) return std::nullopt;
  const auto time = parse_number<uint64_t>(text);
  if (!time || *time >> 33) fail("SOURCE_DATE_EPOCH is '", text, "', not a number of seconds since 1970");
  return time;
}

std::string date_of_today() {
  const auto recorded = source_date();
  const auto seconds = recorded ? static_cast<std::time_t>(*recorded) : std::time(nullptr);
  std::tm parts{};
  recorded ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace bigdna::io
