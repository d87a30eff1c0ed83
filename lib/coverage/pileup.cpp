#include "coverage/pileup.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/error.h"
#include "io/output.h"
#include "io/write_all.h"

namespace bigdna::coverage {

namespace {
constexpr int64_t kLargestWeight = 1 << 24;  // up to it floats hold every whole number
constexpr int64_t kSparse = 16;              // bases for each interval, from which on sorting is faster than an array
constexpr size_t kChunk = 1 << 16;           // events
}  // namespace

Pileup::Pileup(const Contigs& contigs, std::string target, size_t memory)
    : contigs_(contigs),
      target_(std::move(target)),
      most_events_(memory / sizeof(Event)),
      kept_(contigs.all().size()),
      valued_(contigs.all().size()) {}

void Pileup::add(uint32_t contig, int64_t start, int64_t end, int64_t weight) {
  for (; weight > 0; weight -= kLargestWeight)
    put(contig, {static_cast<uint32_t>(start), static_cast<uint32_t>(end),
                 static_cast<float>(std::min(weight, kLargestWeight))});
}

void Pileup::add_value(uint32_t contig, int64_t start, int64_t end, float value) {
  valued_[contig] = true;
  put(contig, {static_cast<uint32_t>(start), static_cast<uint32_t>(end), -value});
}

void Pileup::put(uint32_t contig, Event event) {
  kept_[contig].push_back(event);
  if (++events_ >= most_events_) spill();
}

void Pileup::spill() {
  if (file_.empty() && file_.create(target_) < 0) io::fail_writing(target_, errno);
  for (uint32_t contig = 0; contig < kept_.size(); ++contig) {
    auto& events = kept_[contig];
    if (events.empty()) continue;
    if (const int cause = io::write_all(file_.descriptor(), std::span<const Event>(events)))
      io::fail_writing(file_.path(), cause);
    spilled_.push_back({contig, bytes_, std::ssize(events)});
    bytes_ += static_cast<int64_t>(events.size() * sizeof(Event));
    events = {};
  }
  events_ = 0;
}

template <class Take>
void Pileup::each_event(uint32_t contig, Take take) {
  std::vector<Event> chunk;
  for (const auto& part : spilled_) {
    if (part.contig != contig) continue;
    for (int64_t done = 0; done < part.events; done += std::ssize(chunk)) {
      chunk.resize(std::min(kChunk, static_cast<size_t>(part.events - done)));
      const std::span<char> bytes(reinterpret_cast<char*>(chunk.data()), chunk.size() * sizeof(Event));
      const auto at = part.offset + done * static_cast<int64_t>(sizeof(Event));
      if (const int cause = io::read_all(file_.descriptor(), bytes, at)) fail(file_.path(), ": ", errno_text(cause));
      for (const Event& event : chunk) take(event);
    }
  }
  for (const Event& event : kept_[contig]) take(event);
}

void Pileup::each_run(const std::function<void(uint32_t, int64_t, int64_t, double)>& take) {
  std::vector<int64_t> events(kept_.size());
  for (size_t contig = 0; contig < kept_.size(); ++contig) events[contig] = std::ssize(kept_[contig]);
  for (const auto& part : spilled_) events[part.contig] += part.events;
  for (uint32_t contig = 0; contig < kept_.size(); ++contig) {
    if (events[contig] == 0) continue;
    const int64_t length = contigs_[contig].length;
    int64_t begin = 0;
    double value = 0;
    const auto change = [&](int64_t at, double to) {  // the value is `to` from base `at` on
      if (to == value) return;
      if (value != 0) take(contig, begin, at, value);
      begin = at;
      value = to;
    };
    if (!valued_[contig] && events[contig] * kSparse < length) {
      std::vector<std::pair<uint32_t, int32_t>> steps;
      each_event(contig, [&](const Event& event) {
        steps.emplace_back(event.start, static_cast<int32_t>(event.value));
        steps.emplace_back(event.end, -static_cast<int32_t>(event.value));
      });
      std::sort(steps.begin(), steps.end());
      int64_t depth = 0;
      for (size_t i = 0; i < steps.size(); ++i) {
        depth += steps[i].second;
        if (i + 1 == steps.size() || steps[i + 1].first != steps[i].first)
          change(steps[i].first, static_cast<double>(depth));
      }
    } else {
      std::vector<int32_t> steps(static_cast<size_t>(length) + 1);
      std::vector<float> values(valued_[contig] ? static_cast<size_t>(length) : 0);
      each_event(contig, [&](const Event& event) {
        if (event.value < 0) {
          for (uint32_t at = event.start; at < event.end; ++at) values[at] -= event.value;
          return;
        }
        steps[event.start] += static_cast<int32_t>(event.value);
        steps[event.end] -= static_cast<int32_t>(event.value);
      });
      int64_t depth = 0;
      for (int64_t at = 0; at < length; ++at) {
        depth += steps[static_cast<size_t>(at)];
        change(at, static_cast<double>(depth) + (values.empty() ? 0. : values[static_cast<size_t>(at)]));
      }
      change(length, 0);
    }
    kept_[contig] = {};
  }
}

}  // namespace bigdna::coverage
