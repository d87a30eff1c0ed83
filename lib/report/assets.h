/// The files of lib/report that become part of the program: what every report holds beside its data.
#pragma once

#include <array>
#include <string_view>

namespace bigdna::report::assets {

std::string_view style();  // report.css
/// The page's own scripts, in the order in which they need each other.
std::array<std::string_view, 5> scripts();
/// Vega and Vega-Lite, which needs it, and their licence.
std::array<std::string_view, 2> libraries();
std::string_view licence();

}  // namespace bigdna::report::assets
