#include "tokenizer/edited_text.h"

#include "base/rng.h"
#include "support.h"
#include "tokenizer/trainer.h"

namespace bigdna::tokenizer {
namespace {

std::string bases(Rng& rng, size_t length, std::string_view letters = "ACGT") {
  std::string text;
  while (text.size() < length)
    text += rng.below(40) == 0 ? std::string(rng.below(30), 'A') : std::string(1, letters[rng.below(letters.size())]);
  text.resize(length);
  return text;
}

Vocabulary trained() {
  Rng rng(7);
  std::vector<std::string> sentences;
  for (int i = 0; i < 300; ++i)
    sentences.push_back(bases(rng, 400) + (i ? sentences[rng.below(sentences.size())].substr(0, 200) : ""));
  size_t i = 0;
  return train_bpe(
      [&]() -> std::optional<std::string_view> {
        return i == sentences.size() ? std::nullopt : std::optional<std::string_view>(sentences[i++]);
      },
      {.vocab_size = 600, .max_piece_length = 16});
}

/// A text with a stretch replaced, and cut at either end, is encoded as encode() does it.
void check(const Encoder& encoder, Rng& rng, std::string_view letters) {
  const std::string original = bases(rng, 30 + rng.below(1500), letters);
  const auto size = static_cast<int64_t>(original.size());
  const int64_t cut = rng.below(3) ? 0 : rng.between(0, 9), drop = rng.below(3) ? 0 : rng.between(0, 9);
  const int64_t site = rng.between(cut, size - drop), behind = std::min(size - drop, site + rng.between(0, 20));
  const std::string inserted = bases(rng, rng.below(25), letters),
                    tail = rng.below(2) ? bases(rng, rng.below(12), letters) : "";
  const std::string head = rng.below(2) ? bases(rng, rng.below(12), letters) : "";
  const auto part = [&](int64_t from, int64_t to) {
    return original.substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  };
  const std::string edited = head + part(cut, site) + inserted + part(behind, size - drop) + tail;
  const auto before = static_cast<int64_t>(head.size());
  const std::vector<SharedPart> shared{
      {cut, before, site - cut},
      {behind, before + site - cut + static_cast<int64_t>(inserted.size()), size - drop - behind}};
  const Encoding expected = encoder.encode(edited),
                 got = encode_edited(encoder, encoder.encode(original), edited, shared);
  ASSERT_EQ(got.ids, expected.ids) << original << "\n" << edited;
  ASSERT_EQ(got.begins, expected.begins);
}

TEST(EncodeEdited, IsWhatEncodingTheEditedTextGives) {
  const Encoder encoder(trained());
  Rng rng(1);
  for (int i = 0; i < 4000; ++i) check(encoder, rng, "ACGT");
  for (int i = 0; i < 1000; ++i) check(encoder, rng, "ACGTNNNN");
}

TEST(EncodeEdited, ALongRepeatIsTakenInAnotherPhase) {
  const Encoder encoder(trained());
  for (size_t shift = 0; shift < 12; ++shift) {
    std::string original = "CGTTGCA";
    for (int i = 0; i < 2000; ++i) original += "AC";
    const std::string edited = original.substr(0, 3) + std::string(shift, 'G') + original.substr(4);
    const auto length = static_cast<int64_t>(original.size());
    const std::vector<SharedPart> shared{{0, 0, 3}, {4, 3 + static_cast<int64_t>(shift), length - 4}};
    EXPECT_EQ(encode_edited(encoder, encoder.encode(original), edited, shared).ids, encoder.encode(edited).ids);
  }
}

TEST(EncodeEdited, NothingShared) {
  const Encoder encoder(trained());
  EXPECT_EQ(encode_edited(encoder, encoder.encode("ACGT"), "TTGCA", {}).ids, encoder.encode("TTGCA").ids);
}

}  // namespace
}  // namespace bigdna::tokenizer
