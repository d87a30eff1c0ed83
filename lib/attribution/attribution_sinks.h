/// What `bigdna explain` writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "genome/fasta.h"
#include "io/formats.h"
#include "io/provenance.h"
#include "attribution/attributions.h"
#include "attribution/explain_sites.h"
#include "attribution/explainer.h"

namespace bigdna::attribution {

class AttributionSink {
 public:
  virtual ~AttributionSink() = default;
  /// `number`: of the interval in the whole input, from 0.
  virtual void write(const Site& site, const Attributions& values, int64_t number) = 0;
  /// Nothing exists under the outputs' names before it.
  virtual void commit() = 0;
};

/// Throws a UsageError for options that do not go together (a track or a pair of arrays of several features), for
/// outputs that are inputs or each other, or that lie in the model's folder. Returns the files that will be written,
/// without pictures.
std::vector<std::string> refuse_outputs(const ExplainOptions& options, io::Format format,
                                        const std::vector<std::string>& features, const std::string& model);

/// Opens the outputs. `features`: the names of the chosen ones' columns; `contigs`: those of the genome; `explainer`
/// must outlive them.
std::vector<std::unique_ptr<AttributionSink>> attribution_sinks(const ExplainOptions& options, io::Format format,
                                                                const std::vector<std::string>& features,
                                                                const std::vector<genome::Contig>& contigs,
                                                                const io::Provenance& provenance,
                                                                const Explainer& explainer);

}  // namespace bigdna::attribution
