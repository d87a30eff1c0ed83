/// What `bigdna explain` asks of a model, of whichever kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attribution/attributions.h"
#include "attribution/bin_model.h"
#include "attribution/explain_sites.h"
#include "models/model.h"

namespace bigdna::attribution {

/// What a model predicts for bins side by side around an interval.
struct Surroundings {
  int64_t start = 0, bin = 0;      // of the first bin, 0-based; bp of each
  std::vector<float> values = {};  // [bins, chosen features]
};

class Explainer {
 public:
  virtual ~Explainer() = default;
  virtual const std::string& path() const = 0;  // of the model's folder
  virtual const ChosenOutputs& outputs() const = 0;
  virtual SiteTiling tiling() const = 0;
  virtual const char* precision() const = 0;
  /// Warns of sequences that were longer than what the model reads.
  virtual void report_truncated() const {}
  /// How many threads may call attributions() at the same time.
  virtual int streams() const = 0;

  /// Reads the weights.
  virtual void load() = 0;
  /// Explains an interval, `number` of the input. After load().
  virtual Attributions attributions(const Site& site, int64_t number) const = 0;
  /// The predictions of bins on either side, as `chromatin` gives them; nothing past a contig's ends. nullopt for
  /// records, and for models that do not label bins of bases. After load().
  virtual std::optional<Surroundings> surroundings(const Site&) const { return std::nullopt; }
};

/// Opens the model and chooses device and precision; no weights are read yet. Error for a model that does not predict,
/// UsageError for a method or strands that it does not have. `options` must outlive it.
std::unique_ptr<Explainer> make_explainer(const ExplainOptions& options);

/// Mutagenesis by every changed sequence of a site: `values_of` gives [sequences, features] of sequences that are the
/// site's window but for one base at most.
Attributions by_substitution(const Site& site, int64_t features,
                             const std::function<std::vector<double>(std::vector<std::string> sequences)>& values_of);

}  // namespace bigdna::attribution
