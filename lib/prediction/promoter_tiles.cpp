#include "prediction/promoter_tiles.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "dataset/start_sites.h"
#include "genome/alphabet.h"
#include "genome/contigs.h"

namespace bigdna::prediction {

namespace {
constexpr int64_t kWindow = 1 << 20;  // bases read from a genome at a time
}

PromoterTiles::PromoterTiles(const PredictPromoterOptions& options, int64_t upstream, int64_t downstream,
                             genome::IntervalSet seen)
    : options_(options),
      upstream_(upstream),
      downstream_(downstream),
      length_(upstream + downstream),
      stride_(options.stride ? options.stride : std::max<int64_t>(1, length_ / 4)),
      seen_(std::move(seen)) {
  if (!options.fasta.empty()) {
    records_.emplace(options.fasta, options.invalid_bases);
    return;
  }
  genome_.emplace(options.genome, options.invalid_bases);
  if (!options.regions.empty()) {
    bed_.emplace(options.regions);
  } else if (!options.region.empty()) {
    given_.push_back(genome_->parse_region(options.region));
  } else {
    auto chosen = genome::chosen_contigs(*genome_, options.contigs);
    for (const auto& contig : chosen.contigs) given_.push_back({contig.name, 0, contig.length, '+'});
    left_out_ = std::move(chosen.left_out);
  }
}

const std::vector<genome::Contig>& PromoterTiles::contigs() const { return genome_.value().contigs(); }

void PromoterTiles::say_left_out() const {
  genome::say_left_out(options_.contigs, left_out_, left_out_.size() + given_.size());
}

/// The next record or region. Tiles start at 0, stride, ... along its strand and the last one ends with it.
bool PromoterTiles::load() {
  ++source_;
  if (records_) {
    auto record = records_->next();
    if (!record) return false;
    name_ = contig_ = record->name;
    contig_length_ = static_cast<int64_t>(record->bases.size());
    region_ = {record->name, 0, static_cast<int64_t>(record->bases.size()), '+'};
    bases_ = std::move(record->bases);
  } else if (bed_) {
    auto record = bed_->next();
    if (!record) return false;
    region_ = record->region;
    name_ = record->name.empty() ? "." : record->name;
    set_region(concat(bed_->path(), ":", record->line));
  } else {
    if (next_given_ == given_.size()) return false;
    region_ = given_[next_given_++];
    name_ = ".";
    set_region(options_.region.empty() ? options_.genome : options_.region);
  }
  at_ = 0;
  tiles_ = region_.length() > 0
               ? 1 + std::max<int64_t>(0, (region_.length() - length_ + stride_ - 1) / stride_)
               : 0;
  if (tiles_ == 0) log::warn(region_.contig, ": has no bases and gets no row");
  return true;
}

void PromoterTiles::set_region(const std::string& where) {
  contig_ = genome_->require(region_, where);
  contig_length_ = genome_->length(contig_);
  if (region_.length() == 1 &&
      !(records_ || (!bed_ && options_.region.empty()))) {  // a start site: what is read around it
    const auto around = dataset::promoter_interval(
        {"", region_.start, region_.strand == '-' ? '-' : '+', "", 0}, upstream_, downstream_);
    region_.start = around.start;
    region_.end = around.end;
  }
}

/// Bases of a part of region_, along its strand.
std::string PromoterTiles::read(const genome::Region& part) {
  if (records_) return bases_.substr(static_cast<size_t>(part.start), static_cast<size_t>(part.length()));
  if (contig_ != window_.contig || part.start < window_.start || part.end > window_.end) {
    window_ = {contig_, part.start, part.end, '+'};  // onwards in the direction in which tiles follow
    if (region_.strand == '-')
      window_.start = std::max(region_.start, std::min(part.start, part.end - kWindow));
    else
      window_.end = std::min(region_.end, std::max(part.end, part.start + kWindow));
    window_bases_ = genome_->fetch(window_);
  }
  auto bases = window_bases_.substr(static_cast<size_t>(part.start - window_.start),
                                    static_cast<size_t>(part.length()));
  if (part.strand == '-') genome::reverse_complement_in_place(bases);
  return bases;
}

std::optional<PromoterTile> PromoterTiles::next(bool with_bases) {
  while (at_ == tiles_)
    if (!load()) return std::nullopt;
  const int64_t length = std::min(length_, region_.length());
  const int64_t begin = std::min(at_ * stride_, region_.length() - length);
  PromoterTile tile;
  const bool reverse = region_.strand == '-';
  const int64_t start = reverse ? region_.end - begin - length : region_.start + begin;
  tile.region = {region_.contig, start, start + length, reverse ? '-' : '+'};
  tile.contig = contig_;
  tile.contig_length = contig_length_;
  tile.name = name_;
  tile.source = source_;
  if (with_bases) {
    tile.bases = read(tile.region);
    if (static_cast<double>(genome::count_n(tile.bases)) >
        options_.max_n_fraction * static_cast<double>(length))
      tile.bases.clear();
  }
  tile.seen = seen_.overlaps(contig_, std::max<int64_t>(0, start), tile.region.end);
  seen_count_ += tile.seen;
  tile.last = ++at_ == tiles_;
  return tile;
}

void PromoterTiles::skip(int64_t tiles) {
  while (tiles > 0) {
    if (at_ == tiles_ && !load()) return;
    const int64_t step = std::min(tiles, tiles_ - at_);
    at_ += step;
    tiles -= step;
  }
}

int64_t PromoterTiles::count() {
  int64_t total = tiles_ - at_;
  while (load()) total += tiles_;
  at_ = tiles_;
  return total;
}

}  // namespace bigdna::prediction
