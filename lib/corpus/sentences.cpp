#include "corpus/sentences.h"

#include "base/error.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "corpus/build.h"
#include "io/lines.h"

namespace bigdna::corpus {

GenomeSentences::GenomeSentences(const SentenceOptions& options)
    : seed_(options.sampler.seed),
      share_(options.share),
      walk_(ContigReader(options.files, options.survey), options.sampler,
            options.survey ? &options.survey->training : nullptr, nullptr) {}

bool GenomeSentences::next_document() {
  sentence_ = 0;
  do {
    document_.reset();  // frees its contig before the next one is read
    document_ = walk_.next();
    if (!document_) return false;
  } while (share_ < 1 && Rng(seed_, mix({document_->contig->row + uint64_t{1}, document_->index})).uniform() >= share_);
  return true;
}

std::optional<std::string_view> GenomeSentences::next() {
  if ((!document_ || sentence_ == document_->plan.ends.size()) && !next_document()) return std::nullopt;
  const DocumentPlan& plan = document_->plan;
  const int64_t begin = sentence_ == 0 ? plan.start : plan.ends[sentence_ - 1], end = plan.ends[sentence_];
  ++sentence_;
  const auto bases = std::string_view(document_->contig->record.bases)
                         .substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  if (plan.strand != '-') return bases;
  return reversed_ = genome::reverse_complement(bases);
}

struct TextSentences::State {
  std::vector<std::string> files;
  size_t file = 0;
  std::optional<io::LineReader> reader;
};

TextSentences::TextSentences(std::vector<std::string> files)
    : state_(std::make_unique<State>(State{std::move(files), 0, std::nullopt})) {}
TextSentences::~TextSentences() = default;

std::optional<std::string_view> TextSentences::next() {
  for (State& s = *state_; s.file < s.files.size(); ++s.file, s.reader.reset()) {
    if (!s.reader) s.reader.emplace(s.files[s.file]);
    if (const auto line = s.reader->next()) {
      if (!is_utf8(*line)) fail(s.reader->path(), ":", s.reader->line(), ": is not UTF-8");
      return line;
    }
  }
  return std::nullopt;
}

}  // namespace bigdna::corpus
