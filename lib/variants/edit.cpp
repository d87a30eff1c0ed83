#include "variants/edit.h"

#include <algorithm>

#include "genome/alphabet.h"

namespace bigdna::variants {

bool fits(const Allele& allele, int64_t start, int64_t end) {
  const auto ref = static_cast<int64_t>(allele.ref.size()), alt = static_cast<int64_t>(allele.alt.size());
  return allele.position >= start && allele.position + ref <= end && 2 * std::max(ref, alt) <= end - start;
}

EditedText edited(const Allele& allele, int64_t start, int64_t end, Shared side,
                  const std::function<std::string(int64_t, int64_t)>& fetch) {
  const auto ref = static_cast<int64_t>(allele.ref.size()), alt = static_cast<int64_t>(allele.alt.size());
  const int64_t site = allele.position, behind = site + ref, longer = alt - ref;
  EditedText text;
  const auto share = [&](int64_t from, int64_t to, int64_t length) {
    if (length > 0) text.shared.push_back({from, to, length});
  };
  if (side == Shared::left) {
    text.bases = fetch(start, site) + allele.alt + fetch(behind, std::max(behind, end - longer));
    text.bases.resize(static_cast<size_t>(end - start));  // near the interval's end ALT is cut
    share(0, 0, site - start);
    share(behind - start, behind + longer - start, std::min(end, end - longer) - behind);
  } else {
    text.bases = fetch(std::min(site, start + longer), site) + allele.alt + fetch(behind, end);
    text.bases.erase(0, text.bases.size() - static_cast<size_t>(end - start));
    const int64_t cut = std::max<int64_t>(longer, 0);
    share(cut, cut - longer, site - start - cut);
    share(behind - start, behind - start, end - behind);
  }
  return text;
}

EditedText reverse_complement(EditedText text, int64_t original) {
  genome::reverse_complement_in_place(text.bases);
  const auto size = static_cast<int64_t>(text.bases.size());
  for (auto& part : text.shared) part = {original - part.from - part.length, size - part.to - part.length, part.length};
  std::reverse(text.shared.begin(), text.shared.end());
  return text;
}

}  // namespace bigdna::variants
