/// Numbers of evaluations as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "metrics/bootstrap.h"

namespace bigdna::evaluation {

/// "0.123457"; "1.23457e-05" below 1e-4 and from 1e9 on; "NA" for NaN.
std::string number_text(double value);
/// null for NaN.
nlohmann::ordered_json json_number(double value);
/// {value, low, high}
nlohmann::ordered_json json_estimate(const metrics::Estimate& estimate);
/// "a, b, c and 4 more": at most so many of the names.
std::string first_of(const std::vector<std::string>& names, size_t most);

}  // namespace bigdna::evaluation
