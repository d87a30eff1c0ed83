#include "tokenizer/vocabulary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "io/output.h"
#include "support.h"
#include "tokenizer/encoder.h"

namespace bigdna::tokenizer {
namespace {

using nlohmann::json;

Vocabulary small() {
  std::vector<Piece> pieces{
      {"[PAD]", 0, true}, {"[UNK]", 0, true}, {"[CLS]", 0, true}, {"[SEP]", 0, true}, {"[MASK]", 0, true}};
  for (const char* text : {"AA", "AC", "AAA", "AAC", "A", "C", "N"})
    pieces.push_back({text, -static_cast<float>(pieces.size() - 5), false});
  return Vocabulary(std::move(pieces), {});
}

TEST(Vocabulary, FindsAndMeasures) {
  const Vocabulary v = small();
  EXPECT_EQ(v.size(), 12);
  EXPECT_EQ(v.find("AAC"), 8);
  EXPECT_EQ(v.find("T"), -1);
  EXPECT_EQ(v.bases(8), 3);
  EXPECT_EQ(v.bases(2), 0);
  EXPECT_TRUE(v.contains_n(11));
  EXPECT_FALSE(v.contains_n(1));  // [UNK] has an N, but is special
  EXPECT_DOUBLE_EQ(v.mean_piece_length(), 13.0 / 7);
  EXPECT_NE(test::error_of([] {
              Vocabulary({{"A", 0, false}, {"A", 0, false}}, {});
            }).find("'A' twice"),
            std::string::npos);
}

TEST(Vocabulary, EveryFileGivesItBack) {
  const test::TempDir dir;
  const Vocabulary v = small();
  v.save_model(dir / "spiece.model");
  v.save_tokenizer_json(dir / "tokenizer.json");
  v.save_text(dir / "v.vocab");
  for (const std::string& path : {dir / "spiece.model", dir / "tokenizer.json", dir.path()}) {
    const Vocabulary read = Vocabulary::load(path);
    EXPECT_EQ(read.hash(), v.hash()) << path;
    EXPECT_EQ(read.special(), v.special());
    auto rules = v.rules();
    rules.added_tokens = path.ends_with(".json");
    EXPECT_EQ(read.rules(), rules);
    EXPECT_TRUE(read.merges().empty());
  }
  EXPECT_TRUE(io::read_file(dir / "v.vocab")
                  .starts_with("[PAD]\t0\n[UNK]\t0\n[CLS]\t0\n[SEP]\t0\n[MASK]\t0\nAA\t-0\nAC\t-1\n"));
}

TEST(Vocabulary, TheHashSeesEveryChange) {
  std::vector<Piece> pieces = small().pieces();
  pieces[5].score = -0.5;
  EXPECT_NE(Vocabulary(pieces, {}).hash(), small().hash());
  EXPECT_NE(Vocabulary(small().pieces(), {}, {{9, 10}}).hash(), small().hash());
  EXPECT_NE(Vocabulary(small().pieces(), {}, {}, {.fuse_unknown = false}).hash(), small().hash());
}

TEST(Vocabulary, TokenizerJsonIsWhatTransformersReads) {
  const test::TempDir dir;
  small().save_tokenizer_json(dir / "tokenizer.json");
  small().save_tokenizer_config(dir / "tokenizer_config.json", 4096, true);
  const json file = json::parse(io::read_file(dir / "tokenizer.json"));
  EXPECT_EQ(file["model"]["merges"], (json{"A A", "A C", "A AA", "AA A", "A AC", "AA C"}));
  EXPECT_EQ(file["model"]["fuse_unk"], true);
  EXPECT_TRUE(file["pre_tokenizer"].is_null());
  EXPECT_EQ(file["post_processor"]["type"], "TemplateProcessing");
  EXPECT_EQ(file["post_processor"]["special_tokens"]["[SEP]"]["ids"], json{3});
  EXPECT_EQ(file["added_tokens"].size(), 5u);
  const json config = json::parse(io::read_file(dir / "tokenizer_config.json"));
  EXPECT_EQ(config["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(config["model_max_length"], 4096);
  EXPECT_EQ(config["mask_token"], "[MASK]");
}

/// small() as a tokenizer.json that `change` has changed.
std::string changed(const test::TempDir& dir, const std::function<void(json&)>& change) {
  small().save_tokenizer_json(dir / "a.json");
  json file = json::parse(io::read_file(dir / "a.json"));
  change(file);
  io::write_file(dir / "b.json", file.dump());
  return dir / "b.json";
}

TEST(Vocabulary, ForeignMergesStayAsTheyAre) {
  const test::TempDir dir;
  const std::string path = changed(dir, [](json& f) {
    f["model"]["merges"] = {"A A", "A C", "AA A", "AA C"};
    f["model"]["fuse_unk"] = false;
  });
  const Vocabulary v = Vocabulary::load(path);
  EXPECT_EQ(v.merges(), (std::vector<Merge>{{9, 9}, {9, 10}, {5, 9}, {5, 10}}));
  EXPECT_FALSE(v.rules().fuse_unknown);
  EXPECT_NE(test::error_of([&] { v.save_model(dir / "m.model"); }).find("cannot hold"), std::string::npos);
  v.save_tokenizer_json(dir / "c.json");
  EXPECT_EQ(Vocabulary::load(dir / "c.json").hash(), v.hash());
}

TEST(Vocabulary, WhatIsNotSupportedIsAnError) {
  const test::TempDir dir;
  const auto refused = [&](const char* text, const std::function<void(json&)>& change) {
    const std::string message = test::error_of([&] { Vocabulary::load(changed(dir, change)); });
    EXPECT_TRUE(message.starts_with(dir / "b.json") && message.find(text) != std::string::npos) << message;
  };
  refused("WordPiece", [](json& f) { f["model"]["type"] = "WordPiece"; });
  refused("byte_fallback", [](json& f) { f["model"]["byte_fallback"] = true; });
  refused("continuing_subword_prefix", [](json& f) { f["model"]["continuing_subword_prefix"] = "##"; });
  refused("unknown token", [](json& f) { f["model"]["unk_token"] = nullptr; });
  refused("Lowercase", [](json& f) { f["normalizer"] = {{"type", "Lowercase"}}; });
  refused("ByteLevel", [](json& f) { f["pre_tokenizer"] = {{"type", "ByteLevel"}}; });
  refused("no token has the id", [](json& f) { f["model"]["vocab"]["C"] = 100; });
  refused("into a third", [](json& f) { f["model"]["merges"].push_back("C C"); });
  refused("id of 'C' 1.5 is not a whole number", [](json& f) { f["model"]["vocab"]["C"] = 1.5; });
  refused("id of 'C' 4294967306 is not", [](json& f) { f["model"]["vocab"]["C"] = 4294967306; });
  refused("id of 'C' -1 is not", [](json& f) { f["model"]["vocab"]["C"] = -1; });
  refused("'A' and 'C' have the same id 9", [](json& f) { f["model"]["vocab"]["C"] = 9; });
  refused("have the same id 9", [](json& f) { f["added_tokens"][0]["id"] = 9; });
  refused("without text", [](json& f) { f["model"]["vocab"][""] = 12; });
  refused("Replace", [](json& f) {
    f["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "A"}}}, {"content", "C"}};
  });
  refused("Replace", [](json& f) {
    f["normalizer"] = {{"type", "Replace"}, {"pattern", {{"Regex", "[^a]"}}}, {"content", "C"}};
  });
  refused("not a tokenizer.json", [](json& f) { f["model"]["vocab"] = 3; });
  refused("Nmt", [](json& f) { f["normalizer"] = {{"type", "Nmt"}}; });
  refused("the file has the field 'lowercase'", [](json& f) { f["lowercase"] = true; });
  refused("the model has the field 'suffix'", [](json& f) { f["model"]["suffix"] = "x"; });
  refused("the added token has the field 'x'", [](json& f) { f["added_tokens"][0]["x"] = 1; });
  refused("the normaliser has the field 'x'", [](json& f) { f["normalizer"] = {{"type", "NFC"}, {"x", 1}}; });
  refused("the pre-tokeniser has the field 'x'", [](json& f) {
    f["pre_tokenizer"] = {{"type", "Whitespace"}, {"x", 1}};
  });
  for (const auto& [behavior, invert] : {std::pair("Isolated", true), {"Removed", false}, {"MergedWithNext", false}})
    refused("Split", [&](json& f) {
      f["pre_tokenizer"] = {
          {"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", invert}};
    });
  for (const char* token : {"TATAAA", "nnnn", "acgT"})
    refused(token, [&](json& f) { f["added_tokens"].push_back({{"id", 100}, {"content", token}}); });
  io::write_file(dir / "junk",
                 "\x7f"
                 "ELF not a model");
  EXPECT_NE(test::error_of([&] { Vocabulary::load(dir / "junk"); }).find("junk: not a SentencePiece model"),
            std::string::npos);
  EXPECT_NE(test::error_of([&] { Vocabulary::load(dir / "none"); }).find("none"), std::string::npos);
}

TEST(Vocabulary, MergesOfATokenizerJsonAreAllOfOneKind) {  // tokenizers reads no others
  const test::TempDir dir;
  for (const bool blank : {false, true}) {
    auto pieces = small().pieces();
    if (blank) pieces.push_back({"A ", -7, false}), pieces.push_back({" ", -8, false});
    const Vocabulary v(pieces, {});
    v.save_tokenizer_json(dir / "tokenizer.json");
    const json merges = json::parse(io::read_file(dir / "tokenizer.json"))["model"]["merges"];
    ASSERT_GE(merges.size(), 6u);
    for (const json& merge : merges) EXPECT_EQ(merge.is_array(), blank) << merge;
    const Vocabulary read = Vocabulary::load(dir / "tokenizer.json");
    EXPECT_EQ(read.size(), v.size());
    EXPECT_EQ(read.find("A "), blank ? 12 : -1);
  }
}

TEST(Vocabulary, LettersOfNucleotidesAreInEveryFile) {
  const test::TempDir dir;
  const auto letters = letters_of_nucleotides(small().pieces());
  EXPECT_EQ(letters.at('a'), 'A');
  EXPECT_EQ(letters.at('u'), 'T');
  EXPECT_EQ(letters.at('R'), 'N');
  EXPECT_EQ(letters_of_nucleotides({{"[UNK]", 0, true}, {"a", 0, false}}).size(), 0u);
  const Vocabulary v(small().pieces(), {}, {}, {.letters = letters});
  EXPECT_EQ(v.hash(), small().hash());
  v.save_model(dir / "dna.model");
  v.save_tokenizer_json(dir / "tokenizer.json");
  for (const std::string& path : {dir / "dna.model", dir / "tokenizer.json"}) {
    const Vocabulary read = Vocabulary::load(path);
    auto rules = v.rules();
    rules.added_tokens = path.ends_with(".json");
    EXPECT_EQ(read.rules(), rules) << path;
    EXPECT_EQ(read.hash(), v.hash());
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "dna.model.letters"));
  // written by hand: one letter each, as text and as a pattern
  const std::string path = changed(dir, [](json& f) {
    f["normalizer"] = {{"type", "Sequence"}, {"normalizers", json::array()}};
    for (const auto& [from, to] : {std::pair("x", "n"), {"a", "A"}, {"n", "N"}})
      f["normalizer"]["normalizers"].push_back(
          {{"type", "Replace"}, {"pattern", {{*from == 'a' ? "Regex" : "String", from}}}, {"content", to}});
  });
  EXPECT_EQ(Vocabulary::load(path).rules().letters, (std::map<char, char>{{'a', 'A'}, {'n', 'N'}, {'x', 'N'}}));
}

TEST(Vocabulary, OthersOnDisk) {
  BIGDNA_REAL_DATA(folder, "tokenizers");
  const Vocabulary dnabert = Vocabulary::load(folder + "/DNABERT2_4096.tokenizer.json");
  EXPECT_EQ(dnabert.size(), 4096);
  EXPECT_EQ(dnabert.special(), (SpecialTokens{.pad = 3, .unk = 0, .cls = 1, .sep = 2, .mask = 4}));
  const Vocabulary spm = Vocabulary::load(folder + "/spm_dna128.model");
  EXPECT_EQ(spm.size(), 128);
  EXPECT_TRUE(spm.rules().dummy_prefix);
  EXPECT_NE(test::error_of([&] { Vocabulary::load(folder + "/spm_test_model_en1000.model"); }).find("UNIGRAM"),
            std::string::npos);
}

/// A tokenizer.json as B03 has it, with other rules.
std::string with_rules(const test::TempDir& dir, const json& normaliser, const json& pre_tokeniser) {
  return changed(dir, [&](json& f) {
    f["normalizer"] = normaliser;
    f["pre_tokenizer"] = pre_tokeniser;
  });
}

TEST(Vocabulary, RulesOfATokenizerJsonAreApplied) {
  const test::TempDir dir;
  const auto pieces = [&](const json& normaliser, const json& pre_tokeniser, const std::string& text) {
    const Encoder encoder(Vocabulary::load(with_rules(dir, normaliser, pre_tokeniser)));
    std::string joined;
    for (const auto id : encoder.encode_text(text, 1).ids) joined += encoder.vocabulary().piece(id).text + ' ';
    // as it is written, too
    encoder.vocabulary().save_tokenizer_json(dir / "again.json");
    EXPECT_EQ(Encoder(Vocabulary::load(dir / "again.json")).encode_text(text, 1).ids, encoder.encode_text(text, 1).ids);
    EXPECT_FALSE(encoder.vocabulary().fits_sentencepiece() && !(normaliser.is_null() && pre_tokeniser.is_null()));
    return joined;
  };
  const json strip = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}};
  const json left = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}};
  const json words = {{"type", "Whitespace"}}, blanks = {{"type", "WhitespaceSplit"}};
  const json dash = {{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", "Isolated"}, {"invert", false}};
  EXPECT_EQ(pieces(nullptr, nullptr, " AA A"), "[UNK] AA [UNK] A ");
  EXPECT_EQ(pieces(strip, nullptr, " AA\t "), "AA ");
  EXPECT_EQ(pieces(left, nullptr, " AA "), "AA [UNK] ");
  EXPECT_EQ(pieces(nullptr, words, " A A\tAA "), "A A AA ");
  EXPECT_EQ(pieces(nullptr, blanks, "A A-?A"), "A A [UNK] A ");
  EXPECT_EQ(pieces(nullptr, words, "A-?A_A"), "A [UNK] A [UNK] A ");
  EXPECT_EQ(pieces(nullptr, dash, "A--A"), "A [UNK] [UNK] A ");
  const Encoder encoder(Vocabulary::load(with_rules(dir, {{"type", "NFC"}}, nullptr)));
  EXPECT_EQ(encoder.encode_text("AA", 1).ids.size(), 1u);
  EXPECT_NE(test::error_of([&] { encoder.encode_text("A\xC3\xA9", 1); }).find("beyond ASCII"), std::string::npos);
  EXPECT_NE(test::error_of([&] { encoder.encode_text("A[CLS]A", 1); }).find("the token [CLS]"), std::string::npos);
}

TEST(Vocabulary, WhatStandsAroundASequenceIsKnown) {
  const test::TempDir dir;
  const auto frame = [&](const json& post_processor) {
    return Vocabulary::load(changed(dir, [&](json& f) { f["post_processor"] = post_processor; })).rules().other_frame;
  };
  EXPECT_EQ(Vocabulary::load(changed(dir, [](json&) {})).rules().other_frame, "");
  const json bert = {{"type", "BertProcessing"}, {"cls", {"[CLS]", 2}}, {"sep", {"[SEP]", 3}}};
  EXPECT_EQ(frame(bert), "");
  EXPECT_EQ(frame(nullptr), "puts no [CLS] and [SEP] around a sequence");
  const json alone = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  EXPECT_EQ(frame({{"type", "TemplateProcessing"},
                   {"single", json::array({alone})},
                   {"pair", json::array({alone})},
                   {"special_tokens", json::object()}}),
            "puts no [CLS] and [SEP] around a sequence");
  EXPECT_EQ(frame({{"type", "BertProcessing"}, {"cls", {"[SEP]", 3}}, {"sep", {"[CLS]", 2}}}),
            "puts other tokens around a sequence than [CLS] and [SEP]");
  EXPECT_EQ(frame({{"type", "ByteLevel"}}), "puts other things around a sequence than [CLS] and [SEP]");
}

TEST(Vocabulary, TokensThatWereAddedBesideItAreFound) {
  const test::TempDir dir;
  small().save_model(dir / "spiece.model");
  EXPECT_EQ(Vocabulary::load(dir.path()).hash(), small().hash());
  const auto refused = [&](const char* name, const json& content) {
    io::write_file(dir / name, content.dump());
    EXPECT_EQ(test::error_of([&] { Vocabulary::load(dir.path()); }),
              dir / name + ": the added token 'TATAAA' could match DNA sequence, which is not supported");
    std::filesystem::remove(dir / name);
  };
  refused("added_tokens.json", {{"TATAAA", 64}});
  refused("tokenizer_config.json", {{"added_tokens_decoder", {{"64", {{"content", "TATAAA"}}}}}});
  refused("tokenizer.json", {{"added_tokens", json::array({json{{"id", 64}, {"content", "TATAAA"}}})}});
  io::write_file(dir / "added_tokens.json", R"({"[gene]": 64})");  // which no sequence holds
  EXPECT_EQ(Vocabulary::load(dir.path()).hash(), small().hash());
  io::write_file(dir / "tokenizer.json", R"({"post_processor": null})");
  EXPECT_EQ(Vocabulary::load(dir.path()).rules().other_frame, "puts no [CLS] and [SEP] around a sequence");
}

}  // namespace
}  // namespace bigdna::tokenizer
