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
/// "" is a shell variable that was not set, which must not mean "no value".
CLI::Validator not_empty();

}  // namespace bigdna::apps
