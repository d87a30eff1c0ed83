/// A pretrained encoder beside a network on bases: it stays as it is, and a linear head is fitted to its states.
#pragma once

#include <string>
#include <vector>

#include "model_folder/model_folder.h"
#include "models/frozen_encoder.h"
#include "session/run_options.h"
#include "training/frozen_states.h"
#include "training/term_beside.h"

namespace bigdna::training {

/// Opens a pretrained encoder. Error for a network on bases and for an encoder that was trained for a task.
model_folder::ModelFolder open_encoder(const std::string& path);

class EncoderBeside : public TermBeside {
 public:
  /// Reads the rows, and fits the head to those for training. `strands`: which the network reads; for
  /// session::Strands::average the head is fitted to the mean states of both. `encoder` and `rows` must outlive this.
  EncoderBeside(const model_folder::ModelFolder& encoder, const rows::TaskRows& rows, session::Strands strands,
                const session::Placement& placement, int threads);

  std::string name() const override { return "encoder"; }
  std::string title() const override { return "encoder"; }
  std::vector<float> logits(const Rows& rows) const override;
  std::vector<float> in_sum(const Rows& rows) const override;
  OutOfFold out_of_fold() const override { return out_of_fold_; }
  bool is_kept() const override { return place().has_value(); }
  void write(const std::string& folder, io::Manifest& manifest) const override;
  const models::EncoderHead& head() const { return head_; }
  /// Of rows, row-major [rows, columns], of one strand.
  std::vector<float> states(const Rows& rows, bool reversed) const;
  /// Gives it a place of weight 0 where it has none: another term reads its states.
  void keep();

 private:
  /// An encoder makes a model larger and slower, and by least loss one of random weights has a share at times.
  linear::StackChoice choice() const override { return linear::StackChoice::earned; }
  void placed() override;
  /// What `of_states` gives for the rows, as given or the mean of both strands.
  std::vector<float> of_strands(const Rows& rows, const auto& of_states) const;

  const model_folder::ModelFolder& folder_;
  session::Strands strands_;
  models::FrozenEncoder encoder_;
  mutable FrozenStates known_;  // of rows that were read, where they are few enough
  bool keeps_states_;
  models::EncoderHead head_;
  OutOfFold out_of_fold_;
};

}  // namespace bigdna::training
