/// How well a model predicts middles from both flanks (corpus/gaps.h), next to what it knows without one of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corpus/examples.h"
#include "corpus/gaps.h"
#include "mlm/mlm.h"
#include "session/session.h"
#include "tokenizer/encoder.h"

namespace bigdna::mlm {

/// Middles of the first stretches of epoch 0, of about `tokens` tokens together: a fixed set that evaluations score.
/// `options` are those of training's examples; none without gaps.
HeldOutGaps held_out_gaps(const std::shared_ptr<const corpus::Corpus>& validation,
                          const tokenizer::Vocabulary& vocabulary, corpus::ExampleOptions options, int64_t tokens);

/// Bits per base of all middles: held_out_gap_bpc, given both flanks and the length (session::GapScore::of_length);
/// held_out_gap_bpc_shuffled, between the flanks of the next middle; held_out_gap_bpc_left, given the left flank alone,
/// in plain order; held_out_gap_bpc_with_end, which pays for the length as well. The same on any number of threads.
std::map<std::string, double> gap_metrics(const session::Session& session, const HeldOutGaps& held_out);

}  // namespace bigdna::mlm
