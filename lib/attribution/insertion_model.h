/// A model whose sequences `bigdna marginalize` and `design` edit: one that labels bins, or a profile model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/bin_model.h"
#include "attribution/explain_sites.h"
#include "profile/part.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::attribution {

class InsertionModel {
 public:
  virtual ~InsertionModel() = default;
  virtual const std::string& path() const = 0;  // of its folder
  virtual const ChosenOutputs& outputs() const = 0;
  /// The features that `patterns` choose of all that the model has, for errors of `option`: dataset::choose_features().
  virtual std::vector<int64_t> choose(const std::string& patterns, std::string_view option) const = 0;
  virtual SiteTiling tiling() const = 0;  // of what it reads
  /// Reads the weights.
  virtual void load(const session::Placement& placement) = 0;
  /// What each edit of a sequence changes, on the mean of both strands: [edits, chosen outputs]. After load(); several
  /// threads may call it.
  virtual std::vector<float> changes(const std::string& bases, std::span<const std::string> edits) const = 0;
};

/// Opens it; no weights are read yet. Error for another kind of model, UsageError for a part or a precision that it
/// does not have.
std::unique_ptr<InsertionModel> open_insertion_model(const std::string& path, const std::string& features,
                                                     std::optional<profile::Part> part, const session::RunOptions& run);

}  // namespace bigdna::attribution
