/// The SVG elements that lib/plot draws with. Coordinates are pixels from the upper left corner.
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace bigdna::plot {

/// The i-th colour of a legend, from 0; they repeat.
std::string_view colour(size_t index);

enum class Anchor { start, middle, end };

class Canvas {
 public:
  Canvas(double width, double height);
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1);
  void rectangle(double x, double y, double width, double height, std::string_view fill,
                 std::string_view stroke = "none");
  void circle(double x, double y, double radius, std::string_view fill);
  /// `points`: "x,y x,y ...".
  void polyline(std::string_view points, std::string_view stroke, bool dashed);
  /// A path of SVG commands in a box of 100 x 100, stretched to this rectangle; `upside_down`: turned about its middle
  /// line.
  void glyph(std::string_view path, double x, double y, double width, double height, std::string_view fill,
             bool upside_down = false);
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, double size = 12,
            double rotate = 0);
  /// The whole document.
  std::string finish() const;

 private:
  std::ostringstream body_;
  double width_, height_;
};

}  // namespace bigdna::plot
