#include "tokenizer/vocabulary.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "genome/alphabet.h"
#include "io/json.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/paths.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {

Vocabulary::Vocabulary(std::vector<Piece> pieces, SpecialTokens special, std::vector<Merge> merges, TextRules rules)
    : pieces_(std::move(pieces)), special_(special), merges_(std::move(merges)), rules_(rules) {
  ids_.reserve(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (!ids_.emplace(pieces_[i].text, static_cast<TokenId>(i)).second)
      fail("the vocabulary holds the piece '", pieces_[i].text, "' twice");
  }
}

std::optional<std::string> Vocabulary::file_in(const std::string& folder) {
  for (const char* name : {"spiece.model", "dna.model", "tokenizer.json"})
    if (const auto file = std::filesystem::path(folder) / name; io::exists(file)) return file.string();
  return std::nullopt;
}

namespace {
/// A piece without the blank before it, if the rest are capital letters; otherwise "".
std::string letters_of(std::string_view piece) {
  for (const std::string_view blank : {"\xE2\x96\x81", " "})
    if (piece.starts_with(blank)) piece.remove_prefix(blank.size());
  return std::ranges::all_of(piece, [](char c) { return c >= 'A' && c <= 'Z'; }) ? std::string(piece) : "";
}

/// Error if the pieces of letters are not those of a tokenizer.json, whose vocabulary is {text: id, ...} (BPE) or
/// [[text, score], ...] (Unigram).
void require_same_pieces(const nlohmann::json& json, const std::string& path, const std::vector<Piece>& pieces,
                         const std::string& file) {
  const auto model = json.find("model");
  if (model == json.end() || !model->is_object() || !model->contains("vocab")) return;
  std::set<std::string> there, here;
  for (const auto& [text, value] : model->at("vocab").items())
    if (const bool list = value.is_array(); !list || (!value.empty() && value[0].is_string()))
      there.insert(letters_of(list ? value[0].get<std::string>() : text));
  for (const Piece& piece : pieces)
    if (!piece.special) here.insert(letters_of(piece.text));
  there.erase(""), here.erase("");
  std::vector<std::string> others;
  std::ranges::set_symmetric_difference(there, here, std::back_inserter(others));
  if (!there.empty() && !others.empty())
    fail(path, ": is another vocabulary than ", file,
         " in the same folder: ", counted(others.size(), "piece is", "pieces are"), " in one of them alone, such as ",
         others.front(), ". Remove the one that is wrong");
}

/// Files of another project's folder say what its tokenizer does beside its vocabulary's file. Error for an added token
/// that could match sequence, and for a tokenizer.json of other pieces; what that puts around a sequence becomes a
/// rule.
void check_beside(const std::string& folder, const std::string& file, const SpecialTokens& special,
                  const std::vector<Piece>& pieces, TextRules& rules) {
  const auto path = [&](const char* name) { return (std::filesystem::path(folder) / name).string(); };
  const auto json_of = [&](const char* name) {
    if (path(name) == file || !io::exists(path(name))) return nlohmann::json();
    return io::parse_json<nlohmann::json>(io::read_file(path(name)), path(name));
  };
  if (const auto added = json_of("added_tokens.json"); added.is_object())
    for (const auto& [text, id] : added.items()) require_not_dna(text, rules.letters, path("added_tokens.json"));
  const auto check = [&](const nlohmann::json& tokens, const char* name) {
    if (tokens.is_structured())
      for (const auto& token : tokens)
        if (token.is_object()) require_not_dna(token.value("content", "-"), rules.letters, path(name));
  };
  if (const auto config = json_of("tokenizer_config.json"); config.is_object())
    check(config.value("added_tokens_decoder", nlohmann::json()), "tokenizer_config.json");
  if (const auto json = json_of("tokenizer.json"); json.is_object()) {
    check(json.value("added_tokens", nlohmann::json()), "tokenizer.json");
    require_same_pieces(json, path("tokenizer.json"), pieces, file);
    rules.other_frame = other_frame(json, special);
  }
}
}  // namespace

Vocabulary Vocabulary::load(const std::string& path) {
  namespace fs = std::filesystem;
  if (io::is_folder(path)) {
    io::refuse_unfinished(path);
    if (const auto file = file_in(path)) {
      auto vocabulary = load(*file);
      if (io::kind_of_folder(path).empty())
        check_beside(path, *file, vocabulary.special_, vocabulary.pieces_, vocabulary.rules_);
      return vocabulary;
    }
    fail(path, ": has no spiece.model, dna.model or tokenizer.json");
  }
  const std::string content = io::read_file(path);
  const size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && content[first] == '{') return parse_tokenizer_json(path, content);
  return parse_sentencepiece_model(path, content);
}

std::map<char, char> letters_of_nucleotides(const std::vector<Piece>& pieces) {
  const auto letters = genome::changed_letters();
  for (const Piece& piece : pieces)
    if (!piece.special && std::ranges::any_of(piece.text, [&](char c) { return letters.contains(c); })) return {};
  return letters;
}

TokenId Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(std::string(text));
  return found == ids_.end() ? -1 : found->second;
}

std::vector<TokenId> Vocabulary::base_tokens() const {
  std::vector<TokenId> tokens;
  for (TokenId id = 0; id < size(); ++id)
    if (bases(id) > 0 && genome::is_bases(piece(id).text)) tokens.push_back(id);
  return tokens;
}

int64_t Vocabulary::longest_piece() const {
  int longest = 1;
  for (TokenId id = 0; id < size(); ++id) longest = std::max(longest, bases(id));
  return longest;
}

double Vocabulary::mean_piece_length() const {
  int64_t bases = 0, count = 0;
  for (const Piece& piece : pieces_) {
    if (piece.special) continue;
    bases += static_cast<int64_t>(piece.text.size());
    ++count;
  }
  return count ? static_cast<double>(bases) / static_cast<double>(count) : 0;
}

std::string Vocabulary::hash() const {
  std::string text;
  for (const Piece& piece : pieces_) text += concat(piece.text, '\t', piece.score, '\t', piece.special, '\n');
  for (const Merge& merge : merges_) text += concat(merge[0], '+', merge[1], '\n');
  if (!rules_.fuse_unknown || rules_.dummy_prefix || rules_.long_n || rules_.long_n_token >= 0)
    text += concat(rules_.fuse_unknown, rules_.dummy_prefix, ' ', rules_.long_n, ' ', rules_.long_n_token, '\n');
  return io::md5_of_bytes(text);
}

}  // namespace bigdna::tokenizer
