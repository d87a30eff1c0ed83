/// Inference with a network on bases: from bases to logits of bins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "model_folder/network_config.h"
#include "session/cut_count.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::models {

/// `length` bases around the middle of `bases`, N where there are none: what a network reads of a sequence.
std::string around_middle(std::string_view bases, int64_t length);

/// Every method may be called by several threads at the same time and runs on the calling thread. Results are float32,
/// and an Error says if one is not a number.
class Network {
 public:
  /// `path`: the model's folder, for errors.
  Network(const model_folder::NetworkConfig& config, const model::Parameters& parameters,
          const session::Placement& placement, std::string path);

  const model_folder::NetworkConfig& config() const { return config_; }
  const session::Placement& placement() const { return placement_; }
  int64_t bin() const { return config_.bin(); }
  int64_t margin() const { return margin_; }  // NetworkConfig::margin()
  /// Bins that are computed together where many are wanted, the margins among them. With layers of attention they are
  /// those of the window of training, because attention depends on where a bin lies in its window.
  int64_t bins() const { return bins_; }

  /// Logits [bins, labels] of bases whose length is whole bins; the first and the last margin() bins are computed as if
  /// nothing lay beyond the ends. Strands::average: the mean of both strands' logits.
  std::vector<float> logits(std::string_view bases, session::Strands strands) const;

  /// Logits [sequences, labels] of the bin in the middle of each sequence, or, of a pooled network, of the sequence.
  /// The network reads context() bp: longer sequences are cut around their middle, and shorter ones are surrounded by
  /// N. Sequences of context() bp of which each overlaps the one before, or one of the last few, by whole bins are
  /// computed in one pass.
  std::vector<float> middle_logits(std::span<const std::string> sequences, session::Strands strands) const;
  int64_t context() const { return config_.context(); }
  /// How many sequences are best given to middle_logits() of such a network together: neighbouring bins, and short
  /// sequences, are computed at once. Other numbers of them may round otherwise.
  static int64_t chunk(const model_folder::NetworkConfig& config);
  /// The bin of logits() that middle_logits() gives of context() bp.
  int64_t middle_bin() const { return config_.pooled ? 0 : margin_; }

  /// A sequence of whole bins, and what edited_logits() needs of it.
  struct Original {
    std::string bases;
    int64_t bin = 0;                              // that is asked about
    std::vector<std::vector<at::Tensor>> states;  // of each network: model::tower_states()
    std::vector<float> logits;                    // [labels] of the bin
  };
  Original original(std::string_view bases, int64_t bin) const;
  /// Logits [edits, labels] of the original's bin in sequences of the same length. Only the stages near what an edit
  /// changes are computed again.
  std::vector<float> edited_logits(const Original& original, std::span<const std::string> edits) const;

  /// Positions [first, first + count) of `bases`, whose length is whole bins, and the bin that is asked about.
  struct Positions {
    int64_t bin = 0, first = 0, count = 0;
  };
  /// Logits [count, 4, labels] of the bin with one position changed to A, C, G or T; for the base that stands there,
  /// those of the sequence as it is.
  std::vector<float> substituted_logits(std::string_view bases, const Positions& positions,
                                        session::Strands strands) const;
  /// The gradient [count, 4] of a label's logit of the bin with respect to the one-hot bases.
  std::vector<float> gradients(std::string_view bases, const Positions& positions, int64_t label,
                               session::Strands strands) const;
  /// Integrated gradients (Sundararajan et al. 2017) of this logit, [count, 4]: along the straight line from each of
  /// the `references`, which differ from `bases` in these positions alone, the mean gradient with respect to each base
  /// less that with respect to the reference's base; the mean over references. At the bases that stand there it adds up
  /// to the logit less the mean of the references', to the error of the midpoint rule with so many `steps`.
  std::vector<float> integrated_gradients(std::string_view bases, const Positions& positions, int64_t label,
                                          std::span<const std::string> references, int64_t steps,
                                          session::Strands strands) const;

  /// The first layer's filters of all networks, network by network.
  int64_t filters() const { return config_.networks * config_.stages.front().filters; }
  /// Where sequences of whole bins and filter_width() - 1 bases more please the filters most.
  struct FilterMaxima {
    std::vector<float> outputs;      // [sequences, filters]: the largest; weights times bases, and the bias
    std::vector<int64_t> positions;  // [sequences, filters]: of the first base under the filter there
    std::vector<double> pooled;      // [filters]: the sum of the outputs after pooling
    int64_t count = 0;               // of the terms of each of these sums
  };
  FilterMaxima filter_maxima(std::span<const std::string> sequences) const;
  int64_t filter_width() const { return config_.stages.front().width; }
  /// What each filter adds to the logits of its network: the logits [filters, labels] of the original's bin, less those
  /// where the filter gives this level, after pooling, in all that the bin's state is computed from.
  std::vector<float> filter_effects(const Original& original, std::span<const float> levels) const;

  /// Warns of sequences that a pooled network has read without their ends, if there were any.
  void report_truncated() const;

 private:
  std::vector<float> one_strand(std::string_view bases) const;
  std::vector<float> pooled_logits(std::span<const std::string> sequences, session::Strands strands) const;
  /// By how many bins `next` lies further on than `before`, both of context() bp; 0 if they do not overlap so.
  int64_t bins_further(std::string_view before, std::string_view next) const;
  std::vector<float> substituted_one_strand(std::string_view bases, const Positions& positions) const;
  std::vector<float> integrated_one_strand(std::string_view bases, const Positions& positions, int64_t label,
                                           std::span<const std::string> references, int64_t steps) const;
  std::vector<float> gradients_one_strand(std::string_view bases, const Positions& positions, int64_t label) const;
  /// The codes of the bases, [1, length], on the device.
  at::Tensor codes_of(std::string_view bases) const;
  /// The numbers of a tensor; Error if one is not finite.
  std::vector<float> finite(const at::Tensor& tensor) const;

  model_folder::NetworkConfig config_;
  session::Placement placement_;
  model::Parameters parameters_;
  int64_t margin_, bins_;
  std::string path_;
  std::shared_ptr<session::CutCount> readings_ =
      std::make_shared<session::CutCount>();  // of whole sequences by a pooled network
};

}  // namespace bigdna::models
