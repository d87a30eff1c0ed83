#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {
namespace {

using Json = nlohmann::ordered_json;  // written in this order
using Read = nlohmann::json;          // finds one key of many at once

bool only_bases(const std::string& text) { return text.find_first_not_of("ACGTN") == std::string::npos; }

/// Ids of the pieces that are not special, best score first, equal scores by id.
std::vector<TokenId> by_score(const std::vector<Piece>& pieces) {
  std::vector<TokenId> order;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (!pieces[i].special) order.push_back(static_cast<TokenId>(i));
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
    return pieces[static_cast<size_t>(a)].score > pieces[static_cast<size_t>(b)].score;
  });
  return order;
}

/// Every split of every piece into two pieces, best score first: SentencePiece's BPE as tokenizers' merges.
std::vector<Merge> every_split(const Vocabulary& vocabulary) {
  std::vector<Merge> merges;
  for (const TokenId id : by_score(vocabulary.pieces())) {
    const std::string_view text = vocabulary.piece(id).text;
    for (size_t cut = 1; cut < text.size(); ++cut) {
      const TokenId left = vocabulary.find(text.substr(0, cut)), right = vocabulary.find(text.substr(cut));
      if (left < 0 || right < 0 || vocabulary.is_special(left) || vocabulary.is_special(right)) continue;
      merges.push_back({left, right});
    }
  }
  return merges;
}

Json special_part(const std::string& name, int type) { return {{"SpecialToken", {{"id", name}, {"type_id", type}}}}; }
Json sequence_part(const char* name, int type) { return {{"Sequence", {{"id", name}, {"type_id", type}}}}; }

Json template_processing(const Vocabulary& vocabulary) {
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
    for (const Read& inner : part.at("normalizers")) read_normaliser(path, inner, rules, long_n_text);
    return;
  }
  static const std::vector<std::string> harmless{"Strip", "StripAccents", "NFC", "NFD", "NFKC", "NFKD", "Nmt"};
  if (std::find(harmless.begin(), harmless.end(), type) != harmless.end()) return;
  if (const std::string from = type == "Replace" ? letters_of(part.at("pattern")) : ""; !from.empty()) {
    const std::string to = part.at("content");
    if (to.size() == 1 && rules.long_n == 0 && from.find_first_of("ACGTN") == from.npos)
      return change_letters(rules.letters, from, to[0]);
  }
  if (type == "Replace" && part.at("pattern").contains("Regex")) {
    if (const auto least = least_of_n(part.at("pattern").at("Regex"))) {
      rules.long_n = *least;
      long_n_text = part.at("content");
      return;
    }
  }
  fail(path, ": the normaliser ", part.dump(), " is not supported");
}

void check_pre_tokeniser(const std::string& path, const Read& part) {
  if (part.is_null()) return;
  const std::string type = part.at("type");
  if (type == "Whitespace" || type == "WhitespaceSplit") return;
  if (type == "Split" && part.at("pattern").contains("String")) {
    const std::string separator = part.at("pattern").at("String");
    if (!separator.empty() && separator.find_first_of("ACGTN") == std::string::npos) return;
  }
  fail(path, ": the pre-tokeniser ", part.dump(), " is not supported");
}

