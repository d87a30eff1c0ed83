/// What option values are checked with: as CLI11's own validators, but "nan" and "inf" do not pass, and a message says what the
/// value must be.
#pragma once

#include <CLI/CLI.hpp>

namespace bigdna::apps {

CLI::Validator positive();
CLI::Validator not_negative();
/// Both ends included.
CLI::Validator between(double low, double high);
CLI::Validator between(int low, int high);
/// A whole number from 0, of 64 bits: CLI11 makes a number of "-1" and of what is too large.
CLI::Validator whole_number();
/// A transform, to be followed by a check: a number of bytes, or one with a unit; k, kb, kib are 1024, m, g and so on likewise.
CLI::Validator bytes();
/// "" is a shell variable that was not set, which must not mean "no value".
CLI::Validator not_empty();

/// UsageError where a file is given twice, by whatever path, or stdin is.
void require_different(const std::vector<std::string>& inputs);

}  // namespace bigdna::apps
