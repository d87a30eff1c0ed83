/// Log lines and the progress bar, on stderr; stdout is for data only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace bigdna::log {

enum class Level { quiet, normal, verbose };

/// Sets the level and the prefix of every line ("bigdna corpus"). Called by apps/, and by a command that turns out to
/// be one rank of several.
void configure(Level level, std::string prefix);
Level level();

/// Writes a line if the level is `least` or above.
void write(Level least, std::string_view text);

/// A line to stderr unless --quiet.
template <class... T>
void info(const T&... parts) {
  if (level() >= Level::normal) write(Level::normal, concat(parts...));
}
/// "warning: ..." unless --quiet.
template <class... T>
void warn(const T&... parts) {
  if (level() >= Level::normal) write(Level::normal, concat("warning: ", parts...));
}
/// A line to stderr with -v.
template <class... T>
void verbose(const T&... parts) {
  if (level() >= Level::verbose) write(Level::verbose, concat(parts...));
}
/// An error line: always written, whatever the level.
void error(std::string_view text);

/// A progress bar if stderr is a terminal (else nothing), redrawn at most ten times a second, with rate and time left.
class Progress {
 public:
  /// `total` 0: unknown. `unit` follows the rate, e.g. "bp" -> "12.3 Mbp/s".
  Progress(std::string label, uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Sets the amount done; `note` follows the bar (loss, accuracy ...). Call from one thread.
  void update(uint64_t done, std::string_view note = {});

 private:
  std::string label_, unit_;
  uint64_t total_;
  bool visible_;
  std::chrono::steady_clock::time_point start_, drawn_{};
};

/// "12.3 k", "4.56 M", "3.10 G": three digits and a decimal prefix.
std::string human(double value);
/// "45 s", "12 min 5 s", "3 h 20 min".
std::string duration(double seconds);
/// Peak resident memory of this process in bytes.
uint64_t peak_memory();

}  // namespace bigdna::log
