#include "corpus/sentences.h"

#include "base/error.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "genome/fasta.h"
#include "io/lines.h"

namespace bigdna::corpus {

struct GenomeSentences::State {
  explicit State(SentenceOptions o) : options(std::move(o)), chosen(options.contigs) {}
  const SentenceOptions options;
  const genome::ContigFilter chosen;

  size_t file = 0;
  std::optional<genome::FastaReader> reader;
  std::optional<genome::FastaRecord> contig;
  int pass = 0;            // of the contig, the next to be planned
  uint64_t planned = 0;    // documents of the contig so far
  std::vector<DocumentPlan> documents;
  size_t document = 0, sentence = 0;
  std::string reversed;
  int64_t contigs = 0;
  std::vector<std::string> left_out;

  bool read() {
    for (; file < options.fastas.size(); ++file, reader.reset()) {
      if (!reader) reader.emplace(options.fastas[file], options.invalid_bases, std::min(options.threads, 2));
      while ((contig = reader->next())) {
        pass = 0;
        planned = 0;
        if (chosen(contig->name)) return ++contigs, true;
        left_out.push_back(contig->name);
      }
    }
    return false;
  }

  /// Plans passes until there is a document; false at the end.
  bool plan() {
    documents.clear();
    document = sentence = 0;
    while (documents.empty()) {
      if ((!contig || pass == options.sampler.passes) && !read()) return false;
      const std::vector<genome::IntervalSet::Interval> all{{0, static_cast<int64_t>(contig->bases.size())}};
      for (auto& plan : sample_documents(options.sampler, contig->name, pass++, contig->bases,
                                         options.allowed ? options.allowed->intervals(contig->name) : all)) {
        const uint64_t key = mix({static_cast<uint64_t>(contigs), planned++});
        if (options.share >= 1 || Rng(options.sampler.seed, key).uniform() < options.share)
          documents.push_back(std::move(plan));
      }
    }
    return true;
  }
};

GenomeSentences::GenomeSentences(SentenceOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  check(state_->options.sampler);
}
GenomeSentences::~GenomeSentences() = default;

std::optional<std::string_view> GenomeSentences::next() {
  State& s = *state_;
  while (s.document == s.documents.size())
    if (!s.plan()) return std::nullopt;
  const DocumentPlan& plan = s.documents[s.document];
  const int64_t begin = s.sentence == 0 ? plan.start : plan.ends[s.sentence - 1], end = plan.ends[s.sentence];
  if (++s.sentence == plan.ends.size()) ++s.document, s.sentence = 0;
  const auto bases =
      std::string_view(s.contig->bases).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  if (plan.strand != '-') return bases;
  return s.reversed = genome::reverse_complement(bases);
}

int64_t GenomeSentences::contigs() const { return state_->contigs; }
const std::vector<std::string>& GenomeSentences::left_out() const { return state_->left_out; }

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
