/// Inference with a profile model (model_folder/profile_config.h): from bases to counts and profiles.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/parameters.h"
#include "model_folder/profile_config.h"
#include "profile/part.h"
#include "session/placement.h"
#include "session/run_options.h"

namespace bigdna::profile {

/// What a model says of one window.
struct ProfilePrediction {
  std::vector<float> logits;  // [strands, output]
  double log_counts = 0;      // natural logarithm of the expected number of reads
};

/// A number that sums a prediction up, to be explained: the logarithm of the counts or, with weights [strands, output]
/// that add up to 1, their mean of the profile's logits, minus the plain mean. With the profile of the unchanged
/// sequence as weights it is what chrombpnet and bpnet-lite explain.
struct Score {
  std::vector<float> weights = {};
  double of(const ProfilePrediction& prediction) const;
};

/// Every method may be called by several threads at the same time and runs on the calling thread.
class ProfileNetwork {
 public:
  /// Reads the weights of a folder. Error if they do not fit its configuration.
  ProfileNetwork(const model_folder::ProfileFolder& folder, const session::Placement& placement);
  ProfileNetwork(const model_folder::ProfileConfig& config, const model::Parameters& parameters,
                 const session::Placement& placement, std::string path);

  const model_folder::ProfileConfig& config() const { return config_; }
  const session::Placement& placement() const { return placement_; }

  /// Of `bases` (as many as the window; others than A, C, G and T count as none), along the strand as given.
  /// `controls`: tracks row-major [controls, window]; empty: zeros.
  ProfilePrediction predict(std::string_view bases, Part part, std::span<const float> controls = {}) const;
  /// For Strands::average, the mean of both strands' readings: of logits, where they lie on the strand as given, and of
  /// expected counts, as kundajelab/variant-scorer takes it.
  ProfilePrediction predict(std::string_view bases, Part part, session::Strands strands) const;

  /// What a half has computed of a window on one strand.
  struct Trace {
    std::vector<at::Tensor> states;  // after each convolution, [positions, filters]
    at::Tensor taps;                 // [output + 74, strands x 75]: what each position adds to the base under each tap
    ProfilePrediction prediction;
  };
  /// A window, and what edited() needs of it.
  struct Original {
    std::string bases;
    Part part = Part::whole;
    session::Strands strands = session::Strands::forward;
    std::vector<Trace> traces;  // of each half that is used, on each strand that is read
    ProfilePrediction prediction;
  };
  Original original(std::string_view bases, Part part, session::Strands strands) const;
  /// The prediction of a window of which some bases are others. Only the positions that these reach are computed again.
  ProfilePrediction edited(const Original& original, std::string_view bases) const;
  /// The gradient of a score with respect to the letters of a sequence that is `share` of the way from `from` to
  /// `bases`, both as long as the window: row-major [window, 4].
  std::vector<float> gradient(std::string_view bases, std::string_view from, double share, Part part,
                              session::Strands strands, const Score& score) const;

 private:
  /// Weights as the products of a half need them: each [inputs, outputs].
  struct Half {
    model_folder::ProfileHalf shape;
    at::Tensor first, first_bias;                        // [21 x 4, filters]
    std::vector<at::Tensor> dilated, dilated_bias;       // [3, filters, filters]
    at::Tensor profile, profile_bias, profile_controls;  // [filters, strands x 75]
    at::Tensor count;                                    // [filters]
    double count_bias = 0, count_controls = 0;
  };
  Half half_of(const model_folder::ProfileHalf& shape, const model::Parameters& parameters) const;
  /// What the heads read: [positions, filters]. `kept`: receives the states after each convolution; may be null.
  at::Tensor last_states(const Half& half, const at::Tensor& letters, std::vector<at::Tensor>* kept) const;
  /// What each position adds to the base under each tap, from the last states.
  at::Tensor taps_of(const Half& half, const at::Tensor& x) const;
  at::Tensor logits_of(const Half& half, const at::Tensor& taps) const;  // [strands, output]
  /// What the mean of the last states adds to the logarithm of the counts.
  static at::Tensor counts_of(const Half& half, const at::Tensor& x);
  /// Adds up the predictions of the halves that a part has.
  ProfilePrediction sum_of_halves(Part part, const std::function<ProfilePrediction(const Half&)>& predict) const;
  at::Tensor score_of(const at::Tensor& letters, Part part, session::Strands strands, const Score& score) const;
  /// `keep`: with all states, for edits.
  Trace run(const Half& half, const at::Tensor& letters, const at::Tensor& controls, bool keep) const;
  /// Of letters that differ from those of the trace in positions [first, last).
  ProfilePrediction rerun(const Half& half, const Trace& trace, const at::Tensor& letters, int64_t first,
                          int64_t last) const;
  static at::Tensor dilated(const Half& half, int64_t layer, const at::Tensor& x, int64_t rows);
  /// Of a window whose strands are read as asked for, from `of_strand` (its letters; whether they are the reverse
  /// complement).
  ProfilePrediction of_strands(session::Strands strands, std::string_view bases,
                               const std::function<ProfilePrediction(const at::Tensor&, bool)>& of_strand) const;
  ProfilePrediction prediction_of(const Half& half, const at::Tensor& taps, double log_counts) const;
  at::Tensor letters_of(std::string_view bases) const;
  bool uses(size_t half, Part part) const {
    return halves_.size() == 1 || part == Part::whole || (part == Part::bias) == (half == 1);
  }

  model_folder::ProfileConfig config_;
  session::Placement placement_;
  std::vector<Half> halves_;
  std::string path_;
};

/// UsageError for --precision bf16, which no profile model computes in. `model`: as it was given.
void refuse_bf16(const session::RunOptions& run, const std::string& model);

/// UsageError if a model has no such part (--part): all but `whole` need its bias model beside it.
void check_part(Part part, const model_folder::ProfileFolder& folder);

/// The share of the reads that each base of each strand has: the softmax over all of them, as BPNet's are trained.
std::vector<float> probabilities(std::span<const float> logits);

}  // namespace bigdna::profile
