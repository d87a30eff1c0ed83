/// tokenizer.json of Hugging Face's tokenizers: a BPE without pre-tokeniser. transformers 5 reads every spiece.model as
/// Unigram, so this file is what gives AutoTokenizer our ids. For every piece, best score first, every split into two
/// pieces is a merge: whichever pair of neighbours spells the piece, it merges with the piece's rank.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {

using json = nlohmann::ordered_json;

std::string to_tokenizer_json(const Vocabulary& vocabulary) {
  json vocab = json::object(), merges = json::array(), added = json::array();
  std::vector<TokenId> order;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const Piece& piece = vocabulary.piece(id);
    vocab[piece.text] = id;
    if (piece.special)
      added.push_back({{"id", id}, {"content", piece.text}, {"single_word", false}, {"lstrip", false},
                       {"rstrip", false}, {"normalized", false}, {"special", true}});
    else
      order.push_back(id);
  }
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return vocabulary.piece(a).score > vocabulary.piece(b).score; });
  for (const TokenId id : order) {
    const std::string& text = vocabulary.piece(id).text;
    for (size_t cut = 1; cut < text.size(); ++cut) {
      const TokenId left = vocabulary.find(text.substr(0, cut)), right = vocabulary.find(text.substr(cut));
      if (left >= 0 && right >= 0) merges.push_back({text.substr(0, cut), text.substr(cut)});
    }
  }
  const auto& special = vocabulary.special();
  json post = nullptr;
  if (special.cls >= 0 && special.sep >= 0) {
    const std::string cls = vocabulary.piece(special.cls).text, sep = vocabulary.piece(special.sep).text;
    auto token = [](const std::string& id, int type) { return json{{"SpecialToken", {{"id", id}, {"type_id", type}}}}; };
    auto sequence = [](const char* id, int type) { return json{{"Sequence", {{"id", id}, {"type_id", type}}}}; };
    post = {{"type", "TemplateProcessing"},
            {"single", json::array({token(cls, 0), sequence("A", 0), token(sep, 0)})},
            {"pair", json::array({token(cls, 0), sequence("A", 0), token(sep, 0), sequence("B", 1), token(sep, 1)})},
            {"special_tokens",
             {{cls, {{"id", cls}, {"ids", {special.cls}}, {"tokens", {cls}}}},
              {sep, {{"id", sep}, {"ids", {special.sep}}, {"tokens", {sep}}}}}}};
  }
  const json file = {{"version", "1.0"},
                     {"truncation", nullptr},
                     {"padding", nullptr},
                     {"added_tokens", added},
                     {"normalizer", nullptr},
                     {"pre_tokenizer", nullptr},
                     {"post_processor", post},
                     {"decoder", {{"type", "Fuse"}}},
                     {"model",
                      {{"type", "BPE"},
                       {"dropout", nullptr},
                       {"unk_token", special.unk >= 0 ? json(vocabulary.piece(special.unk).text) : json(nullptr)},
                       {"continuing_subword_prefix", nullptr},
                       {"end_of_word_suffix", nullptr},
                       {"fuse_unk", true},
                       {"byte_fallback", false},
                       {"ignore_merges", false},
                       {"vocab", vocab},
                       {"merges", merges}}}};
  return file.dump(1) + "\n";
}

std::string to_tokenizer_config(const Vocabulary& vocabulary, int64_t max_length) {
  const auto& special = vocabulary.special();
  json config = {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"model_max_length", max_length}, {"clean_up_tokenization_spaces", false}};
  const std::pair<const char*, TokenId> names[] = {{"pad_token", special.pad}, {"unk_token", special.unk}, {"cls_token", special.cls},
                                                   {"sep_token", special.sep}, {"mask_token", special.mask}};
  for (const auto& [name, id] : names)
    if (id >= 0) config[name] = vocabulary.piece(id).text;
  return config.dump(1) + "\n";
}

Vocabulary from_tokenizer_json(const std::string& text, const std::string& file) {
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded() || !parsed.contains("model")) fail(file, ": not a tokenizer.json");
  const json& model = parsed["model"];
  if (model.value("type", "") != "BPE") fail(file, ": its model is ", model.value("type", "unnamed"), "; bigdna reads BPE");
  const auto& vocab = model.at("vocab");
  std::vector<Piece> pieces(vocab.size());
  std::vector<bool> seen(vocab.size());
  for (const auto& [piece, id] : vocab.items()) {
    const auto index = id.get<int64_t>();
    if (index < 0 || index >= static_cast<int64_t>(pieces.size()) || seen[static_cast<size_t>(index)])
      fail(file, ": the ids of its pieces are not 0 to ", pieces.size() - 1, ", each once");
    seen[static_cast<size_t>(index)] = true;
    pieces[static_cast<size_t>(index)] = {piece, 0, false};
  }
  std::unordered_map<std::string, float> rank;  // a piece's score: minus its first merge's rank
  float next = 0;
  for (const auto& merge : model.at("merges")) {
    std::string joined;
    if (merge.is_array()) {
      joined = merge.at(0).get<std::string>() + merge.at(1).get<std::string>();
    } else {
      joined = merge.get<std::string>();
      joined.erase(joined.find(' '), 1);
    }
    if (rank.emplace(joined, -next).second) ++next;
  }
  for (auto& piece : pieces)
    if (const auto found = rank.find(piece.text); found != rank.end()) piece.score = found->second;
  SpecialTokens special{-1, -1, -1, -1, -1};
  for (const auto& added : parsed.value("added_tokens", json::array())) {
    const auto id = added.at("id").get<int64_t>();
    if (id < 0 || id >= static_cast<int64_t>(pieces.size())) continue;
    pieces[static_cast<size_t>(id)].special = true;
    const std::string content = added.at("content");
    const auto token = static_cast<TokenId>(id);
    if (content == "[PAD]") special.pad = token;
    if (content == "[UNK]") special.unk = token;
    if (content == "[CLS]") special.cls = token;
    if (content == "[SEP]") special.sep = token;
    if (content == "[MASK]") special.mask = token;
  }
  return Vocabulary(std::move(pieces), special);
}

}  // namespace bigdna::tokenizer
