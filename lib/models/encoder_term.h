/// The term of an encoder that reads tokens: its head's logits.
#pragma once

#include "models/term.h"
#include "session/reader.h"
#include "session/session.h"

namespace bigdna::models {

class EncoderTerm : public Term {
 public:
  /// Both must outlive this.
  EncoderTerm(const session::SequenceReader& reader, const session::Session& session)
      : reader_(reader), session_(session) {}
  std::string_view name() const override { return "encoder"; }
  /// They count the weights of labels in training's loss. Edits are tokenised again only near what was changed.
  std::vector<float> logits(std::span<Reading> readings) const override;
  /// session::Session::pooled() of the readings, tokenised as above. They are left in Reading::pooled, too.
  std::vector<float> pooled(std::span<Reading> readings) const;
  /// session::Session::text_means() of the readings.
  std::vector<float> text_means(std::span<Reading> readings) const;

 private:
  std::vector<corpus::Example> examples_of(std::span<Reading> readings) const;

  const session::SequenceReader& reader_;
  const session::Session& session_;
};

/// session::Session::pooled() of any number of sequences (`reversed`: which are reverse complements), on all threads.
std::vector<float> all_pooled(const session::SequenceReader& reader, const session::Session& session,
                              Sequences sequences, bool reversed = false);

}  // namespace bigdna::models
