#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "base/error.h"
#include "io/json.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {
namespace {

using Json = nlohmann::ordered_json;
using Read = nlohmann::json;

/// Error for a field that the component may not have.
void require_fields(const std::string& path, const char* what, const Read& part,
                    std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : part.items())
    if (std::ranges::find(known, key) == known.end())
      fail(path, ": the ", what, " has the field '", key, "', which is not supported");
}

/// 10 of "N{10,}": runs of at least as many N; nullopt for other patterns.
std::optional<int64_t> least_of_n(const std::string& pattern) {
  constexpr std::string_view kBegin = "N{", kEnd = ",}";
  if (!pattern.starts_with(kBegin) || !pattern.ends_with(kEnd)) return std::nullopt;
  int64_t least = 0;
  const char* const end = pattern.data() + pattern.size() - kEnd.size();
  const auto [stop, error] = std::from_chars(pattern.data() + kBegin.size(), end, least);
  return error == std::errc{} && stop == end && least > 0 ? std::optional(least) : std::nullopt;
}

/// The letters that a pattern matches: of a single one, or of a class of letters ("[tuU]"); "" for other patterns.
std::string letters_of(const Read& pattern) {
  const auto plain = [](const std::string& text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c < 128 && std::isalpha(c); });
  };
  std::string text;
  if (const auto found = pattern.find("String"); found != pattern.end()) text = *found;
  if (text.size() == 1 && plain(text)) return text;
  if (const auto found = pattern.find("Regex"); found != pattern.end()) text = *found;
  if (text.starts_with('[') && text.ends_with(']'))
    text = text.substr(1, text.size() - 2);
  else if (text.size() != 1)
    return "";
  return plain(text) ? text : "";
}

/// Adds that `from` become `to` to the letters that have changed before.
void change_letters(std::map<char, char>& letters, const std::string& from, char to) {
  for (auto& [letter, becomes] : letters)
    if (from.find(becomes) != from.npos) becomes = to;
  for (const char letter : from) letters.emplace(letter, to);
}

/// Reads one normaliser into `rules`. `long_n_text` gets the text of the token that a run of N becomes.
void read_normaliser(const std::string& path, const Read& part, TextRules& rules, std::string& long_n_text) {
  if (part.is_null()) return;
  const std::string type = part.at("type");
  if (type == "Sequence") {
    require_fields(path, "normaliser", part, {"type", "normalizers"});
    for (const Read& inner : part.at("normalizers")) read_normaliser(path, inner, rules, long_n_text);
    return;
  }
  if (type == "Strip") {
    require_fields(path, "normaliser", part, {"type", "strip_left", "strip_right"});
    rules.strip_left |= part.at("strip_left").get<bool>();
    rules.strip_right |= part.at("strip_right").get<bool>();
    return;
  }
  for (const char* unicode : {"StripAccents", "NFC", "NFD", "NFKC", "NFKD"})
    if (type == unicode) {
      require_fields(path, "normaliser", part, {"type"});
      rules.unicode.push_back(type);
      return;
    }
  if (type == "Replace") {
    require_fields(path, "normaliser", part, {"type", "pattern", "content"});
    const std::string to = part.at("content");
    if (const std::string from = letters_of(part.at("pattern")); !from.empty())
      if (to.size() == 1 && std::isgraph(static_cast<unsigned char>(to[0])) && rules.long_n == 0 &&
          from.find_first_of("ACGTN") == from.npos)
        return change_letters(rules.letters, from, to[0]);
    if (const auto found = part.at("pattern").find("Regex"); found != part.at("pattern").end() && rules.long_n == 0)
      if (const auto least = least_of_n(*found)) {
        rules.long_n = *least;
        long_n_text = to;
        return;
      }
  }
  fail(path, ": the normaliser ", part.dump(), " is not supported");
}

void read_pre_tokeniser(const std::string& path, const Read& part, TextRules& rules) {
  if (part.is_null()) return;
  const std::string type = part.at("type");
  if (type == "Whitespace" || type == "WhitespaceSplit") {
    require_fields(path, "pre-tokeniser", part, {"type"});
    rules.words = type == "Whitespace" ? TextRules::Words::letters : TextRules::Words::blanks;
    return;
  }
  if (type == "Split" && part.at("pattern").contains("String")) {
    require_fields(path, "pre-tokeniser", part, {"type", "pattern", "behavior", "invert"});
    const std::string separator = part.at("pattern").at("String");
    if (!separator.empty() && separator.find_first_of("ACGTN") == std::string::npos &&
        part.at("behavior") == "Isolated" && part.at("invert") == false) {
      rules.isolated = separator;
      return;
    }
  }
  fail(path, ": the pre-tokeniser ", part.dump(), " is not supported");
}

