#include <algorithm>
#include <cctype>
#include <limits>
#include <map>

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {
namespace {

using Json = nlohmann::ordered_json;  // written in this order
using Read = nlohmann::json;          // finds one key of many at once

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

void check_model(const std::string& path, const Read& model) {
  if (model.value("type", "BPE") != "BPE" || !model.contains("merges"))
    fail(path, ": a tokeniser of another type than BPE (", model.value("type", "unnamed"), ")");
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

std::vector<Piece> read_pieces(const std::string& path, const Read& json, const TextRules& rules) {
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
    require_not_dna(text, rules.letters, path);
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

void require_not_dna(std::string text, const std::map<char, char>& letters, const std::string& path) {
  const std::string written = text;
  for (char& c : text) {
    const auto found = letters.find(c);
    c = found != letters.end() ? found->second : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (text.find_first_not_of("ACGTN") == std::string::npos)
    fail(path, ": the added token '", written, "' could match DNA sequence, which is not supported");
}

Vocabulary parse_tokenizer_json(const std::string& path, const std::string& content) try {
  const auto json = io::parse_json<Read>(content, path);
  if (!json.is_object() || !json.contains("model") || !json["model"].is_object()) fail(path, ": not a tokenizer.json");
  check_model(path, json["model"]);
  std::string long_n_text;
  TextRules rules = read_rules(path, json, long_n_text);
  std::vector<Piece> pieces = read_pieces(path, json, rules);
  std::vector<Merge> merges = read_merges(path, json["model"].at("merges"), pieces);
  set_scores(pieces, merges);
  SpecialTokens special = special_by_name(pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].text == json["model"].at("unk_token")) special.unk = static_cast<TokenId>(i);
    if (rules.long_n && pieces[i].text == long_n_text) rules.long_n_token = static_cast<TokenId>(i);
  }
  if (special.unk < 0) fail(path, ": the unknown token is not in the vocabulary");
  rules.other_frame = other_frame(json, special);
  if (rules.long_n && rules.long_n_token < 0)
    fail(path, ": runs of N become '", long_n_text, "', which is not a token");
  if (rules.isolated == long_n_text) rules.isolated.clear();  // as bigdna writes it: the token stands alone as it is
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
  const auto [normaliser, pre_tokeniser, post_processor] = written_rules(*this);
  const Json json{{"version", "1.0"},
                  {"truncation", nullptr},
                  {"padding", nullptr},
                  {"added_tokens", added},
                  {"normalizer", normaliser},
                  {"pre_tokenizer", pre_tokeniser},
                  {"post_processor", post_processor},
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
