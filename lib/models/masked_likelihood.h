/// What a language model says of two forms of a sequence: the ratio of their likelihoods.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "session/reader.h"
#include "session/session.h"

namespace bigdna::models {

/// Two forms of a sequence, which differ in before[at, at + before_length) and after[at, at + after_length) alone.
struct Change {
  std::string before, after;
  int64_t at = 0, before_length = 0, after_length = 0;  // bp
};
/// The same on the other strand.
Change reverse_complement(const Change& change);

/// Both forms as the model reads them. The changed part is the smallest one that holds every token over the change in
/// either form, and beside which the tokens are the same. Around it both forms keep the same tokens, as many as the
/// model reads. Empty where the changed part alone has more tokens than that. The changed part's tokens are hidden and
/// scored; `causal`: nothing is hidden, and those behind it are scored too, each from all tokens before it.
std::vector<corpus::Example> scored_forms(const session::SequenceReader& reader, const Change& change, bool causal);

/// ln p(after) - ln p(before) of each change: the sum of the log-probabilities of the changed part's tokens, all of
/// which are hidden at once, given those beside it. For single-base tokens and one changed base this is ln p(ALT) - ln
/// p(REF) at the hidden base (Brandes et al. 2023; Benegas et al. 2023). By a causal model it is the exact ratio of the
/// likelihoods of all tokens: those before the changed part are the same in both forms, and cancel. NaN where
/// scored_forms() is empty. Runs on the calling thread.
std::vector<double> log_likelihood_ratios(const session::SequenceReader& reader, const session::Session& session,
                                          std::span<const Change> changes);

}  // namespace bigdna::models
