/// A file that htslib has open, and a text that it fills.
#pragma once

#include <htslib/hts.h>
#include <htslib/kstring.h>

#include <memory>
#include <string_view>

namespace bigdna::variants {

struct CloseHtsFile {
  void operator()(htsFile* file) const { hts_close(file); }
};
/// Closed at the end; a writer releases it and checks hts_close().
using HtsFile = std::unique_ptr<htsFile, CloseHtsFile>;

struct HtsText : kstring_t {
  HtsText() : kstring_t{0, 0, nullptr} {}
  ~HtsText() { ks_free(this); }
  HtsText(const HtsText&) = delete;
  HtsText& operator=(const HtsText&) = delete;
  std::string_view view() const { return {s ? s : "", l}; }
};

}  // namespace bigdna::variants
