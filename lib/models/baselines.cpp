#include "models/baselines.h"

#include <algorithm>

#include "base/error.h"
#include "models/frozen_encoder.h"
#include "models/kmer_terms.h"
#include "models/network_term.h"

namespace bigdna::models {

Baselines::Baselines(int64_t outputs, int threads, const Link& link, const KmerModel* kmers, double anchor)
    : link_(link), outputs_(outputs), chunk_(session::kPredictionChunk), threads_(threads) {
  if (kmers) add("kmers", std::make_unique<KmerTerm>(*kmers, anchor));
}

Baselines::Baselines(std::shared_ptr<const Network> network, const Link& link, const KmerModel* kmers, double anchor,
                     const std::vector<int64_t>& other_strand, const FrozenEncoder* encoder, const EncoderHead* head,
                     const KmerModel* kernel)
    : link_(link),
      outputs_(network->config().labels),
      chunk_(Network::chunk(network->config())),
      threads_(network->placement().streams()) {
  if (kmers)
    add("kmers", std::make_unique<KmerTerm>(*kmers, anchor, other_strand,
                                            network->config().pooled ? 0 : network->config().context()));
  if (network->config().networks > 0) add("network", std::make_unique<NetworkTerm>(std::move(network)));
  if (encoder) add("encoder", std::make_unique<FrozenEncoderTerm>(*encoder, *head, /*alone=*/true));
  if (!kernel) return;
  methods_.push_back({"kernel", Sum(outputs_)});
  auto& sum = methods_.back().sum;  // the encoder leaves its states, and adds nothing
  sum.add(std::make_unique<FrozenEncoderTerm>(*encoder, *head), std::vector<float>(head->labels(), 0));
  sum.add(std::make_unique<KernelTerm>(*kernel, anchor, /*alone=*/true));
}

void Baselines::add(const std::string& name, std::unique_ptr<const Term> term) {
  methods_.push_back({name, Sum(outputs_)});
  methods_.back().sum.add(std::move(term));
}

std::vector<double> Baselines::predictions(const std::string& name, const Calibration& calibration, Sequences sequences,
                                           session::Strands strands) const {
  // of "constant" 0: its calibration says all
  std::vector<double> values(sequences.size() * static_cast<size_t>(outputs_), 0);
  if (name != "constant") {
    const auto found = std::ranges::find(methods_, name, &Method::name);
    if (found == methods_.end()) fail("there is no ", name, " to score");
    const auto logits = found->sum.all_logits(sequences, strands, threads_, {}, chunk_);
    values.assign(logits.begin(), logits.end());
  }
  calibration.apply(values);
  link_.of_part(values, outputs_);
  return values;
}

}  // namespace bigdna::models
