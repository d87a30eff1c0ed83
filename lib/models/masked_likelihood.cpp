#include "models/masked_likelihood.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "genome/alphabet.h"

namespace bigdna::models {

namespace {

/// A form's tokens, and which of them are the changed part.
struct Form {
  tokenizer::Encoding encoding;
  int64_t first = 0, last = 0;  // half-open

  int64_t tokens() const { return static_cast<int64_t>(encoding.size()); }
  int64_t begin(int64_t token) const { return encoding.begins[static_cast<size_t>(token)]; }
  tokenizer::TokenId id(int64_t token) const { return encoding.ids[static_cast<size_t>(token)]; }
  int64_t changed() const { return last - first; }
};

/// Sets the changed part of both forms: what the same tokens on the left and on the right leave over.
void find_changed_part(Form& before, Form& after, const Change& change) {
  const int64_t fewest = std::min(before.tokens(), after.tokens());
  int64_t left = 0;
  while (left < fewest && before.id(left) == after.id(left) && before.begin(left + 1) <= change.at &&
         after.begin(left + 1) <= change.at)
    ++left;
  int64_t right = 0;
  while (left + right < fewest) {
    const int64_t of_before = before.tokens() - right - 1, of_after = after.tokens() - right - 1;
    if (before.id(of_before) != after.id(of_after) || before.begin(of_before) < change.at + change.before_length ||
        after.begin(of_after) < change.at + change.after_length)
      break;
    ++right;
  }
  // each form has a token to be scored, also where a deletion leaves none over
  if (left + right == fewest) left > 0 ? --left : right > 0 ? --right : 0;
  for (Form* form : {&before, &after}) form->first = left, form->last = form->tokens() - right;
}

/// For causal models: nothing is hidden, and the tokens from the changed part on are predicted.
corpus::Example predicted_form(const Form& form, int64_t before, int64_t behind,
                               const tokenizer::Vocabulary& vocabulary) {
  const auto& special = vocabulary.special();
  corpus::Example example;
  example.ids.push_back(special.cls);
  for (int64_t token = form.first - before; token < form.last + behind; ++token) {
    const auto id = form.id(token);
    if (token >= form.first && !vocabulary.is_special(id)) {
      example.masked.push_back(static_cast<int32_t>(example.ids.size()) - 1);
      example.masked_labels.push_back(id);
    }
    example.ids.push_back(id);
  }
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  return example;
}

corpus::Example hidden_form(const Form& form, int64_t before, int64_t behind, const tokenizer::Vocabulary& vocabulary) {
  const auto& special = vocabulary.special();
  corpus::Example example;
  example.ids.push_back(special.cls);
  for (int64_t token = form.first - before; token < form.last + behind; ++token) {
    const auto id = form.id(token);
    const bool hidden = token >= form.first && token < form.last && !vocabulary.is_special(id);
    if (hidden) {
      example.masked.push_back(static_cast<int32_t>(example.ids.size()));
      example.masked_labels.push_back(id);
    }
    example.ids.push_back(hidden ? special.mask : id);
  }
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  return example;
}

}  // namespace

Change reverse_complement(const Change& change) {
  Change other = change;
  genome::reverse_complement_in_place(other.before);
  genome::reverse_complement_in_place(other.after);
  other.at = std::ssize(change.before) - change.at - change.before_length;
  return other;
}

std::vector<corpus::Example> scored_forms(const session::SequenceReader& reader, const Change& change, bool causal) {
  Form before{reader.encoder().encode(change.before)}, after{reader.encoder().encode(change.after)};
  find_changed_part(before, after, change);
  const int64_t room = reader.max_length() - 2 - std::max(before.changed(), after.changed());
  if (room < 0) return {};
  const int64_t left = before.first, right = before.tokens() - before.last;
  const int64_t behind = std::min(right, std::max(room / 2, room - left)), in_front = std::min(left, room - behind);
  const auto& vocabulary = reader.encoder().vocabulary();
  const auto scored = causal ? predicted_form : hidden_form;
  return {scored(before, in_front, behind, vocabulary), scored(after, in_front, behind, vocabulary)};
}

std::vector<double> log_likelihood_ratios(const session::SequenceReader& reader, const session::Session& session,
                                          std::span<const Change> changes) {
  std::vector<double> ratios;
  std::vector<corpus::Example> examples;
  std::vector<size_t> of_change;  // that examples 2 k and 2 k + 1 are the forms of
  for (const auto& change : changes) {
    ratios.push_back(std::numeric_limits<double>::quiet_NaN());
    auto forms = scored_forms(reader, change, session.config().is_causal());
    if (forms.empty()) continue;
    of_change.push_back(ratios.size() - 1);
    for (auto& form : forms) examples.push_back(std::move(form));
  }
  const auto nats = session.masked_nats(examples);
  const auto sum = [](const std::vector<float>& of_tokens) {
    return std::accumulate(of_tokens.begin(), of_tokens.end(), 0.0);
  };
  for (size_t k = 0; k < of_change.size(); ++k) ratios[of_change[k]] = sum(nats[2 * k]) - sum(nats[2 * k + 1]);
  return ratios;
}

}  // namespace bigdna::models
