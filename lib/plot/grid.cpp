#include <algorithm>

#include "base/error.h"
#include "plot/canvas.h"
#include "plot/svg.h"

namespace bigdna::plot {

std::string svg(const Grid& grid) {
  if (static_cast<int64_t>(grid.cells.size()) != grid.rows * grid.columns)
    fail("plot: ", grid.cells.size(), " cells for ", grid.rows, " rows and ", grid.columns, " columns");
  const double cell =
      std::clamp(480.0 / static_cast<double>(std::max<int64_t>(1, std::max(grid.rows, grid.columns))), 2.0, 28.0);
  const double left = 44, top = 58, width = cell * static_cast<double>(grid.columns),
               height = cell * static_cast<double>(grid.rows);
  const double legend = 18 * static_cast<double>(grid.kinds.size());
  Canvas canvas(std::max(left + width + 20, 420.0), top + height + 16 + legend);
  canvas.text(left, 22, grid.title, Anchor::start, 14);
  canvas.text(left + width / 2, top - 10, grid.x_label, Anchor::middle);
  canvas.text(left - 14, top + height / 2, grid.y_label, Anchor::middle, 12, -90);
  const std::string_view edge = cell >= 6 ? "#cccccc" : "none";
  canvas.rectangle(left, top, width, height, "white", "black");
  for (int64_t row = 0; row < grid.rows; ++row)
    for (int64_t column = 0; column < grid.columns; ++column) {
      const uint8_t kind = grid.cells[static_cast<size_t>(row * grid.columns + column)];
      if (kind == 0 && cell < 6) continue;
      canvas.rectangle(left + cell * static_cast<double>(column), top + cell * static_cast<double>(row), cell, cell,
                       kind == 0 ? "white" : colour(kind - 1), edge);
    }
  for (size_t kind = 0; kind < grid.kinds.size(); ++kind) {
    const double y = top + height + 24 + 18 * static_cast<double>(kind);
    canvas.rectangle(left, y - 10, 12, 12, kind == 0 ? "white" : colour(kind - 1), "#cccccc");
    canvas.text(left + 20, y, grid.kinds[kind]);
  }
  return canvas.finish();
}

}  // namespace bigdna::plot
