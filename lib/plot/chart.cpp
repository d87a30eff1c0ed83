/// Charts: a scale per axis with ticks at round numbers, lines or dots, a legend below.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "plot/canvas.h"
#include "plot/svg.h"

namespace bigdna::plot {
namespace {

constexpr double kWidth = 460, kHeight = 340;  // of one chart, without its legend
constexpr double kLeft = 70, kRight = 20, kTop = 36, kBottom = 52, kLegendLine = 18;
constexpr size_t kPerRow = 3;

bool shown(const Axis& axis, double value) { return std::isfinite(value) && (!axis.log || value > 0); }

/// From values to pixels.
class Scale {
 public:
  Scale(const Axis& axis, const std::vector<Series>& series, std::vector<double> Series::*values, double from,
        double to)
      : log_(axis.log), from_(from), to_(to) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& s : series)
      for (const double value : s.*values)
        if (shown(axis, value)) low = std::min(low, value), high = std::max(high, value);
    if (low > high) low = log_ ? 1 : 0, high = log_ ? 10 : 1;  // nothing to show
    low_ = map(axis.low.value_or(low)), high_ = map(axis.high.value_or(high));
    if (high_ - low_ < 1e-12 * std::max(1.0, std::abs(high_))) low_ -= 0.5, high_ += 0.5;
    const double margin = (high_ - low_) * 0.03;
    if (!axis.low) low_ -= margin;
    if (!axis.high) high_ += margin;
  }
  double pixel(double value) const { return from_ + (map(value) - low_) / (high_ - low_) * (to_ - from_); }
  /// Round numbers in range, about five.
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (log_ && high_ - low_ > 1) {
      const double step = std::max(1.0, std::ceil((high_ - low_) / 6));
      for (double power = std::ceil(low_); power <= high_; power += step) all.push_back(std::pow(10, power));
      return all;
    }
    const double low = log_ ? std::pow(10, low_) : low_, high = log_ ? std::pow(10, high_) : high_;
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) all.push_back(i * step);
    return all;
  }

 private:
  double map(double value) const { return log_ ? std::log10(value) : value; }
  bool log_;
  double from_, to_, low_ = 0, high_ = 1;
};

/// "0.25", "12 k", "1.5 M".
std::string tick_text(double value) {
  const double size = std::abs(value);
  std::ostringstream out;
  out.precision(4);
  if (size >= 1e9)
    out << value / 1e9 << " G";
  else if (size >= 1e6)
    out << value / 1e6 << " M";
  else if (size >= 1e4)
    out << value / 1e3 << " k";
  else
    out << (size < 1e-12 ? 0 : value);
  return out.str();
}

bool is_shown(const Chart& chart, const Series& series, size_t i) {
  return shown(chart.x, series.x[i]) && shown(chart.y, series.y[i]);
}

/// How many points of the series the chart has. Error if its x and y differ in length.
int64_t points_of(const Chart& chart, const Series& series) {
  if (series.x.size() != series.y.size())
    fail("plot: series '", series.name, "' has ", series.x.size(), " x and ", series.y.size(), " y");
  int64_t points = 0;
  for (size_t i = 0; i < series.x.size(); ++i) points += is_shown(chart, series, i);
  return points;
}

/// Whether the legend names the series: one of which nothing is drawn has no entry.
bool in_legend(const Chart& chart, const Series& series) {
  return !series.name.empty() && points_of(chart, series) > 0;
}

void draw_series(Canvas& canvas, const Chart& chart, const Series& series, const Scale& x, const Scale& y,
                 std::string_view stroke) {
  std::ostringstream points;
  points.precision(6);
  size_t together = 0, last = 0;  // points of a line, and the last of them
  const auto flush = [&] {
    if (together == 1) canvas.circle(x.pixel(series.x[last]), y.pixel(series.y[last]), 3, stroke);
    if (together > 1) canvas.polyline(points.str(), stroke, series.dashed);
    points.str("");
    together = 0;
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!is_shown(chart, series, i)) {
      flush();
    } else if (series.points) {
      canvas.circle(x.pixel(series.x[i]), y.pixel(series.y[i]), 2, stroke);
    } else {
      points << x.pixel(series.x[i]) << ',' << y.pixel(series.y[i]) << ' ';
      ++together;
      last = i;
    }
  }
  flush();
}

void draw(Canvas& canvas, const Chart& chart, double left, double top) {
  const double x0 = left + kLeft, x1 = left + kWidth - kRight, y0 = top + kHeight - kBottom, y1 = top + kTop;
  const Scale x(chart.x, chart.series, &Series::x, x0, x1), y(chart.y, chart.series, &Series::y, y0, y1);
  canvas.text((x0 + x1) / 2, top + 22, chart.title, Anchor::middle, 14);
  for (const double tick : x.ticks()) {
    canvas.line(x.pixel(tick), y0, x.pixel(tick), y1, "#e5e5e5");
    canvas.text(x.pixel(tick), y0 + 16, tick_text(tick), Anchor::middle, 11);
  }
  for (const double tick : y.ticks()) {
    canvas.line(x0, y.pixel(tick), x1, y.pixel(tick), "#e5e5e5");
    canvas.text(x0 - 6, y.pixel(tick) + 4, tick_text(tick), Anchor::end, 11);
  }
  canvas.line(x0, y0, x1, y0, "black");
  canvas.line(x0, y0, x0, y1, "black");
  canvas.text((x0 + x1) / 2, y0 + 36, chart.x.label, Anchor::middle);
  canvas.text(left + 16, (y0 + y1) / 2, chart.y.label, Anchor::middle, 12, -90);
  double legend = y0 + kBottom + 4;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const auto& series = chart.series[i];
    draw_series(canvas, chart, series, x, y, colour(i));
    if (!in_legend(chart, series)) continue;
    if (series.points || points_of(chart, series) == 1)
      canvas.circle(x0 + 12, legend - 4, 3, colour(i));
    else
      canvas.polyline(concat(x0, ",", legend - 4, " ", x0 + 24, ",", legend - 4), colour(i), series.dashed);
    canvas.text(x0 + 32, legend, series.name);
    legend += kLegendLine;
  }
}

}  // namespace

std::string svg(const std::vector<Chart>& charts) {
  size_t named = 0;
  for (const auto& chart : charts)
    named = std::max(named, static_cast<size_t>(std::count_if(chart.series.begin(), chart.series.end(),
                                                              [&](const Series& s) { return in_legend(chart, s); })));
  const double height = kHeight + kLegendLine * static_cast<double>(named);
  const size_t across = std::min(kPerRow, charts.size());
  Canvas canvas(kWidth * static_cast<double>(across),
                height * static_cast<double>((charts.size() + kPerRow - 1) / kPerRow));
  for (size_t i = 0; i < charts.size(); ++i)
    draw(canvas, charts[i], kWidth * static_cast<double>(i % kPerRow), height * static_cast<double>(i / kPerRow));
  return canvas.finish();
}

}  // namespace bigdna::plot
