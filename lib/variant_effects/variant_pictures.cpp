#include "variant_effects/variant_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "dataset/features.h"
#include "io/output.h"
#include "model/parallel.h"
#include "model/network.h"
#include "plot/svg.h"
#include "attribution/attributions.h"

namespace bigdna::variant_effects {
namespace {

constexpr int64_t kAround = 20;  // bases on either side of a variant's first that are drawn

plot::Logo logo_of(const models::Model& model, const std::string& bases, int64_t centre, int64_t label,
                   session::Strands strands) {
  const int64_t first = std::max<int64_t>(0, centre - kAround);
  const models::Network::Positions positions{model.network()->margin(), first,
                                             std::min(std::ssize(bases), centre + kAround + 1) - first};
  attribution::ExplainOptions options;
  options.strands = strands;
  const auto values = attribution::attribute(model, bases, positions, {label}, options, 0);
  const auto codes = model::base_codes(bases);
  plot::Logo logo;
  for (int64_t i = 0; i < positions.count; ++i) {
    const auto code = codes[static_cast<size_t>(first + i)];
    std::array<double, 4> heights{};
    if (code < 4) heights[static_cast<size_t>(code)] = values.contribution(i, code, 0);
    logo.heights.push_back(heights);
  }
  return logo;
}

std::string short_text(const std::string& bases) { return bases.size() > 12 ? bases.substr(0, 12) + "..." : bases; }

}  // namespace

void VariantPictures::add(const PlannedAllele& allele, std::span<const float> values,
                          std::span<const variants::Column> columns) {
  if (folder_.empty() || allele.intervals.empty()) return;
  size_t largest = 0;
  for (size_t i = 0; i < columns.size() && columns[i].effect == columns[0].effect; ++i)
    if (std::abs(values[i]) > std::abs(values[largest])) largest = i;
  const auto strength = [](const Strong& of) { return -std::abs(of.value); };
  const auto place = std::ranges::upper_bound(strongest_, -std::abs(values[largest]), {}, strength);
  if (place == strongest_.end() && strongest_.size() == most_) return;
  strongest_.insert(place, {values[largest], static_cast<int64_t>(largest), allele});
  if (strongest_.size() > most_) strongest_.pop_back();
}

void VariantPictures::draw(const VariantScorer& scorer, const VariantPlaces& places) const {
  if (folder_.empty()) return;
  io::make_folder(folder_);
  const model::OneThreadPerOperation guard;  // the order of sums would depend on the number of threads
  const auto& model = scorer.models().members().front();
  const auto strands = places.averaged() ? session::Strands::average : session::Strands::forward;
  int64_t number = 0;
  for (const auto& [value, column, planned] : strongest_) {
    const auto& allele = planned.allele;
    const auto& of = scorer.columns()[static_cast<size_t>(column)];
    const auto& region = planned.intervals.front();
    const auto fetch = [&](int64_t start, int64_t end) {
      return planned.around.substr(static_cast<size_t>(start - planned.around_start), static_cast<size_t>(end - start));
    };
    const int64_t centre = allele.position - region.start;
    std::vector<plot::Logo> logos;
    logos.push_back(logo_of(model, fetch(region.start, region.end), centre, of.feature, strands));
    logos.push_back(logo_of(model, edited(allele, region.start, region.end, variants::Shared::left, fetch).bases,
                            centre, of.feature, strands));
    const std::string place = concat(allele.contig, ":", allele.position + 1);
    logos[0].title = concat(of.label, ", ", place, " ", short_text(allele.ref), " (reference)");
    logos[1].title = concat(short_text(allele.alt), " (alternative), ", effect_name(of.effect), " ", value);
    for (auto& logo : logos) {
      logo.y_label = "contribution, logit";
      for (int64_t i = 0; i < std::ssize(logo.heights); i += 10)
        logo.x_labels.push_back(concat(region.start + std::max<int64_t>(0, centre - kAround) + i + 1));
    }
    io::write_file(concat(folder_, "/", ++number, "_",
                          io::as_file_name(concat(place, "_", short_text(allele.ref), "_", short_text(allele.alt))),
                          "_", dataset::file_names({of.label}).front(), ".svg"),
                   plot::svg(logos));
  }
}

}  // namespace bigdna::variant_effects
