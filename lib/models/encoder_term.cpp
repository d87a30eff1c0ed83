#include "models/encoder_term.h"

#include "session/stream.h"

namespace bigdna::models {

std::vector<corpus::Example> EncoderTerm::examples_of(std::span<Reading> readings) const {
  const auto& encoder = reader_.encoder();
  std::vector<tokenizer::Encoding> encodings(readings.size());  // of what others were made from
  std::vector<corpus::Example> examples;
  for (size_t i = 0; i < readings.size(); ++i) {
    Reading& reading = readings[i];
    if (!reading.tokens) {
      const std::string& bases = *reading.bases;
      encodings[i] = reading.original < 0 ? encoder.encode(bases)
                                          : encode_edited(encoder, encodings[static_cast<size_t>(reading.original)],
                                                          bases, reading.shared);
      reading.tokens = reader_.example(encodings[i], reading.reversed);
    }
    examples.push_back(*reading.tokens);
    examples.back().pooled = reading.pooled;
  }
  return examples;
}

namespace {
/// Leaves each its states.
void set_pooled(std::span<Reading> readings, const std::vector<float>& pooled) {
  const size_t columns = readings.empty() ? 0 : pooled.size() / readings.size();
  for (size_t i = 0; i < readings.size(); ++i)
    readings[i].pooled.assign(pooled.begin() + static_cast<int64_t>(i * columns),
                              pooled.begin() + static_cast<int64_t>((i + 1) * columns));
}
}  // namespace

std::vector<float> EncoderTerm::logits(std::span<Reading> readings) const {
  return session_.logits(examples_of(readings));
}

std::vector<float> EncoderTerm::pooled(std::span<Reading> readings) const {
  auto pooled = session_.pooled(examples_of(readings));
  set_pooled(readings, pooled);
  return pooled;
}

std::vector<float> EncoderTerm::text_means(std::span<Reading> readings) const {
  return session_.text_means(examples_of(readings));
}

namespace {
std::vector<corpus::Example> examples_of(const session::SequenceReader& reader, Sequences sequences, bool reversed) {
  std::vector<corpus::Example> examples;
  for (const auto& sequence : sequences) examples.push_back(reader.example(sequence, reversed));
  return examples;
}
}  // namespace

std::vector<float> all_pooled(const session::SequenceReader& reader, const session::Session& session,
                              Sequences sequences, bool reversed) {
  return session::in_chunks(
      sequences, session.config().pooled_size(), session.placement().streams(),
      [&](Sequences part) { return session.pooled(models::examples_of(reader, part, reversed)); });
}

}  // namespace bigdna::models
