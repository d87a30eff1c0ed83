/// Networks on bases (model_folder/network_config.h) as functions of Parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/encoder.h"
#include "model/parameters.h"
#include "model_folder/network_config.h"

namespace bigdna::model {

/// The codes of A, C, G, T and of everything else, as networks read them: 0 to 3, and 4.
inline constexpr int64_t kUnknownBase = 4;
std::vector<int32_t> base_codes(std::string_view bases);

/// Parameters drawn from (seed, name): those of network i as a run with seed + i of one network would draw them.
Parameters initialise(const model_folder::NetworkConfig& config, uint64_t seed);
/// Sets the scale and shift of each stage of network `index` so that over these sequences every filter's maxima have
/// mean 0 and variance 1 (data-dependent initialisation: Salimans and Kingma 2016). They are trained from there; a norm
/// of each position by itself, in their place, would hide how well the best filter matches.
void standardise(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                 const at::Tensor& codes);
/// Error that lists the parameters that `path`'s arrays lack, have too many of or in another shape.
Parameters load_network_weights(const model_folder::NetworkConfig& config, const std::string& path);

/// Logits [batch, bins, labels], fp32, of network `index` for the codes of bases, int64 [batch, length], whose length
/// is whole bins. Positions beyond either end count as unknown bases. A pooled network gives [batch, 1, labels], and so
/// do the functions below: wherever they ask for a bin of its logits, it is bin 0.
at::Tensor network_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const at::Tensor& codes, const ForwardOptions& options);
/// The two halves of network_logits(): the states of bins [batch, bins, hidden] after the stages, each of which depends
/// on stage_reach() bp around its bin alone, and the logits that follow from them.
at::Tensor bin_states(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                      const at::Tensor& codes, const ForwardOptions& options);
at::Tensor logits_of_states(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                            const at::Tensor& states, const ForwardOptions& options);
/// What the first convolution's filters give, [batch, length - (width - 1), filters]: weights times bases, and the
/// bias.
at::Tensor filter_outputs(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const at::Tensor& codes, const ForwardOptions& options);
/// bin_states() of one sequence, [filters, bins, hidden]: in row i, filter i gives levels[i] everywhere after pooling.
at::Tensor bin_states_without(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                              const at::Tensor& codes, std::span<const float> levels, const ForwardOptions& options);
/// What follows the stages, where single bins are altered: the states before each residual convolution and after the
/// last, each as bin_states() are, and the logits of the last ones.
std::vector<at::Tensor> tower_states(const model_folder::NetworkConfig& config, const Parameters& parameters,
                                     int64_t index, const at::Tensor& states, const ForwardOptions& options);
at::Tensor logits_of_tower(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                           const at::Tensor& states, const ForwardOptions& options);
/// Logits [batch, labels] of `bin` in sequences whose states, [batch, altered bins, hidden] from bin `first` on, differ
/// there from `original` (tower_states() of one sequence) and nowhere else. Of each convolution only bins are computed
/// that the change alters and `bin` depends on; with layers of attention, all.
at::Tensor altered_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                          const std::vector<at::Tensor>& original, const at::Tensor& states, int64_t first, int64_t bin,
                          const ForwardOptions& options);
/// The states for bases given as numbers, [batch, length, 4] (A, C, G, T; 0 for an unknown base), of which gradients
/// can be taken.
at::Tensor bin_states_of_letters(const model_folder::NetworkConfig& config, const Parameters& parameters, int64_t index,
                                 const at::Tensor& letters, const ForwardOptions& options);
/// The codes as such numbers, in this type.
at::Tensor letters_of(const at::Tensor& codes, at::ScalarType type);

/// The mean of all networks' logits.
at::Tensor mean_logits(const model_folder::NetworkConfig& config, const Parameters& parameters, const at::Tensor& codes,
                       const ForwardOptions& options);

}  // namespace bigdna::model
