#include "task_model/baselines.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "genome/alphabet.h"
#include "session/stream.h"

namespace bigdna::task_model {

void take_weights(std::span<double> logits, const Answers& answers) {
  for (size_t i = 0; i < logits.size(); ++i) logits[i] -= std::log(answers.weights[i % answers.weights.size()]);
}

std::vector<float> kmer_logits(const KmerModel& kmers, std::span<const std::string> sequences, double anchor,
                               int threads) {
  return session::in_chunks(sequences, static_cast<int64_t>(kmers.labels()), threads,
                            [&](std::span<const std::string> part) {
                              std::vector<float> all;
                              for (const auto& bases : part) {
                                const auto row = kmers.logits(bases, anchor);
                                all.insert(all.end(), row.begin(), row.end());
                              }
                              return all;
                            });
}

std::vector<double> of_strands(
    std::span<const std::string> sequences, session::Strands strands,
    const std::function<std::vector<double>(const std::vector<std::string>&, bool reversed)>& predictions) {
  std::vector<std::string> bases(sequences.begin(), sequences.end());
  auto all = predictions(bases, false);
  if (strands != session::Strands::average) return all;
  for (auto& sequence : bases) genome::reverse_complement_in_place(sequence);
  const auto other = predictions(bases, true);
  for (size_t i = 0; i < all.size(); ++i) all[i] = (all[i] + other[i]) / 2;
  return all;
}

std::vector<double> Baselines::logits(const std::string& name, std::span<const std::string> sequences, bool reversed,
                                      std::span<const float> pooled) const {
  const auto labels = session_.config().labels;
  if (name == "constant") return std::vector<double>(sequences.size() * static_cast<size_t>(labels), 0);
  if (name == "kmers" && !kmers_) fail("there are no k-mers to score");
  const auto of_session = [&](std::span<const std::string> part) {
    const auto columns = static_cast<size_t>(session_.config().pooled_size());
    const auto first = static_cast<size_t>(part.data() - sequences.data());
    std::vector<corpus::Example> examples;
    for (size_t i = 0; i < part.size(); ++i) {
      examples.push_back(reader_.example(part[i], reversed));
      if (pooled.empty()) continue;
      const auto states = pooled.subspan((first + i) * columns, columns);
      examples.back().pooled.assign(states.begin(), states.end());
    }
    return name == "cnn" ? session_.cnn_logits(std::move(examples)) : session_.logits(std::move(examples));
  };
  const int threads = session_.placement().streams();
  const double anchor = reversed ? 1 - reader_.anchor() : reader_.anchor();
  const auto values = name == "kmers" ? kmer_logits(*kmers_, sequences, anchor, threads)
                                      : session::in_chunks(sequences, labels, threads, of_session);
  std::vector<double> all(values.begin(), values.end());
  if (name == "encoder") take_weights(all, answers_);
  return all;
}

std::vector<double> Baselines::predictions(const std::string& name, const Calibration& calibration,
                                           std::span<const std::string> sequences, session::Strands strands) const {
  return of_strands(sequences, strands, [&](const std::vector<std::string>& strand, bool reversed) {
    auto values = logits(name, strand, reversed);
    calibration.apply(values);
    answers_.of_part(values, session_.config().labels);
    return values;
  });
}

}  // namespace bigdna::task_model