void check_model(const std::string& path, const Read& model) {
  if (model.value("type", "BPE") != "BPE" || !model.contains("merges"))
    fail(path, ": a tokenizer of another type than BPE (", model.value("type", "unnamed"), ")");
  const auto set = [&](const char* key) {
    const auto found = model.find(key);
    return found != model.end() && !found->is_null() && *found != Read(false) && *found != Read("") &&
           *found != Read(0);
  };
  for (const char* key :
       {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges"})
    if (set(key)) fail(path, ": BPE with \"", key, "\" is not supported");
  if (!set("unk_token")) fail(path, ": BPE without an unknown token is not supported");
}

std::vector<Piece> read_pieces(const std::string& path, const Read& json) {
  std::map<TokenId, Piece> by_id;
  const auto id_of = [&](const Read& id, const std::string& text) {
    if (text.empty()) fail(path, ": damaged: it has a token without text");
    constexpr TokenId kMost = std::numeric_limits<TokenId>::max();
    return static_cast<TokenId>(io::whole_number(id, 0, kMost, "id of '" + text + "'", path));
  };
  const Read& vocab = json.at("model").value("vocab", Read());
  if (!vocab.is_object()) fail(path, ": not a tokenizer.json: it has no vocab");
  for (const auto& [text, id] : vocab.items()) {
    const auto [other, is_new] = by_id.emplace(id_of(id, text), Piece{text, 0, false});
    if (!is_new) fail(path, ": the tokens '", other->second.text, "' and '", text, "' have the same id ", other->first);
  }
  for (const Read& added : json.value("added_tokens", Read::array())) {
    const std::string text = added.at("content");
    if (only_bases(text)) fail(path, ": the added token '", text, "' could match DNA sequence, which is not supported");
    const auto [other, is_new] = by_id.emplace(id_of(added.at("id"), text), Piece{text, 0, true});
    if (other->second.text != text)
      fail(path, ": the tokens '", other->second.text, "' and '", text, "' have the same id ", other->first);
    other->second.special = true;
  }
  std::vector<Piece> pieces;
  for (auto& [id, piece] : by_id) {
    if (id != static_cast<TokenId>(pieces.size())) fail(path, ": no token has the id ", pieces.size());
    pieces.push_back(std::move(piece));
  }
  const std::string unknown = json.at("model").at("unk_token");
  for (Piece& piece : pieces)
    if (piece.text == unknown) piece.special = true;
  return pieces;
}

std::vector<Merge> read_merges(const std::string& path, const Read& list, const std::vector<Piece>& pieces) {
  std::unordered_map<std::string, TokenId> ids;
  for (size_t i = 0; i < pieces.size(); ++i) ids[pieces[i].text] = static_cast<TokenId>(i);
  std::vector<Merge> merges;
  for (const Read& merge : list) {
    std::string left, right;
    if (merge.is_array() && merge.size() == 2) {
      left = merge[0], right = merge[1];
    } else if (merge.is_string()) {
      const std::string text = merge;
      const size_t blank = text.find(' ', 1);
      if (blank != std::string::npos) left = text.substr(0, blank), right = text.substr(blank + 1);
    }
    if (!ids.count(left) || !ids.count(right) || !ids.count(left + right))
      fail(path, ": the merge ", merge.dump(), " does not join two tokens into a third");
    merges.push_back({ids[left], ids[right]});
  }
  return merges;
}

/// Scores as a SentencePiece model would hold them: pieces in the order of their first merge, then characters
/// by id.
void set_scores(std::vector<Piece>& pieces, const std::vector<Merge>& merges) {
  std::unordered_map<std::string, float> scores;
  for (const Merge& merge : merges) {
    const std::string text = pieces[static_cast<size_t>(merge[0])].text + pieces[static_cast<size_t>(merge[1])].text;
    scores.emplace(text, -static_cast<float>(scores.size()));
  }
  float next = -static_cast<float>(scores.size());
  for (Piece& piece : pieces) {
    if (piece.special) continue;
    const auto found = scores.find(piece.text);
    piece.score = found != scores.end() ? found->second : next--;
  }
}

}  // namespace

Vocabulary parse_tokenizer_json(const std::string& path, const std::string& content) try {
  const auto json = io::parse_json<Read>(content, path);
  if (!json.is_object() || !json.contains("model") || !json["model"].is_object()) fail(path, ": not a tokenizer.json");
  check_model(path, json["model"]);
  check_pre_tokeniser(path, json.value("pre_tokenizer", Read()));
  TextRules rules;
  std::string long_n_text;
  read_normaliser(path, json.value("normalizer", Read()), rules, long_n_text);
  rules.fuse_unknown = json["model"].value("fuse_unk", false);
  std::vector<Piece> pieces = read_pieces(path, json);
  std::vector<Merge> merges = read_merges(path, json["model"].at("merges"), pieces);
  set_scores(pieces, merges);
  SpecialTokens special = special_by_name(pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].text == json["model"].at("unk_token")) special.unk = static_cast<TokenId>(i);
    if (rules.long_n && pieces[i].text == long_n_text) rules.long_n_token = static_cast<TokenId>(i);
  }
  if (special.unk < 0) fail(path, ": the unknown token is not in the vocabulary");
  if (rules.long_n && rules.long_n_token < 0)
    fail(path, ": runs of N become '", long_n_text, "', which is not a token");
  Vocabulary by_text(pieces, special, {}, rules);
  if (every_split(by_text) == merges) return by_text;
  return Vocabulary(std::move(pieces), special, std::move(merges), rules);
} catch (const nlohmann::json::exception& error) {
  fail(path, ": not a tokenizer.json: ", error.what());
}

