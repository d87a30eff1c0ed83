#include "corpus/show.h"

#include <algorithm>

#include "base/error.h"

namespace bigdna::corpus {

void write_documents(const Corpus& corpus, const tokenizer::Vocabulary& vocabulary, int64_t count, io::Output& output) {
  const auto text_of = [&](uint16_t id) -> std::string_view {
    if (id >= vocabulary.size()) fail(corpus.folder(), ": damaged: a token is not in the vocabulary");
    return vocabulary.is_special(id) ? std::string_view("?") : std::string_view(vocabulary.piece(id).text);
  };
  for (int64_t i = 0; i < std::min(count, corpus.documents()); ++i) {
    const Document d = corpus.document(i);
    const auto& r = d.region;
    output << concat('>', r.contig, ':', r.start + 1, '-', r.end, '(', r.strand, ") document=", i, " pass=", d.pass,
                     " sentences=", d.sentence_starts.size(), " tokens=", d.tokens.size(), '\n');
    for (size_t s = 0; s < d.sentence_starts.size(); ++s) {
      const size_t end = s + 1 < d.sentence_starts.size() ? d.sentence_starts[s + 1] : d.tokens.size();
      for (size_t t = d.sentence_starts[s]; t < std::min(end, d.tokens.size()); ++t) output << text_of(d.tokens[t]);
      output << "\n";
    }
  }
}

}  // namespace bigdna::corpus
