#include "prediction/chromatin_regions.h"

#include <algorithm>

#include "base/error.h"
#include "dataset/chromatin_dataset.h"
#include "genome/contigs.h"

namespace bigdna::prediction {

ChromatinRegions::ChromatinRegions(const PredictChromatinOptions& options, int64_t upstream,
                                   int64_t downstream, genome::IntervalSet seen)
    : options_(options),
      upstream_(upstream),
      downstream_(downstream),
      seen_(std::move(seen)),
      genome_(options.genome, options.invalid_bases) {
  if (options.regions.empty()) {
    auto chosen = genome::chosen_contigs(genome_, options.contigs);
    contigs_ = std::move(chosen.contigs);
    left_out_ = std::move(chosen.left_out);
    std::erase_if(contigs_, [](const genome::Contig& contig) { return contig.length == 0; });
  } else {
    bed_.emplace(options.regions);
  }
  ahead_ = next_record();
  further_ = ahead_ ? ahead_->extra.size() : 0;
}

void ChromatinRegions::say_left_out() const {
  genome::say_left_out(options_.contigs, left_out_, genome_.contigs().size());
}

std::optional<genome::BedRecord> ChromatinRegions::next_record() {
  if (bed_) return bed_->next();
  if (next_contig_ == contigs_.size()) return std::nullopt;
  const auto& contig = contigs_[next_contig_++];
  genome::BedRecord record;
  record.region = {contig.name, 0, contig.length, '.'};
  return record;
}

std::optional<ChromatinRegion> ChromatinRegions::next(bool with_bases) {
  if (!current_) {
    if (!ahead_) return std::nullopt;
    current_ = std::move(ahead_);
    ahead_ = next_record();
    const auto where = [&] { return bed_ ? concat(bed_->path(), ":", current_->line) : options_.genome; };
    contig_ = genome_.require(current_->region, where());
    if (current_->extra.size() != further_)
      fail(where(), ": ", current_->extra.size() + 6, " columns, the first record has ", further_ + 6);
  }
  ChromatinRegion result;
  const auto& whole = current_->region;
  if (options_.tile && whole.length() > options_.tile) {
    result.record = *current_;
    result.record.region.end = whole.start + options_.tile;
    current_->region.start += options_.tile;
  } else {
    result.record = std::move(*current_);
    current_.reset();
  }
  result.contig = contig_;
  const auto& region = result.record.region;
  const int64_t start = (region.start + region.end) / 2 - dataset::kBin / 2;
  const genome::Region bin{contig_, start, start + dataset::kBin, '+'};
  if (with_bases) {
    result.bases = genome_.fetch(dataset::with_context(bin, upstream_, downstream_));
    if (result.bases.find_first_not_of('N') == std::string::npos) result.bases.clear();
  }
  result.seen = seen_.overlaps(contig_, std::max<int64_t>(0, bin.start), bin.end);
  seen_count_ += result.seen;
  return result;
}

void ChromatinRegions::skip(int64_t regions) {
  for (int64_t i = 0; i < regions; ++i) next(false);
  seen_count_ = 0;
}

int64_t ChromatinRegions::count() {
  int64_t regions = 0;
  for (; ahead_; ahead_ = next_record()) {
    const auto& region = ahead_->region;
    genome_.require(region, bed_ ? concat(bed_->path(), ":", ahead_->line) : options_.genome);
    regions +=
        options_.tile ? std::max<int64_t>(1, (region.length() + options_.tile - 1) / options_.tile) : 1;
  }
  return regions;
}

}  // namespace bigdna::prediction
