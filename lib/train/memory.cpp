#include "train/memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "base/cgroup.h"
#include "base/error.h"
#include "base/log.h"

namespace bigdna::train {

namespace {

constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

/// The number after `key` in a file of "key: number kB" lines, in bytes.
uint64_t kilobytes(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string word; in >> word;)
    if (uint64_t value = 0; word == key && in >> value) return value * 1024;
  return kUnbounded;
}

/// Keeps the last characters that are written to a FILE.
struct Tail {
  std::array<char, 1024> text{};
  static ssize_t write(void* cookie, const char* data, size_t size) {
    auto& text = static_cast<Tail*>(cookie)->text;
    const size_t kept = std::min(size, text.size());
    std::copy(text.begin() + static_cast<ptrdiff_t>(kept), text.end(), text.begin());
    std::copy(data + size - kept, data + size, text.end() - static_cast<ptrdiff_t>(kept));
    return static_cast<ssize_t>(size);
  }
};

/// Bytes that malloc has allocated, from glibc's report in XML: glibc before 2.33 lacks mallinfo2, and mallinfo counts
/// in int. The totals over all arenas are at the end of the report.
uint64_t malloc_in_use() {
  Tail tail;
  FILE* out = fopencookie(&tail, "w", {.read = nullptr, .write = Tail::write, .seek = nullptr, .close = nullptr});
  if (!out) throw std::bad_alloc();
  const int failed = malloc_info(0, out);
  fclose(out);
  const std::string_view report(tail.text.data(), tail.text.size());
  const auto totals = report.rfind("</heap>");
  const auto bytes = [&](std::string_view tag) {
    const auto size = report.find("size=\"", report.find(tag, totals));
    if (failed || totals == report.npos || size == report.npos) fail("malloc_info does not report ", tag);
    return std::strtoull(report.data() + size + 6, nullptr, 10);
  };
  return bytes("<system type=\"current\"") - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"") +
         bytes("<total type=\"mmap\"");
}

uint64_t rest(uint64_t bound, uint64_t used) { return bound == kUnbounded ? bound : bound - std::min(bound, used); }

constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
auto allocator_stats(const at::Device& device) {
  return c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
}

uint64_t kept_unused(const at::Device& device) {
  const auto stats = allocator_stats(device);
  return static_cast<uint64_t>(stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current);
}

}  // namespace

uint64_t memory_in_use(const at::Device& device) {
  if (device.is_cpu()) {
    return malloc_in_use();
  }
  return static_cast<uint64_t>(allocator_stats(device).allocated_bytes[kAll].current);
}

uint64_t memory_peak(const at::Device& device) {
  return device.is_cpu() ? log::peak_memory()
                         : static_cast<uint64_t>(allocator_stats(device).allocated_bytes[kAll].peak);
}

uint64_t memory_available(const at::Device& device) {
  if (!device.is_cpu())
    return c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index()).first + kept_unused(device);
  uint64_t available = kilobytes("/proc/meminfo", "MemAvailable:");
  if (const auto bound = cgroup_memory()) available = std::min(available, bound->left());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    available = std::min<uint64_t>(available, rest(limit.rlim_cur, kilobytes("/proc/self/status", "VmSize:")));
  return available;
}

int64_t fitting_examples(uint64_t one, uint64_t two, uint64_t available, int64_t most, double backward) {
  const double each = backward * static_cast<double>(std::max<uint64_t>(1, two - std::min(one, two)));
  return std::clamp<int64_t>(static_cast<int64_t>(0.8 * static_cast<double>(available) / each), 1,
                             std::max<int64_t>(1, most));
}

}  // namespace bigdna::train
