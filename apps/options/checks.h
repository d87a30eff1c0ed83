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
/// A whole number of at least 0 that fits 64 bits: CLI11 accepts "-1" and numbers that are too large.
CLI::Validator whole_number();
/// A transform, to be followed by a check: a number of bytes, possibly with a unit. k, kb and kib are all 1024; the
/// same holds for m, g and so on.
CLI::Validator bytes();
/// Rejects "", which is usually a shell variable that was not set.
CLI::Validator not_empty();
CLI::Validator no_stdout();  // a folder's name: not -

/// UsageError if a file (by any path) or stdin is given twice.
void require_different(const std::vector<std::string>& inputs);

}  // namespace bigdna::apps
