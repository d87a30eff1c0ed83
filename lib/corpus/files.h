/// Corpus files, as build_corpus() writes them: safetensors files training/00000.safetensors, 00001 and so on, and the
/// same in validation/.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bigdna::corpus {

/// A tokenised document before it is written.
struct TokenizedDocument {
  uint32_t contig = 0;  // row of the contig table in corpus.json
  uint32_t pass = 0;
  int64_t start = 0, end = 0;  // 0-based, half-open, forward strand
  char strand = '+';
  std::vector<uint16_t> tokens;           // of the document's own strand
  std::vector<uint32_t> sentence_starts;  // first token of each sentence, within `tokens`
  std::vector<uint32_t> sentence_bases;   // first base of each sentence, from the document's 5' end
  int64_t n = 0, unknown = 0;             // N bases, [UNK] tokens
};

/// How much a corpus file, or a part of the corpus, holds.
struct Counts {
  int64_t documents = 0, sentences = 0, tokens = 0, bases = 0, n = 0, unknown = 0;
  void add(const Counts& other);
  nlohmann::ordered_json to_json() const;
  static Counts from_json(const nlohmann::ordered_json& json);
};

/// The arrays of a corpus file, by name. D documents, S sentences, T tokens.
namespace arrays {
inline constexpr const char* kTokens = "tokens";                         // U16 [T]
inline constexpr const char* kSentenceStarts = "sentence_starts";        // U32 [S], tokens from the document's first
inline constexpr const char* kSentenceBases = "sentence_bases";          // U32 [S], bases from the document's 5' end
inline constexpr const char* kDocumentTokens = "document_tokens";        // U64 [D + 1], first token of each document; T
inline constexpr const char* kDocumentSentences = "document_sentences";  // U64 [D + 1], first sentence; S
inline constexpr const char* kDocumentContig = "document_contig";        // U32 [D], row of corpus.json's "contigs"
inline constexpr const char* kDocumentStart = "document_start";          // I64 [D], 0-based
inline constexpr const char* kDocumentEnd = "document_end";              // I64 [D]
inline constexpr const char* kDocumentStrand = "document_strand";        // U8 [D], '+' or '-'
inline constexpr const char* kDocumentPass = "document_pass";            // U32 [D]: the pass that drew it
}  // namespace arrays

/// Writes one part's documents, in order, to files of `file_size` bytes of tokens each, the last one smaller.
class PartWriter {
 public:
  /// `settings` determine the bytes of the files and are stored in each one's metadata.
  PartWriter(std::string folder, std::string part, nlohmann::ordered_json settings, int64_t file_size);
  /// Takes over the files that an earlier run has completed, up to the first that is missing or damaged, and removes
  /// its unfinished ones. Error naming the first setting that differs. Afterwards the first counts().documents
  /// documents are to be skipped.
  void resume();
  void add(const TokenizedDocument& document);
  /// Writes the last file.
  void finish();
  const Counts& counts() const { return counts_; }
  /// "training/00000.safetensors" ...
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::string next_name() const;
  void write();

  std::string folder_, part_;
  nlohmann::ordered_json settings_;
  int64_t file_size_;
  Counts counts_, file_counts_;
  std::vector<std::string> files_;
  std::vector<uint16_t> tokens_;
  std::vector<uint32_t> sentence_starts_, sentence_bases_, contig_, pass_;
  std::vector<uint64_t> document_tokens_{0}, document_sentences_{0};
  std::vector<int64_t> start_, end_;
  std::vector<uint8_t> strand_;
};

/// Error naming the first setting in which the corpus that was begun in `folder` differs from `now`.
void require_same_settings(const std::string& folder, const nlohmann::ordered_json& begun,
                           const nlohmann::ordered_json& now);

}  // namespace bigdna::corpus
