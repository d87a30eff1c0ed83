/// How fast work goes, and how long the rest of it will take.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace bigdna {

/// Looks at the latter half of the time only: the first items say little of the others (threads that have yet to finish
/// their first one, merges of a vocabulary that become cheaper), and pauses, such as evaluations, must weigh what
/// they cost. Times are seconds on any clock.
class Pace {
 public:
  static constexpr double kLeastSeconds = 3;  // nothing is said of the rest before
  /// The work in the first `done` items, in any unit, where each costs another amount.
  using Work = double (*)(double done);
  static double even(double done) { return done; }

  explicit Pace(Work work = even) : work_(work) {}

  /// `done` items took no time that says anything of the others: an earlier run made them.
  void start(double now, uint64_t done) {
    samples_.assign(1, {now, done});
    begin_ = now;
    last_ = samples_.front();
    updates_ = 0;
  }

  void add(double now, uint64_t done) {
    updates_ += done > last_.done;
    last_ = {now, done};
    if (now - samples_.back().seconds >= (now - begin_) / 32) samples_.push_back(last_);
    while (samples_.size() > 2 && samples_[1].seconds <= (begin_ + now) / 2) samples_.pop_front();
  }

  uint64_t done() const { return last_.done; }

  /// Items per second; 0 before the first one.
  double rate() const {
    const Sample& first = samples_.front();
    const double seconds = last_.seconds - first.seconds;
    return seconds > 0 ? static_cast<double>(last_.done - first.done) / seconds : 0;
  }

  /// Nothing if that is not known: too early, all done, or later than it should have been.
  std::optional<double> seconds_left(double now, uint64_t total) const {
    const Sample& first = samples_.front();
    if (updates_ < 2 || last_.seconds - begin_ < kLeastSeconds || total <= last_.done || last_.done <= first.done)
      return std::nullopt;
    const auto work = [this](uint64_t done) { return work_(static_cast<double>(done)); };
    const double left =
        (work(total) - work(last_.done)) / (work(last_.done) - work(first.done)) * (last_.seconds - first.seconds) -
        (now - last_.seconds);
    return left > 0 ? std::optional(left) : std::nullopt;
  }

 private:
  struct Sample {
    double seconds = 0;
    uint64_t done = 0;
  };
  Work work_;
  std::deque<Sample> samples_{{}};  // from the middle of the time on, at most some 32
  Sample last_;
  double begin_ = 0;
  uint64_t updates_ = 0;
};

}  // namespace bigdna
