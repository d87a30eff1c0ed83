/// A term beside a network on bases: fitted to the same training rows, it is added to the network where validation rows
/// call for it, and what the model is compared with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/manifest.h"
#include "linear/stacking.h"
#include "rows/task_rows.h"

namespace bigdna::training {

class TermBeside {
 public:
  using Rows = std::vector<int64_t>;
  /// How the term stands in a sum: base_weight x what it is added to + scale x its logit + shift, by output.
  struct Place {
    std::vector<double> scale, shift, base_weight;
    /// How much of the sum is the term, by group of outputs.
    std::map<std::string, double> share;
  };

  /// `rows` must outlive this.
  explicit TermBeside(const rows::TaskRows& rows) : rows_(rows) {}
  virtual ~TermBeside() = default;

  /// As tables and columns call it, and as log lines do.
  virtual std::string name() const = 0;
  virtual std::string title() const = 0;
  /// Logits, row-major [rows, outputs], of the term alone, as it was fitted.
  virtual std::vector<float> logits(const Rows& rows) const = 0;
  /// What the term adds to a model's logits; only of one that has a place().
  virtual std::vector<float> in_sum(const Rows& rows) const = 0;

  /// Logits of training rows, float [rows, outputs], each by a fit that saw nothing of the row's fold.
  struct OutOfFold {
    Rows rows;
    at::Tensor logits;
  };
  virtual OutOfFold out_of_fold() const = 0;

  /// Chooses on these validation rows, for each group of outputs, how much of the term is added to `base`, calibrated
  /// logits of the rows, [rows, outputs], by choice(). The sum is calibrated on the same rows. Null: the term is all
  /// of the sum.
  void add_to(const std::vector<float>* base, const Rows& validation);
  /// Adds the weighted sum of terms in the same way, by the first one's choice(). The weight of each further term
  /// beside those before it, for each group of outputs, is chosen on the training rows that they have out-of-fold
  /// logits of, which are more than the validation rows: 0 unless it lowers the loss by more than one standard error
  /// (linear::StackChoice::earned). There are validation rows.
  static void add_together(std::span<TermBeside* const> terms, const std::vector<float>* base, const Rows& validation);
  /// The place in the sum; none where its weight is 0 for every group.
  const std::optional<Place>& place() const { return place_; }

  /// Whether the model's folder holds the term as it was fitted, so that `bigdna evaluate` can compare the two.
  virtual bool is_kept() const = 0;
  /// Writes the term's files into the folder of a model, and records them.
  virtual void write(const std::string& folder, io::Manifest& manifest) const = 0;

 protected:
  void set_place(std::optional<Place> place);
  /// How the share is chosen (linear::fit_stack()).
  virtual linear::StackChoice choice() const = 0;
  /// place() has changed.
  virtual void placed() = 0;

  const rows::TaskRows& rows_;

 private:
  /// Where `term`, logits of the validation rows, stands in a model that consists of it alone.
  Place place_alone(const std::vector<double>& term, const Rows& validation) const;
  /// Where it stands beside `base`.
  std::optional<Place> place_of(std::vector<double> term, const std::vector<float>& base, const Rows& validation) const;

  std::optional<Place> place_;
};

}  // namespace bigdna::training
