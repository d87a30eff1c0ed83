/// What SentencePiece does to text before it looks for pieces: the library's own code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace bigdna::tokenizer {

/// The name of the normaliser that bigdna writes for TextRules::letters.
inline constexpr const char* kNucleotides = "nucleotides";

class SentencePieceNormaliser {
 public:
  /// A serialised NormalizerSpec. Error if the library refuses it.
  explicit SentencePieceNormaliser(const std::string& spec);
  ~SentencePieceNormaliser();
  SentencePieceNormaliser(SentencePieceNormaliser&&) noexcept;

  struct Result {
    std::string text;
    std::vector<size_t> origins;  // of each byte of the text and of its end: the place in the line
  };
  Result operator()(std::string_view line) const;
  /// The letters of ASCII that become another one.
  std::map<char, char> changed_letters() const;

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

/// A serialised NormalizerSpec that changes these letters, and nothing else. Writes a table for the library beside
/// `path` meanwhile, whose folder must exist.
std::string normaliser_of(const std::map<char, char>& letters, const std::string& path);

}  // namespace bigdna::tokenizer
