#include "report/assets.h"

// Puts a file into the program as it is. The assembler finds it in this folder (lib/CMakeLists.txt).
#define BIGDNA_ASSET(name, file)                                                                 \
  __asm__(                                                                                       \
      ".section .rodata\n"                                                                       \
      ".global bigdna_report_" #name "_begin\nbigdna_report_" #name                              \
      "_begin:\n"                                                                                \
      ".incbin \"" file                                                                          \
      "\"\n"                                                                                     \
      ".global bigdna_report_" #name "_end\nbigdna_report_" #name                                \
      "_end:\n"                                                                                  \
      ".previous\n");                                                                            \
  extern "C" const char bigdna_report_##name##_begin[], bigdna_report_##name##_end[];            \
  namespace {                                                                                    \
  std::string_view name() { return {bigdna_report_##name##_begin, bigdna_report_##name##_end}; } \
  }

BIGDNA_ASSET(report_css, "report.css")
BIGDNA_ASSET(page_js, "page.js")
BIGDNA_ASSET(view_js, "view.js")
BIGDNA_ASSET(pictures_js, "pictures.js")
BIGDNA_ASSET(figures_js, "figures.js")
BIGDNA_ASSET(report_js, "report.js")
BIGDNA_ASSET(vega, "vega/vega.min.js")
BIGDNA_ASSET(vega_lite, "vega/vega-lite.min.js")
BIGDNA_ASSET(vega_licence, "vega/LICENSE")

namespace bigdna::report::assets {

std::string_view style() { return report_css(); }
std::array<std::string_view, 5> scripts() { return {page_js(), view_js(), pictures_js(), figures_js(), report_js()}; }
std::array<std::string_view, 2> libraries() { return {vega(), vega_lite()}; }
std::string_view licence() { return vega_licence(); }

}  // namespace bigdna::report::assets
