#include "models/sum.h"

#include <algorithm>

#include "genome/alphabet.h"
#include "models/encoder_term.h"
#include "session/stream.h"

namespace bigdna::models {

void Sum::add(std::unique_ptr<const Term> term, std::vector<float> weight) {
  terms_.push_back({std::move(term), std::move(weight)});
}

std::vector<std::string> Sum::names() const {
  std::vector<std::string> names;
  for (const auto& summand : terms_) names.emplace_back(summand.term->name());
  return names;
}

std::vector<float> Sum::add_up(const auto& of_term, size_t rows, Contributions* parts) const {
  std::vector<float> sum(rows * outputs_, 0);
  if (parts) parts->clear();
  for (size_t t = 0; t < terms_.size(); ++t) {
    auto logits = of_term(*terms_[t].term);
    if (const auto& weight = terms_[t].weight; !weight.empty())
      for (size_t i = 0; i < logits.size(); ++i) logits[i] *= weight[i % outputs_];
    if (parts) parts->emplace_back(logits.begin(), logits.end());
    if (t == 0)
      sum = std::move(logits);
    else
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += logits[i];
  }
  return sum;
}

std::vector<float> Sum::logits(std::span<Reading> readings, Contributions* parts) const {
  return add_up([&](const Term& term) { return term.logits(readings); }, readings.size(), parts);
}

std::vector<float> Sum::logits(Sequences sequences, session::Strands strands, Contributions* parts) const {
  auto forward = readings_of(sequences);
  if (strands != session::Strands::average) return logits(forward, parts);
  std::vector<std::string> reversed;
  for (const auto& sequence : sequences) reversed.push_back(genome::reverse_complement(sequence));
  auto reverse = readings_of(reversed, /*reversed=*/true);
  return add_up([&](const Term& term) { return term.mean_of_strands(forward, reverse); }, sequences.size(), parts);
}

std::vector<float> Sum::all_logits(Sequences sequences, session::Strands strands, int threads,
                                   std::span<const float> pooled, int64_t chunk) const {
  const size_t columns = sequences.empty() ? 0 : pooled.size() / sequences.size();
  return session::in_chunks(
      sequences, static_cast<int64_t>(outputs_), threads,
      [&](Sequences part) {
        if (pooled.empty()) return logits(part, strands);
        auto readings = readings_of(part);
        const auto first = static_cast<size_t>(part.data() - sequences.data());
        for (size_t i = 0; i < readings.size(); ++i) {
          const auto states = pooled.subspan((first + i) * columns, columns);
          readings[i].pooled.assign(states.begin(), states.end());
        }
        return logits(readings);
      },
      chunk);
}

Sum encoder_sum(const session::SequenceReader& reader, const session::Session& session) {
  Sum sum(session.config().labels);
  sum.add(std::make_unique<EncoderTerm>(reader, session));
  return sum;
}

}  // namespace bigdna::models
