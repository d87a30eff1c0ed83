/// Checks of option values: like CLI11's own validators, but they reject "nan" and "inf", and a message says what the
/// value must be.
#pragma once

#include <CLI/CLI.hpp>

namespace bigdna::apps {

CLI::Validator positive();
CLI::Validator not_negative();
/// A number from `low` to `high`, both included.
CLI::Validator between(double low, double high);
CLI::Validator between(int low, int high);
/// A transform: a decimal number that fits T (int, int64_t or uint64_t), without its leading zeros. CLI11 would read
/// 0100 as octal, 0x2 as hexadecimal, and -1 as 2^64 - 1.
template <class T>
CLI::Validator whole_number();
/// A transform, to be followed by a check: a number of bytes, possibly with a unit. k, kb and kib are all 1024; the
/// same holds for m, g and t.
CLI::Validator bytes();
/// Rejects "", which is usually a shell variable that was not set.
CLI::Validator not_empty();
CLI::Validator no_stdout();  // a folder's name: not -

/// UsageError if a file (by any path) or stdin is given twice.
void require_different(const std::vector<std::string>& inputs);

}  // namespace bigdna::apps
