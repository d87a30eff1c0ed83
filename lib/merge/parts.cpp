#include "merge/parts.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/shard.h"
#include "io/output.h"
#include "io/output_record.h"

namespace bigdna::merge {

namespace fs = std::filesystem;

namespace {
struct PartFile {
  std::string path;
  Shard shard;
  io::Job job;           // its options and inputs, without what differs between parts
  size_t output_number;  // of the job's outputs; of a folder, of its first track
};

/// Where a record lists the file, as it is now. Where it has another name now, its content says which it is.
size_t number_of_output(const io::Job& record, const std::string& file, const std::string& record_path) {
  const auto outputs = record.values().value(io::kRecordedOutputs, nlohmann::ordered_json::array());
  const auto name_in = [](const nlohmann::ordered_json& output) {
    return output.is_object() ? output.value("name", nlohmann::ordered_json()) : nlohmann::ordered_json();
  };
  const auto entry = io::record_entry(file);
  std::vector<size_t> same;
  bool is_named = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == entry) return i;
    is_named |= name_in(outputs[i]) == entry["name"];
    auto renamed = entry;
    renamed["name"] = name_in(outputs[i]);
    if (renamed == outputs[i]) same.push_back(i);
  }
  if (same.size() == 1) return same.front();
  if (!same.empty())
    fail(file, ": ", record_path, " lists several outputs with its content, and none with its name: call it ",
         name_in(outputs[same[0]]), " or ", name_in(outputs[same[1]]), " again");
  fail(file, ": ", is_named ? "has changed since the job wrote it" : "is no output of the job",
       ": its size or checksum is not in ", record_path);
}

PartFile read_part(const std::string& path) try {
  if (!fs::exists(path)) fail(path, ": ", errno_text(ENOENT));
  const std::string record_path = io::record_of(path);
  if (!fs::exists(record_path))
    fail(path, ": there is no ", record_path,
         ", which says which part it is (--shard writes it; keep it next to the part)");
  io::Job job = io::Job::load(record_path);
  const auto shard = parse_shard(job.values().value(kShardOption, ""));
  if (!shard) fail(path, ": ", record_path, " is not the record of a part: its job was not divided by --shard");
  const auto files = fs::is_directory(path) ? tracks_in(path) : std::vector{path};
  if (files.empty()) fail(path, ": holds no bigWig files");
  std::vector<size_t> numbers;
  for (const auto& file : files) numbers.push_back(number_of_output(job, file, record_path));
  job.remove(kShardOption);
  job.remove(io::kRecordedOutputs);
  return {path, *shard, std::move(job), *std::ranges::min_element(numbers)};
} catch (const nlohmann::json::exception& error) {
  fail(io::record_of(path), ": is damaged (", error.what(), ")");
}
}  // namespace

std::vector<std::string> tracks_in(const std::string& folder) {
  std::vector<std::string> tracks;
  for (const auto& entry : fs::directory_iterator(folder))
    if (io::has_suffix(entry.path().string(), {".bw", ".bigwig"})) tracks.push_back(entry.path().string());
  std::ranges::sort(tracks);
  return tracks;
}

std::vector<std::string> in_order(const std::vector<std::string>& paths) {
  std::vector<PartFile> parts;
  for (std::string path : paths) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    parts.push_back(read_part(path));
  }
  const PartFile& first = parts.front();
  std::vector<const PartFile*> by_number(static_cast<size_t>(first.shard.count));
  for (const PartFile& part : parts) {
    first.job.require_same(part.job, part.path, concat("so it is not a part of the job of ", first.path),
                           io::Versions::in_any_order);
    if (part.shard.count != first.shard.count)
      fail(part.path, ": is one of ", part.shard.count, " parts, and ", first.path, " is one of ", first.shard.count);
    if (part.output_number != first.output_number) fail(part.path, ": is another output of its job than ", first.path);
    const PartFile*& place = by_number[static_cast<size_t>(part.shard.index - 1)];
    if (place) fail(part.path, ": is part ", to_string(part.shard), ", and so is ", place->path);
    place = &part;
  }
  std::vector<std::string> ordered;
  std::string missing;
  for (size_t i = 0; i < by_number.size(); ++i) {
    if (by_number[i])
      ordered.push_back(by_number[i]->path);
    else
      missing += concat(missing.empty() ? "" : ", ", i + 1);
  }
  if (!missing.empty())
    fail("of the ", by_number.size(), " parts of the job of ", first.path, " these are missing: ", missing);
  return ordered;
}

}  // namespace bigdna::merge
