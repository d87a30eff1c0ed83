#include "session/reader.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model_folder/config.h"

namespace bigdna::session {

corpus::Example SequenceReader::example(std::string_view bases, bool reversed) const {
  return example(encoder_.encode(bases), reversed);
}

corpus::Example SequenceReader::example(const tokenizer::Encoding& encoding, bool reversed) const {
  const double anchor = reversed ? 1 - anchor_ : anchor_;
  const auto count = static_cast<int64_t>(encoding.size()), room = max_length_ - 2;
  const int64_t length = encoding.begins.back();  // in bases
  int64_t first = 0;
  readings_.add(count > room);
  if (count > room) {
    const auto middle = std::upper_bound(encoding.begins.begin(), encoding.begins.end(),
                                         static_cast<int64_t>(anchor * static_cast<double>(length))) -
                        encoding.begins.begin() - 1;
    first = std::clamp<int64_t>(middle - room / 2, 0, count - room);
  }
  const auto& special = encoder_.vocabulary().special();
  corpus::Example example;
  example.ids.reserve(static_cast<size_t>(std::min(count, room)) + 2);
  example.ids.push_back(special.cls);
  example.ids.insert(example.ids.end(), encoding.ids.begin() + first,
                     encoding.ids.begin() + first + std::min(count, room));
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  const auto kept = encoding.begins.begin() + first, kept_end = kept + std::min(count, room);
  const auto site =
      std::clamp<int64_t>(std::llround(anchor * static_cast<double>(length)), 0, std::max<int64_t>(0, length - 1));
  for (const int64_t width : model_folder::kPoolScales) {
    if (kept == kept_end) {  // no bases: [CLS] and [SEP]
      example.scales.push_back({0, 2});
      continue;
    }
    // from the token that covers the first base to the one that covers the last, behind [CLS]
    auto from = std::upper_bound(kept, kept_end, std::max<int64_t>(0, site - width / 2));
    if (from != kept) --from;
    const auto to = std::max(std::lower_bound(kept, kept_end, site + width / 2), from + 1);
    example.scales.push_back({static_cast<int32_t>(from - kept) + 1, static_cast<int32_t>(to - kept) + 1});
  }
  return example;
}

void SequenceReader::report_truncated() const {
  readings_.report(concat("more than ", max_length_, " tokens, so only those around the start site or bin were used"));
}

}  // namespace bigdna::session
