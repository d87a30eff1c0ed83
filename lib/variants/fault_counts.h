/// Counts the records of a VCF that break the specification, by what is wrong with them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "variants/vcf_text.h"

namespace bigdna::variants {

class FaultCounts {
 public:
  /// Adds a record's fault, if it is one. The first of each kind is named in a warning, with -v the others, too.
  /// `where`: "FILE:LINE".
  void add_malformed(const std::string& where, const Fault& fault) { malformed_.add(where, fault); }
  void add_tolerated(const std::string& where, const Fault& fault) { tolerated_.add(where, fault); }
  /// {"QUAL is not a number": 3, ...}: numbers of records. Those without a score, and those with one.
  nlohmann::ordered_json malformed() const;
  nlohmann::ordered_json tolerated() const;
  /// Logs a line for each kind.
  void report() const;

 private:
  struct Kinds {
    const char* fate;
    std::map<std::string, int64_t> counts = {};
    void add(const std::string& where, const Fault& fault);
    nlohmann::ordered_json json() const;
    void report() const;
  };
  Kinds malformed_{"not scored"}, tolerated_{"scored"};
};

}  // namespace bigdna::variants
