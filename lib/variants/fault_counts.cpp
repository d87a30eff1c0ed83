#include "variants/fault_counts.h"

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/log.h"

namespace bigdna::variants {

void FaultCounts::Kinds::add(const std::string& where, const Fault& fault) {
  if (!fault) return;
  if (counts[fault.kind]++ == 0)
    log::warn(where, ": ", fault.text(), ": such records are ", fate);
  else
    log::verbose(where, ": ", fault.text());
}

nlohmann::ordered_json FaultCounts::Kinds::json() const {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [kind, count] : counts) json[kind] = count;
  return json;
}

void FaultCounts::Kinds::report() const {
  for (const auto& [kind, count] : counts)
    log::info(counted(count, "malformed record"), count == 1 ? " is " : " are ", fate, ": ", kind);
}

nlohmann::ordered_json FaultCounts::malformed() const { return malformed_.json(); }
nlohmann::ordered_json FaultCounts::tolerated() const { return tolerated_.json(); }

void FaultCounts::report() const {
  malformed_.report();
  tolerated_.report();
}

}  // namespace bigdna::variants
