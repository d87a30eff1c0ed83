/// Attribution: what each base of a sequence adds to a model's logit.
#pragma once

#include <string>
#include <vector>

#include "session/task_model.h"

namespace bigdna::prediction {

/// Gradient x input (Shrikumar et al. 2016): the logit's gradient with respect to each token's embedding,
/// times that embedding less the mean of the vocabulary's; a token's value is spread evenly over its bases.
/// The branch of bases (model/bases.h): the gradient with respect to the base, less the mean of those with respect to the four.
/// One forward and backward pass. Bases that the encoder does not read (too long a sequence) get nothing from it. `words`:
/// those of the model, or null; what they add is session::WordModel::importance().
std::vector<double> gradient_importance(const session::SequenceReader& reader, const session::Session& session,
                                        const std::string& bases, int64_t label, const session::WordModel* words = nullptr);

/// In-silico mutagenesis (Zhou and Troyanskaya 2015): the logit less the mean of the logits with the base
/// changed to each of the three others (N: to each of the four), tokenised anew. Three forward passes a base,
/// on the session's threads.
std::vector<double> mutagenesis_importance(const session::SequenceReader& reader, const session::Session& session,
                                           const std::string& bases, int64_t label, const session::WordModel* words = nullptr);

}  // namespace bigdna::prediction
