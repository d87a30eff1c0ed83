#include "prediction/tiling.h"

#include <algorithm>

#include "dataset/chromatin_dataset.h"
#include "dataset/start_sites.h"
#include "genome/alphabet.h"

namespace bigdna::prediction {

genome::Region PromoterTiling::source(const genome::Region& given) const {
  if (given.length() != 1) return given;
  const auto around =
      dataset::promoter_interval({"", given.start, given.strand == '-' ? '-' : '+', "", 0}, upstream_, downstream_);
  return {given.contig, around.start, around.end, given.strand};
}

int64_t PromoterTiling::count(const genome::Region& source) const {
  if (source.length() <= 0) return 0;
  return 1 + std::max<int64_t>(0, (source.length() - length() + stride_ - 1) / stride_);
}

genome::Region PromoterTiling::interval(const genome::Region& source, int64_t i) const {
  const int64_t size = std::min(length(), source.length());
  const int64_t begin = std::min(i * stride_, source.length() - size);
  const bool reverse = source.strand == '-';
  const int64_t start = reverse ? source.end - begin - size : source.start + begin;
  return {source.contig, start, start + size, reverse ? '-' : '+'};
}

bool PromoterTiling::readable(const std::string& bases) const {
  const auto context = static_cast<size_t>(context_);  // on either side; its N do not count
  const std::string_view own = std::string_view(bases).substr(context, bases.size() - 2 * context);
  return static_cast<double>(genome::count_n(own)) <= max_n_fraction_ * static_cast<double>(own.size());
}

int64_t ChromatinTiling::count(const genome::Region& source) const {
  return tile_ ? std::max<int64_t>(1, (source.length() + tile_ - 1) / tile_) : 1;
}

genome::Region ChromatinTiling::interval(const genome::Region& source, int64_t i) const {
  if (!tile_) return source;
  auto piece = source;
  piece.start = source.start + i * tile_;
  piece.end = std::min(source.end, piece.start + tile_);
  return piece;
}

genome::Region ChromatinTiling::judged(const genome::Region& interval) const {
  const int64_t start = (interval.start + interval.end) / 2 - bin_ / 2;
  return {interval.contig, start, start + bin_, '+'};
}

genome::Region ChromatinTiling::read(const genome::Region& interval) const {
  return dataset::with_context(judged(interval), upstream_, downstream_);
}

genome::Region WholeTiling::judged(const genome::Region& interval) const {
  if (!bin_at_) return interval;
  const int64_t site = interval.start + static_cast<int64_t>(*bin_at_ * static_cast<double>(interval.length()));
  return {interval.contig, site - bin_ / 2, site + bin_ / 2, '+'};
}

bool WholeTiling::readable(const std::string& bases) const { return bases.find_first_not_of('N') != std::string::npos; }

bool ChromatinTiling::readable(const std::string& bases) const {
  return bases.find_first_not_of('N') != std::string::npos;
}

}  // namespace bigdna::prediction
