#include "dataset/base_counts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace bigdna::dataset {

void BaseCountsWriter::add(coverage::Pileup& counts, coverage::Pileup& half, double factor) {
  const size_t track = (first_.size() - 1) / contigs_.all().size() * contigs_.all().size();
  counts.each_run([&](uint32_t contig, int64_t start, int64_t end, double value) {
    first_.resize(track + contig + 1, std::ssize(positions_));  // contigs without a run end where they begin
    const auto& kept = kept_.intervals(contigs_[contig].name);
    auto interval = std::ranges::upper_bound(kept, start, {}, &genome::IntervalSet::Interval::second);
    for (; interval != kept.end() && interval->first < end; ++interval)
      for (int64_t at = std::max(start, interval->first); at < std::min(end, interval->second); ++at) {
        positions_.push_back(static_cast<uint32_t>(at));
        counts_.push_back(static_cast<float>(value * factor));
      }
  });
  first_.resize(track + contigs_.all().size() + 1, std::ssize(positions_));
  halves_.resize(counts_.size());
  half.each_run([&](uint32_t contig, int64_t start, int64_t end, double value) {
    const auto own = positions_.begin() + first_[track + contig],
               last = positions_.begin() + first_[track + contig + 1];
    for (auto at = std::lower_bound(own, last, start); at != last && *at < end; ++at)
      halves_[static_cast<size_t>(at - positions_.begin())] = static_cast<float>(value * factor);
  });
}

void BaseCountsWriter::write(const std::string& path) const {
  const auto bases = std::ssize(positions_);
  io::write_safetensors(
      path,
      {io::array<int64_t>("first", first_, {std::ssize(first_)}), io::array<uint32_t>("positions", positions_, {bases}),
       io::array<float>("counts", counts_, {bases}), io::array<float>("halves", halves_, {bases})});
}

BaseCounts::BaseCounts(const std::string& path, const std::vector<genome::Contig>& contigs, size_t tracks)
    : file_(std::make_shared<io::SafetensorsFile>(path)) {
  for (const auto& contig : contigs) numbers_.emplace(contig.name, numbers_.size());
  first_ = file_->at("first").as<int64_t>(path + ": first");
  positions_ = file_->at("positions").as<uint32_t>(path + ": positions");
  counts_ = file_->at("counts").as<float>(path + ": counts");
  halves_ = file_->at("halves").as<float>(path + ": halves");
  if (first_.size() != tracks * contigs.size() + 1 || counts_.size() != positions_.size() ||
      halves_.size() != positions_.size() || first_.front() != 0 || first_.back() != std::ssize(positions_) ||
      !std::ranges::is_sorted(first_))
    fail(path, ": does not hold ", tracks, " tracks on ", contigs.size(), " contigs");
  check(path, contigs);
}

void BaseCounts::check(const std::string& path, const std::vector<genome::Contig>& contigs) const {
  for (size_t part = 0; part + 1 < first_.size(); ++part) {
    const auto& contig = contigs[part % contigs.size()].name;
    const auto begin = static_cast<size_t>(first_[part]), end = static_cast<size_t>(first_[part + 1]);
    for (size_t i = begin; i < end; ++i) {
      if (i > begin && positions_[i] <= positions_[i - 1])
        fail(path, ": damaged: positions of ", contig, " do not ascend");
      for (const float count : {counts_[i], halves_[i]})
        if (!(count >= 0 && std::isfinite(count)))
          fail(path, ": track ", part / contigs.size() + 1, " is ", count, " at ", contig, ":",
               int64_t{positions_[i]} + 1, "; models learn counts, which are at least 0");
    }
  }
}

std::vector<float> BaseCounts::of(std::span<const float> values, size_t track, const genome::Region& region) const {
  std::vector<float> all(static_cast<size_t>(region.length()));
  const size_t contig = track * numbers_.size() + numbers_.at(region.contig);
  const auto own =
      positions_.subspan(static_cast<size_t>(first_[contig]), static_cast<size_t>(first_[contig + 1] - first_[contig]));
  const auto from = std::ranges::lower_bound(own, region.start, {}, [](uint32_t at) { return int64_t{at}; });
  for (auto at = from; at != own.end() && *at < region.end; ++at)
    all[static_cast<size_t>(*at - region.start)] = values[static_cast<size_t>(&*at - positions_.data())];
  return all;
}

}  // namespace bigdna::dataset
