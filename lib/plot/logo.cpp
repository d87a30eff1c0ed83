#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "plot/canvas.h"
#include "plot/svg.h"

namespace bigdna::plot {
namespace {

constexpr std::array<std::string_view, 4> kLetters{"A", "C", "G", "T"};
constexpr std::array<std::string_view, 4> kPaths{
    "M0 100L37 0H63L100 100H78L71 76H29L22 100ZM34 60H66L50 14Z",
    "M100 29C94 10 76 0 53 0C20 0 0 20 0 50C0 80 20 100 53 100C76 100 94 90 100 71L78 66C74 77 66 82 53 82C33 82 22 70 "
    "22 50C22 30 33 18 53 18C66 18 74 23 78 34Z",
    "M100 27C93 10 76 0 53 0C20 0 0 20 0 50C0 80 20 100 53 100C72 100 88 94 100 84V46H52V63H79V75C72 80 63 82 54 82C33 "
    "82 22 70 22 50C22 30 33 18 53 18C65 18 73 23 77 33Z",
    "M0 0H100V18H61V100H39V18H0Z"};
// Of the field's usual four, those that readers who do not see red and green tell apart: Okabe and Ito's.
constexpr std::array<std::string_view, 4> kLetterColours{"#009e73", "#0072b2", "#e69f00", "#d55e00"};

constexpr double kLogoColumn = 12, kLogoHeight = 160, kMapRow = 12, kLogoLeft = 64, kLogoTop = 40,
                 kLogoRight = 30;                        // half of the last label
constexpr double kMapTop = kLogoTop + kLogoHeight + 34;  // of the heat map
constexpr double kMapHeight = 4 * kMapRow + 16;
constexpr double kOverviewHeight = 90, kBars = 40, kLeastOverview = 260;
constexpr double kTrackRow = 28, kThick = 12, kThin = 4;

/// Three significant digits.
std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

/// Blue for less, white for 0, orange for more: `share` from -1 to 1.
std::string colour_of(double share) {
  const std::array<double, 3> end = share < 0 ? std::array<double, 3>{0, 114, 178} : std::array<double, 3>{213, 94, 0};
  const double by = std::min(1., std::abs(share));
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", static_cast<unsigned>(std::lround(255 + (end[0] - 255) * by)),
                static_cast<unsigned>(std::lround(255 + (end[1] - 255) * by)),
                static_cast<unsigned>(std::lround(255 + (end[2] - 255) * by)));
  return text;
}

/// The letters of a position: the smallest next to the line.
void stack(Canvas& canvas, const std::array<double, 4>& heights, double x, double zero, double scale) {
  std::array<size_t, 4> order{0, 1, 2, 3};
  std::ranges::sort(order, {}, [&](size_t base) { return std::abs(heights[base]); });
  double above = zero, below = zero;
  for (const size_t base : order) {
    const double height = std::abs(heights[base]) * scale;
    if (!(height > 0.2)) continue;  // a fifth of a pixel
    const bool down = heights[base] < 0;
    if (!down) above -= height;
    canvas.glyph(kPaths[base], x + 0.5, down ? below : above, kLogoColumn - 1, height, kLetterColours[base], down);
    if (down) below += height;
  }
}

/// What logos that are compared with each other share.
struct LogoScale {
  double most = 0, least = 0;  // of a column's letters together
  double largest = 0;          // of changes
  void add(const Logo& logo) {
    for (const auto& column : logo.heights) {
      double up = 0, down = 0;
      for (const double height : column) (height > 0 ? up : down) += height;
      most = std::max(most, up), least = std::min(least, down);
    }
    for (const auto& column : logo.changes)
      for (const double change : column)
        if (std::isfinite(change)) largest = std::max(largest, std::abs(change));
  }
};

double width_of(const Logo& logo) { return kLogoColumn * static_cast<double>(logo.heights.size()); }

/// Draws a track: over the line its name, then the label of each box where there is room.
void draw(Canvas& canvas, const Track& track, double columns, double left, double top) {
  constexpr double kLetter = 5.5;
  const double middle = top + kTrackRow - kThick / 2 - 1, above = middle - kThick / 2 - 3;
  const auto end_of = [](double x, const std::string& text) { return x + kLetter * static_cast<double>(text.size()); };
  canvas.line(left, middle, left + columns * kLogoColumn, middle, "#dddddd");
  canvas.text(left, above, track.name, Anchor::start, 9);
  double free = end_of(left, track.name) + 12;  // where the next label may begin
  for (const auto& box : track.boxes) {
    const double first = std::max(0., box.first), last = std::min(columns, box.last);
    if (!(first < last)) continue;
    const double x = left + first * kLogoColumn, height = box.thin ? kThin : kThick;
    canvas.rectangle(x, middle - height / 2, (last - first) * kLogoColumn, height, "#0072b2");
    const double at = std::max(x, free);
    if (box.label.empty() || end_of(at, box.label) > left + columns * kLogoColumn) continue;
    canvas.text(at, above, box.label, Anchor::start, 9);
    free = end_of(at, box.label) + 6;
  }
}

/// Draws an overview as wide as the columns above it; an orange line shows where these lie.
void draw(Canvas& canvas, const Overview& overview, double width, double left, double top) {
  const double bar = width / static_cast<double>(std::max<size_t>(1, overview.values.size())),
               bottom = top + 22 + kBars;
  canvas.text(left, top + 14, overview.title, Anchor::start, 10);
  for (size_t i = 0; i < overview.values.size(); ++i) {
    if (!std::isfinite(overview.values[i])) continue;
    const double height = overview.most > 0 ? kBars * std::clamp(overview.values[i] / overview.most, 0., 1.) : 0;
    canvas.rectangle(left + bar * static_cast<double>(i), bottom - height, std::max(1., bar - 1), height, "#0072b2");
  }
  canvas.line(left, bottom, left + width, bottom, "black");
  canvas.rectangle(left + overview.first * bar, bottom + 1, std::max(2., (overview.last - overview.first) * bar), 4,
                   "#d55e00");
  canvas.text(left - 6, top + 28, three_digits(overview.most), Anchor::end, 11);
  canvas.text(left - 6, bottom, "0", Anchor::end, 11);
  canvas.text(left, bottom + 16, overview.from, Anchor::start, 10);
  canvas.text(left + width, bottom + 16, overview.to, Anchor::end, 10);
}

/// Draws a logo whose first column begins at x = left.
void draw(Canvas& canvas, const Logo& logo, const LogoScale& of, double left) {
  const double range = of.most > of.least ? of.most - of.least : 1, scale = kLogoHeight / range;
  const double zero = kLogoTop + of.most * scale, width = width_of(logo);
  canvas.text(left, 22, logo.title, Anchor::start, 14);
  canvas.text(left - 50, kLogoTop + kLogoHeight / 2, logo.y_label, Anchor::middle, 12, -90);
  if (const auto& mark = logo.mark) {
    const double first = std::max(0., mark->first), last = std::min(width / kLogoColumn, mark->last);
    canvas.rectangle(left + first * kLogoColumn, kLogoTop, std::max(0., last - first) * kLogoColumn, kLogoHeight,
                     "#f5d9b8");
    canvas.text(left + (first + last) / 2 * kLogoColumn, kLogoTop - 3, mark->label, Anchor::middle, 11);
  }
  canvas.line(left, zero, left + width, zero, "#999999");
  canvas.line(left, kLogoTop, left, kLogoTop + kLogoHeight, "black");
  if (of.most > 0) canvas.text(left - 6, kLogoTop + 8, three_digits(of.most), Anchor::end, 11);
  if (of.least < 0) canvas.text(left - 6, kLogoTop + kLogoHeight, three_digits(of.least), Anchor::end, 11);
  for (size_t i = 0; i < logo.heights.size(); ++i) {
    const double x = left + kLogoColumn * static_cast<double>(i);
    stack(canvas, logo.heights[i], x, zero, scale);
    if (i % 10 == 0 && i / 10 < logo.x_labels.size()) {
      const double tick = x + kLogoColumn / 2;
      canvas.line(tick, kLogoTop + kLogoHeight + 2, tick, kLogoTop + kLogoHeight + 7, "black");
      canvas.text(tick, kLogoTop + kLogoHeight + 20, logo.x_labels[i / 10], Anchor::middle, 11);
    }
  }
  for (size_t base = 0; base < 4 && !logo.changes.empty(); ++base) {
    const double y = kMapTop + kMapRow * static_cast<double>(base);
    canvas.text(left - 6, y + kMapRow - 2, kLetters[base], Anchor::end, 11);
    for (size_t i = 0; i < logo.changes.size(); ++i) {
      const double change = logo.changes[i][base];
      canvas.rectangle(left + kLogoColumn * static_cast<double>(i), y, kLogoColumn, kMapRow,
                       std::isfinite(change) && of.largest > 0 ? colour_of(change / of.largest) : "#cccccc");
    }
  }
  if (!logo.changes.empty())
    canvas.text(left, kMapTop + 4 * kMapRow + 12,
                "change of the logit by each base, blue -" + three_digits(of.largest) + " to orange " +
                    three_digits(of.largest),
                Anchor::start, 10);
  double top = kMapTop + (logo.changes.empty() ? 0 : kMapHeight);
  for (const auto& track : logo.tracks) {
    draw(canvas, track, static_cast<double>(logo.heights.size()), left, top);
    top += kTrackRow;
  }
  if (logo.overview) draw(canvas, *logo.overview, std::max(width, kLeastOverview), left, top);
}

}  // namespace

std::string svg(const Logo& logo) { return svg(std::vector{logo}); }

std::string svg(const std::vector<Logo>& logos) {
  LogoScale scale;
  double width = 0;
  bool changes = false, overview = false;
  size_t tracks = 0;
  for (const auto& logo : logos) {
    if (!logo.changes.empty() && logo.changes.size() != logo.heights.size())
      fail("plot: ", logo.changes.size(), " columns of changes for ", logo.heights.size(), " of letters");
    scale.add(logo);
    width += kLogoLeft + width_of(logo) + kLogoRight;
    changes |= !logo.changes.empty();
    overview |= logo.overview.has_value();
    tracks = std::max(tracks, logo.tracks.size());
  }
  Canvas canvas(std::max(width, 360.), kMapTop + (changes ? kMapHeight : 0) + kTrackRow * static_cast<double>(tracks) +
                                           (tracks ? 14 : 0) + (overview ? kOverviewHeight : 0));
  double left = kLogoLeft;
  for (const auto& logo : logos) {
    draw(canvas, logo, scale, left);
    left += width_of(logo) + kLogoRight + kLogoLeft;
  }
  return canvas.finish();
}

}  // namespace bigdna::plot
