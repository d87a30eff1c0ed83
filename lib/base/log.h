/// Log lines and progress, on stderr; stdout is for data only.
///
/// A line is "bigdna COMMAND: text" on a terminal. Elsewhere, in the log of a batch job, the local time and the hours,
/// minutes and seconds since the start precede it: "2026-11-26T07:28:30+01:00 0:00:12 bigdna COMMAND: text". With
/// LineFormat::json it is an object: time, elapsed (s), level, command, message; of progress also done, total, unit and
/// seconds_left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/pace.h"

namespace bigdna::log {

enum class Level { quiet, normal, verbose };
enum class LineFormat { text, json };
enum class LineKind { error, warning, info, verbose };  // of a line

/// Sets the level and the prefix of every line ("bigdna corpus"). Called by apps/, and by a command that turns out to
/// be one rank of several.
void configure(Level level, std::string prefix);
void set_format(LineFormat format);
/// Seconds between two lines about progress off a terminal; to be called before the first Progress.
void set_heartbeat(double seconds);
Level level();

/// Writes a line; warnings and notes need Level::normal or above, and LineKind::verbose needs Level::verbose.
void write(LineKind kind, std::string_view text);

/// A line to stderr unless --quiet.
template <class... T>
void info(const T&... parts) {
  if (level() >= Level::normal) write(LineKind::info, concat(parts...));
}
/// "warning: ..." unless --quiet.
template <class... T>
void warn(const T&... parts) {
  if (level() >= Level::normal) write(LineKind::warning, concat(parts...));
}
/// A line to stderr with -v.
template <class... T>
void verbose(const T&... parts) {
  if (level() >= Level::verbose) write(LineKind::verbose, concat(parts...));
}
/// An error line: always written, whatever the level.
void error(std::string_view text);
/// The same where no memory can be had and no lock be waited for: in a signal handler, or out of memory. Long texts are
/// cut.
void last_words(std::string_view text) noexcept;

/// While one lives, a warning or a note that was written in the meantime is not written again.
class WithoutRepeats {
 public:
  WithoutRepeats();
  ~WithoutRepeats();
  WithoutRepeats(const WithoutRepeats&) = delete;
  WithoutRepeats& operator=(const WithoutRepeats&) = delete;
};

/// A part of the work that takes a while, as long as the object lives. On a terminal it is a bar, redrawn at most ten
/// times a second, with rate and time left, unless it counts nothing. Elsewhere the innermost one is reported in a line
/// a minute (set_heartbeat()), by a thread of its own, behind the labels of those around it that count nothing; where
/// it counts nothing itself, what the nearest of the others has counted follows. With -v a line says what it took.
class Progress {
 public:
  /// `total` 0: unknown. `unit` follows amounts and the rate, e.g. "bp" -> "12.3 Mbp/s"; "": nothing is counted. `work`
  /// is for the time left.
  explicit Progress(std::string label, uint64_t total = 0, std::string unit = "", Pace::Work work = Pace::even);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Sets the amount done; `note` follows (loss, accuracy ...). Call from one thread.
  void update(uint64_t done, std::string_view note = {});
  /// Adds to the amount done; from any thread.
  void add(uint64_t more);
  /// Sets the amount that an earlier run has done, which says nothing of the time that the rest takes.
  void resume(uint64_t done);

 private:
  friend class Heartbeat;
  double seconds() const;  // since it began
  std::string counts() const;
  void draw();
  bool counts_something() const { return !unit_.empty(); }
  std::string share_and_counts() const;
  static void report(const std::vector<Progress*>& running);

  std::string label_, unit_, note_;
  uint64_t total_;
  bool bar_, reported_;
  int exceptions_;  // in flight when it began
  double began_, drawn_ = 0;
  Pace pace_;
};

/// "12.3 k", "4.56 M", "3.10 G": three digits and a decimal prefix.
std::string human(double value);
/// "45 s", "12 min 5 s", "3 h 20 min", "4 d 3 h", "240 years".
std::string duration(double seconds);
/// Peak resident memory of this process in bytes.
uint64_t peak_memory();

}  // namespace bigdna::log
