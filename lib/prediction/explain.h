/// Attribution: the contribution of each base of a sequence to a model's logit.
#pragma once

#include <string>
#include <vector>

#include "session/task_model.h"

namespace bigdna::prediction {

/// Gradient x input (Shrikumar et al. 2016): the logit's gradient with respect to each token's embedding, times the
/// difference of this embedding and the vocabulary's mean. A token's value is spread evenly over its bases. For the
/// CNN branch (model/cnn.h): the gradient with respect to the base, minus its mean over the four bases. One
/// forward and backward pass. Bases that the encoder does not read (in a sequence that is too long) get 0 from it.
/// `kmers` are the model's, or null; their contribution is session::KmerModel::importance().
std::vector<double> gradient_importance(const session::SequenceReader& reader, const session::Session& session,
                                        const std::string& bases, int64_t label,
                                        const session::KmerModel* kmers = nullptr);

/// In-silico mutagenesis (Zhou and Troyanskaya 2015): the logit minus the mean of the logits with the base changed to
/// each of the three others (for N: to each of the four). Each changed sequence is tokenised again. Three forward
/// passes per base, on the session's threads.
std::vector<double> mutagenesis_importance(const session::SequenceReader& reader, const session::Session& session,
                                           const std::string& bases, int64_t label,
                                           const session::KmerModel* kmers = nullptr);

}  // namespace bigdna::prediction