/// What a template puts around a sequence A, by id, -1 for the sequence itself; nullopt for one that is not understood.
std::optional<std::vector<int64_t>> frame_of(const Read& part) {
  if (part.is_null()) return std::vector<int64_t>{-1};
  const std::string type = part.at("type");
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return std::vector<int64_t>{part.at("cls").at(1).get<int64_t>(), -1, part.at("sep").at(1).get<int64_t>()};
  if (type != "TemplateProcessing") return std::nullopt;
  std::vector<int64_t> ids;
  for (const Read& piece : part.at("single")) {
    if (piece.contains("Sequence")) {
      ids.push_back(-1);
    } else {
      const auto& token = piece.at("SpecialToken");
      if (token.at("type_id") != 0) return std::nullopt;
      for (const auto& id : part.at("special_tokens").at(token.at("id").get<std::string>()).at("ids"))
        ids.push_back(id.get<int64_t>());
    }
  }
  return ids;
}

Json special_part(const std::string& name, int type) { return {{"SpecialToken", {{"id", name}, {"type_id", type}}}}; }
Json sequence_part(const char* name, int type) { return {{"Sequence", {{"id", name}, {"type_id", type}}}}; }

Json template_of(const Vocabulary& vocabulary) {
  const SpecialTokens& special = vocabulary.special();
  if (special.cls < 0 || special.sep < 0) return nullptr;
  const std::string cls = vocabulary.piece(special.cls).text, sep = vocabulary.piece(special.sep).text;
  const auto entry = [](const std::string& name, TokenId id) {
    return Json{{"id", name}, {"ids", Json::array({id})}, {"tokens", Json::array({name})}};
  };
  return {{"type", "TemplateProcessing"},
          {"single", Json::array({special_part(cls, 0), sequence_part("A", 0), special_part(sep, 0)})},
          {"pair", Json::array({special_part(cls, 0), sequence_part("A", 0), special_part(sep, 0),
                                sequence_part("B", 1), special_part(sep, 1)})},
          {"special_tokens", {{cls, entry(cls, special.cls)}, {sep, entry(sep, special.sep)}}}};
}

/// One alone, several as a Sequence, null for none.
Json sequence_of(const Json& parts, const char* key) {
  return parts.empty() ? Json() : Json{{"type", "Sequence"}, {key, parts}};
}
}  // namespace

TextRules read_rules(const std::string& path, const Read& json, std::string& long_n_text) {
  require_fields(path, "file", json,
                 {"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
                  "decoder", "model"});
  TextRules rules;
  read_normaliser(path, json.value("normalizer", Read()), rules, long_n_text);
  read_pre_tokeniser(path, json.value("pre_tokenizer", Read()), rules);
  rules.added_tokens = true;
  const Read& model = json.at("model");
  require_fields(path, "model", model,
                 {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                  "byte_fallback", "ignore_merges", "vocab", "merges"});
  rules.fuse_unknown = model.value("fuse_unk", false);
  for (const Read& added : json.value("added_tokens", Read::array()))
    require_fields(path, "added token", added,
                   {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
  return rules;
}

std::string other_frame(const Read& json, const SpecialTokens& special) {
  if (special.cls < 0 || special.sep < 0) return "";
  const auto frame = frame_of(json.value("post_processor", Read()));
  if (!frame) return "puts other things around a sequence than [CLS] and [SEP]";
  if (*frame == std::vector<int64_t>{-1}) return "puts no [CLS] and [SEP] around a sequence";
  if (*frame != std::vector<int64_t>{special.cls, -1, special.sep})
    return "puts other tokens around a sequence than [CLS] and [SEP]";
  return "";
}

Rules written_rules(const Vocabulary& vocabulary) {
  const TextRules& rules = vocabulary.rules();
  Json normalisers = Json::array(), pre_tokeniser;
  const auto replace = [&](const std::string& regex, const std::string& content) {
    normalisers.push_back({{"type", "Replace"}, {"pattern", {{"Regex", regex}}}, {"content", content}});
  };
  for (const auto& type : rules.unicode) normalisers.push_back({{"type", type}});
  if (rules.strip_left || rules.strip_right)
    normalisers.push_back({{"type", "Strip"}, {"strip_left", rules.strip_left}, {"strip_right", rules.strip_right}});
  std::map<char, std::string> sources;  // of each letter, those that become it
  for (const auto& [from, to] : rules.letters) sources[to] += from;
  for (const auto& [to, from] : sources) replace("[" + from + "]", std::string(1, to));
  std::string isolated = rules.isolated;
  if (rules.long_n) {
    const std::string& token = vocabulary.piece(rules.long_n_token).text;
    replace(concat("N{", rules.long_n, ",}"), token);
    if (isolated.empty() && rules.words == TextRules::Words::together) isolated = token;
  }
  if (rules.words != TextRules::Words::together)
    pre_tokeniser = {{"type", rules.words == TextRules::Words::letters ? "Whitespace" : "WhitespaceSplit"}};
  if (!isolated.empty())
    pre_tokeniser = {
        {"type", "Split"}, {"pattern", {{"String", isolated}}}, {"behavior", "Isolated"}, {"invert", false}};
  return {sequence_of(normalisers, "normalizers"), pre_tokeniser, template_of(vocabulary)};
}

}  // namespace bigdna::tokenizer
