#include "base/log.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace bigdna::log {

using nlohmann::ordered_json;

namespace {
constexpr double kHeartbeat = 60;  // seconds

std::atomic<Level> current_level = Level::normal;
LineFormat current_format = LineFormat::text;
double heartbeat_seconds = kHeartbeat;
std::string line_prefix = "bigdna";
std::mutex stderr_mutex;
bool bar_drawn = false;                                     // guarded by stderr_mutex
std::optional<std::set<std::string, std::less<>>> written;  // guarded likewise; of WithoutRepeats
const auto started = Clock::now();

/// Since the start of the program.
double elapsed() { return seconds_since(started); }

bool on_terminal() {
  static const bool terminal = isatty(STDERR_FILENO);
  return terminal;
}

bool shows_bars() { return current_format == LineFormat::text && on_terminal(); }

long utc_offset() {
  const time_t now = time(nullptr);
  tm local{};
  localtime_r(&now, &local);
  return local.tm_gmtoff;
}

/// "2026-11-26T07:28:30+01:00". Takes neither memory nor a lock, which localtime_r() does.
struct LocalTime {
  char text[64];
  LocalTime() {
    using namespace std::chrono;
    static const long offset = utc_offset();
    const auto now = floor<seconds>(system_clock::now()) + seconds(offset);
    const year_month_day day(floor<days>(now));
    const hh_mm_ss clock(now - floor<days>(now));
    const long minutes_off = std::abs(offset) / 60;
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d%c%02ld:%02ld", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), offset < 0 ? '-' : '+', minutes_off / 60,
                  minutes_off % 60);
  }
};
const LocalTime first_time;  // asks for the zone while memory can be had

/// What precedes a line of text: "2026-11-26 07:28:30 ", or nothing on a terminal. JSON has the zone and the seconds
/// since the start, too.
struct Stamp {
  char text[120] = "";
  Stamp() {
    if (on_terminal()) return;
    std::snprintf(text, sizeof text, "%.19s ", LocalTime().text);  // without the zone
    text[10] = ' ';
  }
};

constexpr const char* kKinds[] = {"error", "warning", "info", "verbose"};

/// "corpus" of "bigdna corpus".
std::string_view command() {
  constexpr std::string_view kProgram = "bigdna";
  return std::string_view(line_prefix).substr(std::min(line_prefix.size(), kProgram.size() + 1));
}

/// `progress` holds further members of the line's object.
void put(LineKind kind, std::string_view text, const ordered_json& progress = ordered_json::object()) {
  std::string line;
  if (current_format == LineFormat::json) {
    ordered_json object = {{"time", LocalTime().text},
                           {"elapsed", std::round(1000 * elapsed()) / 1000},
                           {"level", kKinds[static_cast<int>(kind)]},
                           {"command", command()},
                           {"message", text}};
    object.update(progress);
    line = object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  } else {
    line = concat(bar_drawn ? "\r\x1b[K" : "", Stamp().text, line_prefix, ": ",
                  kind == LineKind::warning ? "warning: " : "", text);
  }
  bar_drawn = false;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// "284 " or "64.4 M": a unit follows.
std::string amount(uint64_t value) {
  return value < 100'000 ? std::to_string(value) + " " : human(static_cast<double>(value));
}

/// Each line has the command's name already.
std::string heading(const std::string& label) { return label == command() ? "" : label + ": "; }
}  // namespace

void configure(Level level, std::string prefix) {
  std::lock_guard lock(stderr_mutex);
  current_level = level;
  line_prefix = std::move(prefix);
}

void set_format(LineFormat format) { current_format = format; }

void set_heartbeat(double seconds) { heartbeat_seconds = seconds; }

Level level() { return current_level; }

void write(LineKind kind, std::string_view text) {
  const Level least = kind == LineKind::verbose ? Level::verbose
                      : kind == LineKind::error ? Level::quiet
                                                : Level::normal;
  if (current_level < least) return;
  std::lock_guard lock(stderr_mutex);
  if (written && kind != LineKind::error && !written->emplace(text).second) return;
  put(kind, text);
}

WithoutRepeats::WithoutRepeats() {
  std::lock_guard lock(stderr_mutex);
  written.emplace();
}

WithoutRepeats::~WithoutRepeats() {
  std::lock_guard lock(stderr_mutex);
  written.reset();
}

void error(std::string_view text) { write(LineKind::error, text); }

void last_words(std::string_view text) noexcept {
  char words[600], line[1000];
  const size_t size = std::min(text.size(), sizeof words - 1);
  const bool json = current_format == LineFormat::json;
  std::transform(text.begin(), text.begin() + static_cast<long>(size), words, [&](char c) {
    return !json || (c >= ' ' && c < 127 && c != '"' && c != '\\') ? c : c == '"' ? '\'' : '?';
  });
  words[size] = '\0';
  const int length =
      json ? std::snprintf(line, sizeof line,
                           R"({"time":"%s","elapsed":%ld,"level":"error","command":"%.*s","message":"%s"})"
                           "\n",
                           LocalTime().text, static_cast<long>(elapsed()), static_cast<int>(command().size()),
                           command().data(), words)
           : std::snprintf(line, sizeof line, "%s%s: %s\n", Stamp().text, line_prefix.c_str(), words);
  [[maybe_unused]] const auto ignored =
      ::write(STDERR_FILENO, line, static_cast<size_t>(std::min<int>(length, sizeof line - 1)));
}

/// The thread that reports the innermost Progress, from the first one on.
class Heartbeat {
 public:
  static Heartbeat& only() {
    static Heartbeat heartbeat;
    return heartbeat;
  }
  void add(Progress* progress) {
    std::lock_guard lock(stderr_mutex);
    running_.push_back(progress);
  }
  void remove(Progress* progress) {
    std::lock_guard lock(stderr_mutex);
    std::erase(running_, progress);
  }

