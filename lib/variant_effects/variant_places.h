/// The intervals that a model reads for a variant; their scores give its effects.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/start_sites.h"
#include "dataset/task.h"
#include "genome/fasta.h"
#include "prediction/predict_options.h"
#include "prediction/tiling.h"
#include "variant_effects/variant_options.h"
#include "models/task_details.h"
#include "variants/allele.h"

namespace bigdna::variant_effects {

class VariantPlaces {
 public:
  /// `details`: of the model, whose interval lies around its start site or beside its bin; of a table's model,
  /// around the variant. `task`: null for a model without one, of which `options.context` is read. UsageErrors for
  /// options that the model has no use for.
  VariantPlaces(const VariantOptions& options, const dataset::Task* task, const models::TaskDetails& details,
                const genome::Genome& genome);

  /// The intervals with their strands, '+' or '-', which may reach past the contig's ends. None for an allele that is
  /// skipped; if there is none for another allele, sets `allele.skip` to the reason.
  std::vector<genome::Region> of(variants::Allele& allele, variants::GenomeWindow& window) const;
  /// Whether the score of an allele is the largest over its intervals (tiles). Otherwise effects are computed for each
  /// interval, and the one with the largest absolute value counts.
  bool largest_score() const { return is(Site::start) && options_.sites.empty(); }
  /// Whether each interval is read along both strands, and the mean taken.
  bool averaged() const { return strands_ == session::Strands::average; }
  /// The strand for tables: '+', or '.' if more than the forward strand is read.
  char strand() const { return strands_ == session::Strands::forward && options_.sites.empty() ? '+' : '.'; }
  session::Strands strands() const { return strands_; }
  /// --reach, or -1 for the model's own interval or bin.
  int64_t reach() const { return is(Site::bin) && options_.reach == 0 ? -1 : options_.reach.value_or(-1); }
  /// MD5 of the start sites, by which a background is known; "" without them.
  std::string sites_md5() const;
  /// Where background variants may be drawn: contigs, or around the start sites.
  std::vector<genome::Region> background() const;

 private:
  using Site = dataset::Task::Site;
  bool is(Site site) const { return task_ && task_->site == site; }
  std::vector<genome::Region> intervals(const variants::Allele& allele) const;

  const VariantOptions& options_;
  const dataset::Task* task_;
  int64_t bin_, upstream_, downstream_;
  prediction::PromoterTiling scan_;  // the tiles of predict-promoter
  session::Strands strands_;
  std::map<std::string, int64_t> lengths_;                        // of contigs
  std::map<std::string, std::vector<dataset::StartSite>> sites_;  // by the genome's contig name, sorted
  const genome::Genome& genome_;
};

}  // namespace bigdna::variant_effects
