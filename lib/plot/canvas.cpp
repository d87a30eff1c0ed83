#include "plot/canvas.h"

#include <array>

namespace bigdna::plot {
namespace {

/// The text with escapes, for use between tags or in quotes.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string number(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

}  // namespace

std::string_view colour(size_t index) {
  static constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                            "#e69f00", "#56b4e9", "#000000", "#999999"};
  return kColours[index % kColours.size()];
}

Canvas::Canvas(double width, double height) : width_(width), height_(height) { body_.precision(6); }

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width) {
  body_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" stroke=\"" << stroke
        << "\" stroke-width=\"" << width << "\"/>\n";
}

void Canvas::rectangle(double x, double y, double width, double height, std::string_view fill,
                       std::string_view stroke) {
  body_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height << "\" fill=\""
        << fill << "\" stroke=\"" << stroke << "\"/>\n";
}

void Canvas::circle(double x, double y, double radius, std::string_view fill) {
  body_ << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"" << radius << "\" fill=\"" << fill << "\"/>\n";
}

void Canvas::polyline(std::string_view points, std::string_view stroke, bool dashed) {
  body_ << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << stroke << "\""
        << (dashed ? " stroke-dasharray=\"5 4\"" : "") << " points=\"" << points << "\"/>\n";
}

void Canvas::glyph(std::string_view path, double x, double y, double width, double height, std::string_view fill,
                   bool upside_down) {
  body_ << "<path fill-rule=\"evenodd\" fill=\"" << fill << "\" transform=\"translate(" << x << " "
        << (upside_down ? y + height : y) << ") scale(" << width / 100 << " " << (upside_down ? -height : height) / 100
        << ")\" d=\"" << path << "\"/>\n";
}

void Canvas::text(double x, double y, std::string_view text, Anchor anchor, double size, double rotate) {
  static constexpr std::array<std::string_view, 3> kAnchors{"start", "middle", "end"};
  body_ << "<text x=\"" << x << "\" y=\"" << y << "\" font-size=\"" << size << "\" text-anchor=\""
        << kAnchors[static_cast<size_t>(anchor)] << "\"";
  if (rotate != 0) body_ << " transform=\"rotate(" << rotate << " " << x << " " << y << ")\"";
  body_ << ">" << escaped(text) << "</text>\n";
}

std::string Canvas::finish() const {
  const std::string size = "width=\"" + number(width_) + "\" height=\"" + number(height_) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" " + size + " viewBox=\"0 0 " + number(width_) +
         " " + number(height_) + "\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect " + size +
         " fill=\"white\"/>\n" + body_.str() + "</svg>\n";
}

}  // namespace bigdna::plot
