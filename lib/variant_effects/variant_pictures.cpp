#include "variant_effects/variant_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/log.h"
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

/// Three significant digits.
std::string short_text(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", static_cast<double>(value));
  return text;
}

/// What the picture says of the allele: "rs1 chr20:3351595 C>T, CTCF|K562", and "P 0.0931 to 0.0017, DIFF -0.0915,
/// percentile 99.9, seen in training".
std::pair<std::string, std::string> titles_of(const StrongAllele& of) {
  const auto place = concat(of.id == "." ? "" : of.id + " ", of.contig, ":", of.planned.allele.position + 1, " ",
                            short_text(of.ref), ">", short_text(of.alt));
  std::string effect = concat(effect_name(of.column.effect), " ", short_text(of.value));
  if (!std::isnan(of.p_ref)) effect = concat("P ", short_text(of.p_ref), " to ", short_text(of.p_alt), ", ", effect);
  if (!std::isnan(of.percentile)) effect += concat(", percentile ", short_text(of.percentile));
  if (of.seen.value_or(false)) effect += ", seen in training";
  return {of.column.label.empty() ? place : concat(place, ", ", of.column.label), effect};
}

}  // namespace

void draw_variants(const std::string& folder, std::span<const StrongAllele> alleles, const VariantScorer& scorer,
                   const VariantPlaces& places) {
  if (folder.empty()) return;
  io::make_folder(folder);
  const model::OneThreadPerOperation guard;  // the order of sums would depend on the number of threads
  const auto& model = scorer.models().members().front();
  const auto strands = places.averaged() ? session::Strands::average : session::Strands::forward;
  log::Progress progress("pictures", alleles.size(), "alleles");
  int64_t number = 0;
  for (const auto& of : alleles) {
    const auto &allele = of.planned.allele, &change = of.planned.change;
    const auto& region = of.planned.intervals.front();
    const auto fetch = [&](int64_t start, int64_t end) {
      return of.planned.around.substr(static_cast<size_t>(start - of.planned.around_start),
                                      static_cast<size_t>(end - start));
    };
    const int64_t centre = change.position - region.start, first = std::max<int64_t>(0, centre - kAround);
    std::vector<plot::Logo> logos;
    logos.push_back(logo_of(model, fetch(region.start, region.end), centre, of.column.feature, strands));
    logos.push_back(logo_of(model, edited(change, region.start, region.end, variants::Shared::left, fetch).bases,
                            centre, of.column.feature, strands));
    const auto [place, effect] = titles_of(of);
    logos[0].title = place;
    logos[1].title = effect;
    const auto mark = [&](plot::Logo& logo, const std::string& bases) {
      const auto at = static_cast<double>(centre - first);
      logo.mark = {at, at + static_cast<double>(bases.size()), short_text(bases)};
    };
    mark(logos[0], change.ref);
    mark(logos[1], change.alt);
    for (auto& logo : logos) {
      logo.y_label = "contribution, logit";
      for (int64_t i = 0; i < std::ssize(logo.heights); i += 10)
        logo.x_labels.push_back(concat(region.start + first + i + 1));
    }
    io::write_file(concat(folder, "/", ++number, "_",
                          io::as_file_name(concat(of.contig, ":", allele.position + 1, "_", short_text(allele.ref), "_",
                                                  short_text(allele.alt))),
                          "_", dataset::file_names({of.column.label}).front(), ".svg"),
                   plot::svg(logos));
    progress.add(1);
  }
}

}  // namespace bigdna::variant_effects
