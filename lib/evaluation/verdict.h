/// What an evaluation says in one sentence: whether the model is better than what it is compared with.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bootstrap.h"

namespace bigdna::evaluation {

/// The model beside one baseline.
struct Comparison {
  std::string than;              // the baseline's method, or kChance
  std::string metric;            // by its name in the tables
  metrics::Estimate difference;  // the model minus the baseline, paired
};
/// What a model that knows nothing reaches: it needs no method.
inline constexpr std::string_view kChance = "chance";

/// From the worst to the best. `undecided`: the difference has no interval, or there is none.
enum class Standing { worse, no_better, undecided, better };

struct Verdict {
  std::string of;  // what was judged: "labels", "tracks"
  Standing standing = Standing::undecided;
  std::optional<Comparison> comparison = {};  // that decided; none if no baseline has a score
  int64_t outputs = 0;                        // that have a score of both, where each is compared alone
  std::vector<std::string> worse = {};        // outputs whose own interval lies below the baseline
  std::string text = {};                      // the sentence
};

/// The verdict on some comparisons, whose metrics come in the order of their weight. The model is as good as beside the
/// baseline that it does worst against: by standing, then by metric, then by difference. An interval that leaves out 0
/// decides. A difference that is not a number is passed over.
Verdict verdict_on(std::string of, const std::vector<Comparison>& comparisons);
/// Adds the outputs that are worse than the baseline by themselves.
void add_outputs(Verdict& verdict, int64_t outputs, std::vector<std::string> worse);

/// Adds how many of the rows that were judged the model has read in training, if that is known.
void add_seen(Verdict& verdict, std::optional<int64_t> seen, int64_t rows);

/// The verdicts on what an evaluation's JSON holds, of the first of `methods`: on labels, and on tracks if there are
/// some. `outputs`: the name of each. `seen`: how many of its rows the model has read in training, if that is known.
std::vector<Verdict> verdicts_of(const nlohmann::ordered_json& evaluation, const std::string& method,
                                 const std::vector<std::string>& outputs, std::optional<int64_t> seen, int64_t rows);
/// As metrics.json has them.
nlohmann::ordered_json to_json(const std::vector<Verdict>& verdicts);

/// Logs what a table of metrics says in its ##verdict lines; a model that is worse is a warning.
void log_verdicts(std::string_view table);

}  // namespace bigdna::evaluation
