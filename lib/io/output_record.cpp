#include "io/output_record.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/identity.h"
#include "io/json.h"

namespace bigdna::io {

std::string record_of(const std::string& output) { return output + "." + kJobFile; }

void remove_record(const std::string& output) try {
  const std::string record = record_of(output);
  if (!std::filesystem::exists(record)) return;
  const auto json = read_json(record);
  if (json.is_object() && json.contains(kRecordedOutputs)) std::filesystem::remove(record);
} catch (const std::exception&) {  // it is not JSON, or cannot be read or removed
}

nlohmann::ordered_json record_entry(const std::string& output) {
  nlohmann::ordered_json entry{{"name", std::filesystem::path(output).filename().string()}};
  entry.update(content_of_file(output));
  return entry;
}

bool is_recorded(const Job& record, const std::string& output) {
  const auto listed = record.values().value(kRecordedOutputs, nlohmann::ordered_json::array());
  return std::ranges::find(listed, record_entry(output)) != listed.end();
}

}  // namespace bigdna::io
