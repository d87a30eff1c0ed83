#include "corpus/corpus.h"

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "corpus/files.h"
#include "genome/interval_set.h"
#include "io/safetensors.h"
#include "tokenizer/vocabulary.h"

namespace bigdna::corpus {

namespace {
/// A mapped corpus file.
struct File {
  io::SafetensorsFile file;
  int64_t first_document;
  std::span<const uint16_t> tokens;
  std::span<const uint32_t> sentence_starts, sentence_bases, contig, pass;
  std::span<const uint64_t> document_tokens, document_sentences;
  std::span<const int64_t> start, end;
  std::span<const uint8_t> strand;

  File(const std::string& path, int64_t first) : file(path), first_document(first) {
    namespace a = arrays;
    bind(tokens, a::kTokens);
    bind(sentence_starts, a::kSentenceStarts);
    bind(sentence_bases, a::kSentenceBases);
    bind(document_tokens, a::kDocumentTokens);
    bind(document_sentences, a::kDocumentSentences);
    bind(contig, a::kDocumentContig);
    bind(start, a::kDocumentStart);
    bind(end, a::kDocumentEnd);
    bind(strand, a::kDocumentStrand);
    bind(pass, a::kDocumentPass);
    const size_t d = contig.size();
    const bool fits = document_tokens.size() == d + 1 && document_sentences.size() == d + 1 && start.size() == d &&
                      end.size() == d && strand.size() == d && pass.size() == d &&
                      sentence_bases.size() == sentence_starts.size() && document_tokens.back() == tokens.size() &&
                      document_sentences.back() == sentence_starts.size();
    if (!fits) fail(path, ": the lengths of its arrays disagree: damaged, or not a corpus file");
  }
  int64_t documents() const { return static_cast<int64_t>(contig.size()); }

  /// Elements of `values` from offsets[i] to offsets[i + 1].
  template <class T>
  std::span<const T> part(std::span<const T> values, std::span<const uint64_t> offsets, size_t i) const {
    if (offsets[i] > offsets[i + 1] || offsets[i + 1] > values.size())
      fail(file.path(), ": damaged: a document lies outside of the file");
    return values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }

 private:
  template <class T>
  void bind(std::span<const T>& values, const char* name) {
    values = file.at(name).as<T>(file.path() + ": " + name);
  }
};
}  // namespace

struct Corpus::State {
  std::string folder;
  io::Manifest manifest;
  std::vector<std::string> contigs;
  std::string vocabulary_file;
  int64_t pieces = 0;  // of the vocabulary
  std::vector<File> files;
  int64_t documents = 0, tokens = 0;

  const File& file_of(int64_t document) const {
    if (document < 0 || document >= documents)
      fail(folder, ": has ", counted(documents, "document"), ", so there is no document ", document);
    const auto after = std::upper_bound(files.begin(), files.end(), document,
                                        [](int64_t value, const File& f) { return value < f.first_document; });
    return *std::prev(after);
  }
};

Corpus::Corpus(const std::string& folder, Split part, const std::string& vocabulary_hash)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.folder = folder;
  s.manifest = io::manifest_of_folder(folder);
  if (s.manifest.kind != "corpus") fail(folder, ": is a ", s.manifest.kind, " folder, not a corpus");
  const std::string path = folder + "/" + io::manifest_name("corpus");
  const auto& details = s.manifest.details;
  try {
    const auto& vocabulary = details.at("vocabulary");
    const auto made_with = vocabulary.at("hash").get<std::string>();
    if (!vocabulary_hash.empty() && made_with != vocabulary_hash)
      fail(folder, ": was made with another vocabulary (", vocabulary.at("pieces").get<int64_t>(), " pieces, hash ",
           made_with, ", not ", vocabulary_hash, ")");
    s.vocabulary_file = vocabulary.at("file").get<std::string>();
    io::require_inner(s.vocabulary_file, path);
    s.pieces = vocabulary.at("pieces").get<int64_t>();
    s.manifest.verify_files(folder, false);
    const std::string file = folder + "/" + s.vocabulary_file;
    if (const auto pieces = tokenizer::Vocabulary::load(file).size(); pieces != s.pieces)  // what tokens are checked by
      fail(path, ": is damaged: it says that the vocabulary has ", s.pieces, " pieces, but ", file, " has ", pieces);
    for (const auto& contig : details.at("contigs")) s.contigs.push_back(contig.at("name").get<std::string>());
    const std::string prefix = part == Split::training ? "training/" : "validation/";
    for (const auto& file : details.at("files")) {
      const auto name = file.at("name").get<std::string>();
      if (!name.starts_with(prefix)) continue;
      s.files.emplace_back(folder + "/" + name, s.documents);
      s.documents += s.files.back().documents();
      s.tokens += static_cast<int64_t>(s.files.back().tokens.size());
    }
  } catch (const nlohmann::json::exception& error) {
    fail(path, ": is damaged (", error.what(), ")");
  }
}

Corpus::~Corpus() = default;

int64_t Corpus::documents() const { return state_->documents; }
int64_t Corpus::tokens() const { return state_->tokens; }
const std::string& Corpus::folder() const { return state_->folder; }
const io::Manifest& Corpus::manifest() const { return state_->manifest; }
std::string Corpus::vocabulary_path() const { return state_->folder + "/" + state_->vocabulary_file; }

int64_t Corpus::tokens(int64_t index) const {
  const File& file = state_->file_of(index);
  return static_cast<int64_t>(
      file.part(file.tokens, file.document_tokens, static_cast<size_t>(index - file.first_document)).size());
}

genome::Region Corpus::region(int64_t index) const {
  const File& file = state_->file_of(index);
  const auto i = static_cast<size_t>(index - file.first_document);
  if (file.contig[i] >= state_->contigs.size())
    fail(file.file.path(), ": damaged: it names a contig that corpus.json lacks");
  return {state_->contigs[file.contig[i]], file.start[i], file.end[i], static_cast<char>(file.strand[i])};
}

Document Corpus::document(int64_t index) const {
  const File& file = state_->file_of(index);
  const auto i = static_cast<size_t>(index - file.first_document);
  const auto tokens = file.part(file.tokens, file.document_tokens, i);
  const auto sentence_starts = file.part(file.sentence_starts, file.document_sentences, i);
  const auto sentence_bases = file.part(file.sentence_bases, file.document_sentences, i);
  if (sentence_starts.empty() || sentence_starts[0] != 0)
    fail(file.file.path(), ": damaged: a document has no sentence");
  if (!tokens.empty() && *std::max_element(tokens.begin(), tokens.end()) >= state_->pieces)
    fail(file.file.path(), ": damaged: it has a token that the corpus's vocabulary of ", state_->pieces,
         " pieces lacks");
  const bool in_order = std::is_sorted(sentence_starts.begin(), sentence_starts.end()) &&
                        sentence_starts.back() <= tokens.size() &&
                        std::is_sorted(sentence_bases.begin(), sentence_bases.end()) &&
                        sentence_bases.back() <= file.end[i] - file.start[i];
  if (!in_order) fail(file.file.path(), ": damaged: a document's sentences are out of order");
  return {region(index), file.pass[i], tokens, sentence_starts, sentence_bases};
}

genome::IntervalSet Corpus::training_intervals() const {
  return genome::intervals_from_json(
      state_->manifest.details.value("training_intervals", nlohmann::ordered_json::array()));
}
genome::IntervalSet Corpus::held_out_intervals() const {
  return genome::intervals_from_json(
      state_->manifest.details.value("held_out_intervals", nlohmann::ordered_json::array()));
}

}  // namespace bigdna::corpus
