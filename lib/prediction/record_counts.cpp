#include "prediction/record_counts.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"

namespace bigdna::prediction {

RecordCounts::RecordCounts(std::string command, std::string path, bool strict, models::TrainedLengths lengths,
                           io::Provenance provenance)
    : command_(std::move(command)),
      path_(std::move(path)),
      strict_(strict),
      lengths_(lengths),
      provenance_(std::move(provenance)) {}

std::vector<std::string> RecordCounts::files() const {
  return path_.empty() ? std::vector<std::string>() : std::vector{path_};
}

void RecordCounts::open(const IntervalStream& intervals) {
  stream_ = &intervals;
  file_.emplace(path_);
}

void RecordCounts::write(const Interval& interval, std::span<const float> scores, bool in_shard) {
  if (!in_shard) {
    elsewhere_ += interval.without_bases;
    return;
  }
  const auto& region = interval.region();
  const bool scored = !std::isnan(scores.front()), too_short = lengths_.too_short(region.length()),
             too_long = lengths_.too_long(region.length());
  if (strict_ && (too_short || too_long || !scored)) {
    auto shown = region;
    shown.start = interval.on_contig(region.start), shown.end = interval.on_contig(region.end);
    const auto name = genome::to_string(shown);
    if (too_short)
      fail(interval.where, ": ", name, " is shorter than half of the ", lengths_.shortest,
           " bp that the model was trained on");
    if (too_long)
      fail(interval.where, ": ", name, " is longer than twice the ", lengths_.longest,
           " bp that the model was trained on");
    fail(interval.where, ": ", name, " has too many N for a score");
  }
  ++intervals_;
  records_ += interval.last;
  scored_ += scored;
  too_short_ += too_short;
  too_long_ += too_long;
  seen_ += interval.seen.value_or(false);
  seen_unknown_ += !interval.seen;
}

void RecordCounts::commit() {
  const int64_t without_bases = stream_->without_bases() - elsewhere_;
  nlohmann::ordered_json counts{{"command", command_},
                                {"records", records_ + without_bases},
                                {"intervals", intervals_},
                                {"scored", scored_},
                                {"skipped", {{"no_bases", without_bases}, {"too_many_n", without_score()}}},
                                {"too_short", too_short_},
                                {"too_long", too_long_},
                                {"seen", seen_},
                                {"seen_unknown", seen_unknown_}};
  provenance_.add_to(counts);
  file_->write(counts.dump(2) + "\n");
}

void RecordCounts::warn(const std::string& what, bool seen_column) const {
  lengths_.warn(too_short_, too_long_, intervals_, "interval");
  if (seen_ && !seen_column)
    log::warn(counted(seen_, what + " overlaps", what + "s overlap"),
              " the model's training data (--seen adds a column)");
  if (seen_unknown_ && seen_column)
    log::info("seen is . for ", counted(seen_unknown_, what), ": whether training data overlap ",
              seen_unknown_ == 1 ? "it" : "them", " is not known (FASTA records have a place if they are named",
              " CONTIG:FIRST-LAST, as samtools faidx does)");
}

}  // namespace bigdna::prediction
