/// TensorBoard's event files: scalars by step, for `tensorboard --logdir RUN`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bigdna::train {

/// TensorBoard looks for file names that contain "tfevents".
inline constexpr const char* kEventFileName = "events.out.tfevents.bigdna";

/// One file of Event messages (tensorflow/core/util/event.proto, framework/summary.proto: the fields wall_time, step,
/// file_version, summary.value.{tag, simple_value}), hand-encoded, in TFRecord frames: length, masked CRC-32C of the
/// length, the message, masked CRC-32C of the message; little-endian.
class EventFile {
 public:
  /// Opens for appending. Drops records of steps after `step`, which a resumed run repeats, and everything from a
  /// damaged or half-written record on.
  EventFile(std::string path, int64_t step);
  /// Appends an event, which readers see immediately. Error if it cannot be written.
  void write(int64_t step, const std::vector<std::pair<std::string, double>>& scalars);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void append(std::string_view message);
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// CRC-32C (Castagnoli) of bytes. Of "123456789": 0xE3069283.
uint32_t crc32c(std::string_view bytes);

}  // namespace bigdna::train
