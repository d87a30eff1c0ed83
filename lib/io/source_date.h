/// The time that a file may record: that of the build system which makes it, so that it can be made again, or now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bigdna::io {

/// Seconds since 1970 in the environment's SOURCE_DATE_EPOCH, as https://reproducible-builds.org specifies; nothing if
/// it is not set. Error if it is no such number.
std::optional<uint64_t> source_date();

/// The day of source_date() in UTC or, without one, today in local time: "2026-11-29".
std::string date_of_today();

}  // namespace bigdna::io
