#include "profile/windows.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"

namespace bigdna::profile {

Windows::Windows(const ProfileOptions& options, int64_t window, int64_t output, bool in_order)
    : window_(window), output_(output) {
  if (!options.fasta.empty()) {
    records_.emplace(options.fasta, options.invalid_bases);
    return;
  }
  genome_.emplace(options.genome, options.invalid_bases);
  read_regions(options, in_order);
}

void Windows::read_regions(const ProfileOptions& options, bool in_order) {
  std::map<std::string, int64_t> order;
  for (const auto& contig : genome_->contigs()) order.emplace(contig.name, std::ssize(order));
  genome::BedReader reader(options.regions, genome::StrandColumn::ignored);
  genome::EmptyIntervals empty;
  while (auto record = reader.next()) {
    if (empty.add(*record)) continue;
    const auto contig = genome_->require(record->region, concat(reader.path(), ":", record->line));
    sites_.push_back({record->region.contig, contig, record->name.empty() ? "." : record->name,
                      genome::centre_of(*record, reader.path()), order.at(contig)});
  }
  empty.warn(reader.path(), "gets no row");
  if (!in_order) return;
  const auto place = [](const Site& site) { return std::tuple(site.order, site.centre); };
  std::ranges::stable_sort(sites_, {}, place);
  const auto repeated = std::ranges::unique(sites_, {}, place);
  if (const auto count = std::ssize(repeated); count > 0)
    log::info(reader.path(), ": ", counted(count, "region"), " with the centre of another: its values are the same");
  sites_.erase(repeated.begin(), repeated.end());
}

void Windows::skip(int64_t windows) {
  if (records_)
    while (windows-- > 0 && records_->next_named()) {
    }
  else
    next_ = std::min(sites_.size(), next_ + static_cast<size_t>(windows));
}

std::optional<ProfileWindow> Windows::next(bool with_bases) {
  if (records_) {
    auto record = records_->next_named();
    if (!record) return std::nullopt;
    const int64_t start = std::ssize(record->bases) / 2 - window_ / 2, margin = (window_ - output_) / 2;
    return ProfileWindow{record->name,
                         "",
                         start + margin,
                         start + margin + output_,
                         ".",
                         genome::padded(record->bases, start, start + window_)};
  }
  if (next_ == sites_.size()) return std::nullopt;
  const auto& site = sites_[next_++];
  const int64_t start = site.centre - output_ / 2, first = site.centre - window_ / 2;
  return ProfileWindow{
      site.contig, site.genome_contig,
      start,       start + output_,
      site.name,   with_bases ? genome_->fetch({site.genome_contig, first, first + window_, '+'}) : std::string()};
}

}  // namespace bigdna::profile
