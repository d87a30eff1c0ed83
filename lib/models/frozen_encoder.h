/// A pretrained encoder beside a network on bases: it stays as it is, and a linear head reads its states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "models/encoder_term.h"
#include "models/term.h"
#include "session/reader.h"
#include "session/session.h"

namespace bigdna::models {

/// logit = weight x states + bias, as it was fitted. A model's sum has scale x logit + shift of it, and what it is
/// added to is multiplied by base_weight.
struct EncoderHead {
  std::vector<float> weight;        // [labels, columns]
  std::vector<float> bias;          // [labels]
  std::vector<float> scale, shift;  // [labels]
  std::vector<float> base_weight;   // [labels], > 0

  size_t labels() const { return bias.size(); }
  int64_t columns() const { return bias.empty() ? 0 : std::ssize(weight) / std::ssize(bias); }
  /// Of states, row-major [rows, columns]: row-major [rows, labels].
  std::vector<float> logits(std::span<const float> states) const;
  /// What these logits add to a sum.
  std::vector<float> in_sum(std::vector<float> logits) const;

  void save(const std::string& path) const;
  /// Error for arrays that are missing, do not fit each other, or are not finite.
  static EncoderHead load(const std::string& path);
  /// Of a folder whose bigdna.json lists one (model_folder::kEncoderHeadFile); nullopt of others. Error if the file is
  /// missing, is not the one that is listed, or does not fit the model.
  static std::optional<EncoderHead> of(const model_folder::ModelFolder& folder);
};

/// The encoder, ready to read: its states are those that a head of `finetune --pool scales` reads.
class FrozenEncoder {
 public:
  /// `anchor`: the site, as a fraction of a sequence's length. Error if it cannot read sequences.
  FrozenEncoder(const model_folder::ModelFolder& folder, double anchor, const session::Placement& placement);
  /// The folder as a network's model keeps it (model_folder::kEncoderFolder), of which every file is the one that
  /// bigdna.json lists.
  static model_folder::ModelFolder open_beside(const model_folder::ModelFolder& model);
  /// The number of states of a sequence.
  static int64_t columns(const model_folder::ModelFolder& folder);

  const session::SequenceReader& reader() const { return reader_; }
  const session::Session& session() const { return session_; }

 private:
  session::SequenceReader reader_;
  session::Session session_;
};

class FrozenEncoderTerm : public Term {
 public:
  /// All must outlive this. `alone`: logits as they were fitted, and not as a sum has them.
  FrozenEncoderTerm(const FrozenEncoder& encoder, const EncoderHead& head, bool alone = false)
      : encoder_(encoder.reader(), encoder.session()), head_(head), alone_(alone) {}
  std::string_view name() const override { return "encoder"; }
  std::vector<float> logits(std::span<Reading> readings) const override;

 private:
  EncoderTerm encoder_;
  const EncoderHead& head_;
  bool alone_;
};

}  // namespace bigdna::models
