/// Pictures as SVG 1.1 text: charts of lines and points, and grids of coloured cells. No fonts, scripts or other files
/// are needed to show them. Colours are Okabe and Ito's, which colour-blind readers can tell apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bigdna::plot {

struct Series {
  std::string name;  // in the legend; "" leaves it out
  // of one length, drawn in this order; a point that is not finite is left out and breaks the line, and one that is
  // alone is a dot. Without any point the series has no entry in the legend.
  std::vector<double> x, y;
  bool points = false;  // dots instead of a line
  bool dashed = false;  // for reference lines (chance, a baseline)
};

struct Axis {
  std::string label;
  bool log = false;                           // base 10; values must be > 0, others are left out
  std::optional<double> low = {}, high = {};  // unset: the data's, a little wider
};

struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

/// Cells in rows from the top: `cells[row * columns + column]` is an index into `kinds`.
struct Grid {
  std::string title, x_label, y_label;
  int64_t rows = 0, columns = 0;
  std::vector<uint8_t> cells;
  std::vector<std::string> kinds;  // the legend; kind 0 is drawn white
};

/// What lies along the columns of a picture, as boxes in a row of its own.
struct Track {
  std::string name;
  struct Box {
    double first = 0, last = 0;  // columns, half-open; what lies outside the picture is cut off
    std::string label = {};
    bool thin = false;
  };
  std::vector<Box> boxes = {};
};

/// Numbers along a wider stretch than the picture's columns, as bars of one width side by side.
struct Overview {
  std::string title;                // over the bars
  std::vector<double> values = {};  // from 0 to `most`; NaN: no bar
  double most = 1;
  double first = 0, last = 0;  // the bars that the columns lie under, half-open; in parts of a bar, too
  std::string from, to;        // below the ends
};

/// Letters above (and, of negative height, upside down below) a line: a motif, or what each base of a sequence
/// contributes. With `changes`, a heat map of four rows (A, C, G, T) lies below.
struct Logo {
  std::string title, y_label;
  std::vector<std::string> x_labels = {};           // of every tenth column, from the first
  std::vector<std::array<double, 4>> heights = {};  // of A, C, G, T; the largest is furthest from the line
  std::vector<std::array<double, 4>> changes = {};  // NaN: the base that stands there
  std::optional<Track::Box> mark = {};              // columns that are shaded, with a label above
  std::vector<Track> tracks = {};                   // below all of that
  std::optional<Overview> overview = {};            // and last
};

/// A chart, or several side by side (at most three per row). Error if a series' x and y differ in length.
std::string svg(const std::vector<Chart>& charts);
std::string svg(const Grid& grid);
std::string svg(const Logo& logo);
/// Side by side and on the same scale.
std::string svg(const std::vector<Logo>& logos);

}  // namespace bigdna::plot
