#include "models/baselines.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "models/encoder_term.h"
#include "models/kmer_terms.h"
#include "models/network_term.h"

namespace bigdna::models {

void take_weights(std::span<double> logits, const Link& link) {
  for (size_t i = 0; i < logits.size(); ++i) logits[i] -= std::log(link.weights[i % link.weights.size()]);
}

Baselines::Baselines(const session::SequenceReader& reader, const session::Session& session, const Link& link,
                     const KmerModel* kmers)
    : link_(link),
      outputs_(session.config().labels),
      chunk_(session::kPredictionChunk),
      threads_(session.placement().streams()) {
  if (kmers) add("kmers", std::make_unique<KmerTerm>(*kmers, reader.anchor()));
  add("encoder", std::make_unique<EncoderTerm>(reader, session, /*keeps_pooled=*/false), /*counts_weights=*/true);
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
  add("network", std::make_unique<NetworkTerm>(std::move(network)));
  if (encoder) add("encoder", std::make_unique<FrozenEncoderTerm>(*encoder, *head, /*alone=*/true));
  if (!kernel) return;
  methods_.push_back({"kernel", Sum(outputs_)});
  auto& sum = methods_.back().sum;  // the encoder leaves its states, and adds nothing
  sum.add(std::make_unique<FrozenEncoderTerm>(*encoder, *head), std::vector<float>(head->labels(), 0));
  sum.add(std::make_unique<KernelTerm>(*kernel, anchor));
}

void Baselines::add(const std::string& name, std::unique_ptr<const Term> term, bool counts_weights) {
  methods_.push_back({name, Sum(outputs_), counts_weights});
  methods_.back().sum.add(std::move(term));
}

std::vector<double> Baselines::logits(const std::string& name, Sequences sequences, session::Strands strands,
                                      std::span<const float> pooled) const {
  if (name == "constant") return std::vector<double>(sequences.size() * static_cast<size_t>(outputs_), 0);
  const auto found = std::ranges::find(methods_, name, &Method::name);
  if (found == methods_.end()) fail("there is no ", name, " to score");
  const auto values = found->sum.all_logits(sequences, strands, threads_, pooled, chunk_);
  std::vector<double> all(values.begin(), values.end());
  if (found->counts_weights) take_weights(all, link_);
  return all;
}

std::vector<double> Baselines::predictions(const std::string& name, const Calibration& calibration, Sequences sequences,
                                           session::Strands strands) const {
  auto values = logits(name, sequences, strands);
  calibration.apply(values);
  link_.of_part(values, outputs_);
  return values;
}

}  // namespace bigdna::models
