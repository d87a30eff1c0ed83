#include "base/log.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

namespace bigdna::log {

namespace {
Level current_level = Level::normal;
std::string line_prefix = "bigdna";
std::mutex stderr_mutex;
bool bar_drawn = false;  // guarded by stderr_mutex

void put(std::string_view text) {
  std::string line = bar_drawn ? "\r\x1b[K" : "";
  bar_drawn = false;
  line.append(line_prefix).append(": ").append(text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}
}  // namespace

void configure(Level level, std::string prefix) {
  current_level = level;
  line_prefix = std::move(prefix);
}

Level level() { return current_level; }

void write(Level least, std::string_view text) {
  if (current_level < least) return;
  std::lock_guard lock(stderr_mutex);
  put(text);
}

void error(std::string_view text) {
  std::lock_guard lock(stderr_mutex);
  put(text);
}

Progress::Progress(std::string label, uint64_t total, std::string unit)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      visible_(current_level >= Level::normal && isatty(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (!visible_) return;
  std::lock_guard lock(stderr_mutex);
  if (bar_drawn) std::fputs("\n", stderr);
  bar_drawn = false;
}

void Progress::update(uint64_t done, std::string_view note) {
  if (!visible_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100) && (total_ == 0 || done < total_)) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line = "\r\x1b[K" + label_ + " ";
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const int width = 24, filled = static_cast<int>(width * share);
    line += "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
    line += human(static_cast<double>(done)) + "/" + human(static_cast<double>(total_)) + " ";
  } else {
    line += human(static_cast<double>(done)) + " ";
  }
  line += human(rate) + unit_ + "/s";
  if (total_ > done && rate > 0) line += ", " + duration(static_cast<double>(total_ - done) / rate) + " left";
  if (!note.empty()) line.append("  ").append(note);
  std::lock_guard lock(stderr_mutex);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  bar_drawn = true;
}

std::string human(double value) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int prefix = 0;
  while (std::abs(value) >= 999.5 && prefix < 5) {
    value /= 1000;
    ++prefix;
  }
  char text[32];
  const bool whole = prefix == 0 && value == std::floor(value);
  const int decimals = whole || std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, prefixes[prefix]);
  return text;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return concat(whole, " s");
  if (whole < 3600) return concat(whole / 60, " min ", whole % 60, " s");
  return concat(whole / 3600, " h ", whole / 60 % 60, " min");
}

uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace bigdna::log