void Vocabulary::save_tokenizer_json(const std::string& path) const {
  if (rules_.dummy_prefix)
    fail(path, ": a vocabulary with SentencePiece's dummy prefix cannot be written as tokenizer.json");
  Json added = Json::array(), vocab = Json::object(), merges = Json::array();
  // Json's own operator[] searches all keys each time, which would take seconds.
  std::vector<std::pair<const std::string, Json>>& entries = vocab.get_ref<Json::object_t&>();
  for (TokenId id = 0; id < size(); ++id) {
    entries.emplace_back(piece(id).text, id);
    if (!is_special(id)) continue;
    added.push_back({{"id", id},
                     {"content", piece(id).text},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  // tokenizers reads merges as text or as pairs, but not some so and some so; text cannot hold pieces with blanks.
  const bool as_pairs = std::ranges::any_of(
      pieces_, [](const Piece& piece) { return !piece.special && piece.text.find(' ') != std::string::npos; });
  for (const Merge& merge : merges_.empty() ? every_split(*this) : merges_) {
    const std::string &left = piece(merge[0]).text, &right = piece(merge[1]).text;
    merges.push_back(as_pairs ? Json::array({left, right}) : Json(left + ' ' + right));
  }
  Json normalisers = Json::array(), pre_tokeniser;
  const auto replace = [&](const std::string& regex, const std::string& content) {
    normalisers.push_back({{"type", "Replace"}, {"pattern", {{"Regex", regex}}}, {"content", content}});
  };
  std::map<char, std::string> sources;  // of each letter, those that become it
  for (const auto& [from, to] : rules_.letters) sources[to] += from;
  for (const auto& [to, from] : sources) replace("[" + from + "]", std::string(1, to));
  if (rules_.long_n) {
    const std::string& token = piece(rules_.long_n_token).text;
    replace(concat("N{", rules_.long_n, ",}"), token);
    pre_tokeniser = {{"type", "Split"}, {"pattern", {{"String", token}}}, {"behavior", "Isolated"}, {"invert", false}};
  }
  Json normaliser;
  if (!normalisers.empty()) normaliser = {{"type", "Sequence"}, {"normalizers", normalisers}};
  const Json json{{"version", "1.0"},
                  {"truncation", nullptr},
                  {"padding", nullptr},
                  {"added_tokens", added},
                  {"normalizer", normaliser},
                  {"pre_tokenizer", pre_tokeniser},
                  {"post_processor", template_processing(*this)},
                  {"decoder", {{"type", "Fuse"}}},
                  {"model",
                   {{"type", "BPE"},
                    {"dropout", nullptr},
                    {"unk_token", special_.unk < 0 ? Json() : Json(piece(special_.unk).text)},
                    {"continuing_subword_prefix", nullptr},
                    {"end_of_word_suffix", nullptr},
                    {"fuse_unk", rules_.fuse_unknown},
                    {"byte_fallback", false},
                    {"ignore_merges", false},
                    {"vocab", vocab},
                    {"merges", merges}}}};
  io::write_file(path, json.dump(1) + '\n');
}

void Vocabulary::save_tokenizer_config(const std::string& path, int64_t max_length, bool token_types) const {
  Json json{{"tokenizer_class", "PreTrainedTokenizerFast"}};
  if (max_length) json["model_max_length"] = max_length;
  json.update({{"clean_up_tokenization_spaces", false}, {"padding_side", "right"}});
  json["model_input_names"] = Json::array({"input_ids"});
  if (token_types) json["model_input_names"].push_back("token_type_ids");
  json["model_input_names"].push_back("attention_mask");
  const auto name = [&](const char* key, TokenId id) {
    if (id >= 0) json[key] = piece(id).text;
  };
  name("pad_token", special_.pad);
  name("unk_token", special_.unk);
  name("cls_token", special_.cls);
  name("sep_token", special_.sep);
  name("mask_token", special_.mask);
  io::write_file(path, json.dump(2) + '\n');
}

}  // namespace bigdna::tokenizer