 private:
  Heartbeat() {
    try {
      thread_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
    } catch (const std::system_error&) {  // no thread can be started: a silent job is better than none
    }
  }

  void beat(const std::stop_token& stop) {
    sigset_t all;  // signals are for the threads that work: they interrupt what these wait for
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(heartbeat_seconds));
    std::unique_lock lock(stderr_mutex);
    for (auto next = started + interval; !stop.stop_requested(); next = std::max(next, Clock::now()) + interval) {
      ended_.wait_until(lock, stop, next, [] { return false; });
      if (stop.stop_requested() || running_.empty() || current_level < Level::normal) continue;
      Progress::report(running_);
    }
  }

  std::vector<Progress*> running_;  // guarded by stderr_mutex
  std::condition_variable_any ended_;
  std::jthread thread_;
};

Progress::Progress(std::string label, uint64_t total, std::string unit, Pace::Work work)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      bar_(shows_bars() && !unit_.empty() && current_level >= Level::normal),
      reported_(!shows_bars() && current_level >= Level::normal),
      exceptions_(std::uncaught_exceptions()),
      began_(elapsed()),
      pace_(work) {
  pace_.start(began_, 0);
  if (reported_) Heartbeat::only().add(this);
}

Progress::~Progress() {
  if (reported_) Heartbeat::only().remove(this);
  if (bar_) {
    std::lock_guard lock(stderr_mutex);
    if (bar_drawn) std::fputs("\n", stderr);
    bar_drawn = false;
  }
  if (std::uncaught_exceptions() > exceptions_ || current_level < Level::verbose) return;
  char took[32];
  std::snprintf(took, sizeof took, "%.2f s", seconds());
  verbose(heading(label_), unit_.empty() ? "" : amount(pace_.done()) + unit_ + " in ",
          seconds() < 10 ? took : duration(seconds()), ", peak memory ", human(static_cast<double>(peak_memory())),
          "B");
}

double Progress::seconds() const { return elapsed() - began_; }

void Progress::update(uint64_t done, std::string_view note) {
  if (!bar_ && !reported_) return;
  std::lock_guard lock(stderr_mutex);
  pace_.add(elapsed(), done);
  note_ = note;
  if (bar_) draw();
}

void Progress::add(uint64_t more) {
  std::lock_guard lock(stderr_mutex);
  pace_.add(elapsed(), pace_.done() + more);
  if (bar_) draw();
}

void Progress::resume(uint64_t done) {
  std::lock_guard lock(stderr_mutex);
  pace_.start(elapsed(), done);
}

/// "12.3 M/64.4 Mbp, 1.2 Mbp/s, 43 s left".
std::string Progress::counts() const {
  std::string text = amount(pace_.done());
  if (total_ > 0) {
    if (text.back() == ' ') text.pop_back();
    text += "/" + amount(total_);
  }
  text += unit_;
  if (pace_.rate() > 0) text += ", " + human(pace_.rate()) + unit_ + "/s";
  if (const auto left = pace_.seconds_left(elapsed(), total_)) text += ", " + duration(*left) + " left";
  return text;
}

void Progress::draw() {
  const double now = elapsed();
  if (now - drawn_ < 0.1 && (total_ == 0 || pace_.done() < total_)) return;
  drawn_ = now;
  std::string line = "\r\x1b[K" + label_ + " ";
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(pace_.done()) / static_cast<double>(total_));
    const int width = 24, filled = static_cast<int>(width * share);
    line += "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
  }
  line += counts();
  if (!note_.empty()) line.append("  ").append(note_);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  bar_drawn = true;
}

/// "31 %, 20000/64550 rows, 80 rows/s, 4 min 3 s left, loss 0.2", or how long it has taken.
std::string Progress::share_and_counts() const {
  if (!counts_something()) return concat(duration(seconds()), " so far");
  const std::string share =
      total_ > 0 ? concat(std::min<uint64_t>(100, 100 * pace_.done() / total_), " %, ") : std::string();
  return concat(share, counts(), note_.empty() ? "" : ", " + note_);
}

void Progress::report(const std::vector<Progress*>& running) {
  const Progress& innermost = *running.back();
  std::string text = heading(innermost.label_) + innermost.share_and_counts();
  const Progress* counting = innermost.counts_something() ? &innermost : nullptr;
  for (size_t i = running.size() - 1; i-- > 1;) {  // the first one is the whole run
    const Progress& around = *running[i];
    if (!around.counts_something()) {
      text.insert(0, heading(around.label_));
    } else if (!counting) {
      counting = &around;
      text += "; " + heading(around.label_) + around.share_and_counts();
    }
  }
  ordered_json members = ordered_json::object();
  if (counting) {
    members = {
        {"done", counting->pace_.done()}, {"total", nullptr}, {"unit", counting->unit_}, {"seconds_left", nullptr}};
    if (counting->total_ > 0) members["total"] = counting->total_;
    if (const auto left = counting->pace_.seconds_left(elapsed(), counting->total_))
      members["seconds_left"] = std::round(*left);
  }
  put(LineKind::info, text, members);
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
  constexpr double kDay = 86400, kYear = 365.25 * kDay;
  if (seconds >= 2 * kYear) return concat(human(std::round(seconds / kYear)), "years");
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return concat(whole, " s");
  if (whole < 3600) return concat(whole / 60, " min ", whole % 60, " s");
  if (whole < 2 * kDay) return concat(whole / 3600, " h ", whole / 60 % 60, " min");
  return concat(whole / 86400, " d ", whole / 3600 % 24, " h");
}

uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace bigdna::log
