#include "prediction/likelihood.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "context_mixing/past_mixer.h"
#include "io/side_file.h"
#include "model_folder/model_folder.h"
#include "prediction/likelihood_sink.h"
#include "session/session.h"
#include "session/stream.h"
#include "tokenizer/token_tree.h"

namespace bigdna::prediction {

std::vector<corpus::Example> masked_in_turn(const RecordPiece& piece, int64_t passes,
                                            const tokenizer::Vocabulary& vocabulary) {
  const auto whole = piece.example(vocabulary.special());
  std::vector<corpus::Example> inputs;
  for (int64_t pass = 0; pass < passes; ++pass) {
    auto input = whole;
    for (int64_t token = pass; token < piece.count; token += passes) {
      const int64_t position = piece.before + token + 1;
      auto& id = input.ids[static_cast<size_t>(position)];
      if (vocabulary.is_special(id) || vocabulary.contains_n(id)) continue;
      input.masked.push_back(static_cast<int32_t>(position));
      input.masked_labels.push_back(id);
      id = vocabulary.special().mask;
    }
    if (!input.masked.empty()) inputs.push_back(std::move(input));
  }
  return inputs;
}

corpus::Example predicted_in_order(const RecordPiece& piece, const tokenizer::Vocabulary& vocabulary) {
  auto input = piece.example(vocabulary.special());
  for (int64_t token = piece.before; token < piece.before + piece.count; ++token) {
    const auto id = input.ids[static_cast<size_t>(token + 1)];
    if (vocabulary.is_special(id) || vocabulary.contains_n(id)) continue;
    input.masked.push_back(static_cast<int32_t>(token));
    input.masked_labels.push_back(id);
  }
  return input;
}

namespace {

constexpr double kMaskFraction = 0.15;
constexpr int64_t kGroup = 8192;               // tokens that are scored together
constexpr int64_t kLogits = int64_t{1} << 25;  // that are kept together

/// Pieces with the bits of their tokens; NaN for tokens that have none.
struct ScoredPieces {
  std::vector<RecordPiece> pieces;
  std::vector<std::vector<float>> bits;
  std::vector<std::vector<tokenizer::TokenTree::Prediction>> predictions;  // to mix the past into; no steps: no bits
};

void score(ScoredPieces& group, const session::Session& session, int64_t passes,
           const tokenizer::Vocabulary& vocabulary) {
  std::vector<corpus::Example> inputs;
  std::vector<size_t> piece_of;
  const bool causal = session.config().is_causal();
  const auto add = [&](corpus::Example input, size_t piece) {
    inputs.push_back(std::move(input));
    piece_of.push_back(piece);
  };
  for (size_t i = 0; i < group.pieces.size(); ++i)
    if (causal)
      add(predicted_in_order(group.pieces[i], vocabulary), i);
    else
      for (auto& input : masked_in_turn(group.pieces[i], passes, vocabulary)) add(std::move(input), i);
  for (const auto& piece : group.pieces) group.bits.emplace_back(static_cast<size_t>(piece.count), NAN);
  const auto nats = session.masked_nats(inputs);
  for (size_t k = 0; k < inputs.size(); ++k)
    for (size_t m = 0; m < nats[k].size(); ++m)
      group.bits[piece_of[k]][static_cast<size_t>(inputs[k].masked[m] - group.pieces[piece_of[k]].before -
                                                  (causal ? 0 : 1))] = nats[k][m] / std::numbers::ln2_v<float>;
}

/// The bits of a causal model, and what it says of each step of each token.
void predict(ScoredPieces& group, const session::Session& session, const tokenizer::Vocabulary& vocabulary,
             const tokenizer::TokenTree& tree) {
  const int64_t most = std::max<int64_t>(kLogits / session.config().vocab_size, 1);
  size_t done = 0;
  while (done < group.pieces.size()) {
    std::vector<corpus::Example> inputs;
    int64_t tokens = 0;
    for (size_t i = done; i < group.pieces.size() && (inputs.empty() || tokens + group.pieces[i].count <= most); ++i) {
      inputs.push_back(predicted_in_order(group.pieces[i], vocabulary));
      tokens += group.pieces[i].count;
    }
    const auto all = session.masked_logits(inputs);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const auto& piece = group.pieces[done + k];
      auto& bits = group.bits.emplace_back(static_cast<size_t>(piece.count), NAN);
      auto& predictions = group.predictions.emplace_back(static_cast<size_t>(piece.count));
      for (size_t m = 0; m < inputs[k].masked.size(); ++m) {
        const auto token = static_cast<size_t>(inputs[k].masked[m] - piece.before);
        const auto size = static_cast<size_t>(session.config().vocab_size);
        predictions[token] = tree.predict(std::span(all[k]).subspan(m * size, size), inputs[k].masked_labels[m]);
        bits[token] = predictions[token].bits;
      }
    }
    done += inputs.size();
  }
}

/// Mixes what was read before into the bits of pieces, which come in the order of the input.
class Past {
 public:
  Past(const LikelihoodOptions& options, const tokenizer::Encoder& encoder)
      : tree_(encoder.vocabulary()), mixer_(encoder, tree_) {
    if (options.history.empty()) return;
    SequenceInput history = options.input;
    (history.regions.empty() ? history.fasta : history.regions) = options.history;
    uint64_t bases = 0;
    log::Progress progress("history", expected_bases(history), "bp");
    for_each_sequence(history, [&](std::string_view sequence) {
      mixer_.read(sequence), mixer_.end_record();
      progress.update(bases += sequence.size());
    });
  }
  const tokenizer::TokenTree& tree() const { return tree_; }
  void mix_into(ScoredPieces& group) {
    for (size_t i = 0; i < group.pieces.size(); ++i) mix_into(group.pieces[i], group.predictions[i], group.bits[i]);
  }
  nlohmann::ordered_json json() const {
    return {{"bits_without_copies", without_}, {"tokens_with_a_copy", mixer_.told()}, {"copies_right", mixer_.right()}};
  }
  double bits_without() const { return without_; }

 private:
  void mix_into(const RecordPiece& piece, std::span<const tokenizer::TokenTree::Prediction> predictions,
                std::vector<float>& bits) {
    const auto& encoding = piece.record->encoding;
    for (size_t i = 0; i < bits.size(); ++i) {
      const size_t at = static_cast<size_t>(piece.first) + i;
      if (!std::isnan(bits[i])) without_ += bits[i];
      const float mixed =
          mixer_.mix(encoding.ids[at], encoding.begins[at + 1] - encoding.begins[at], predictions[i].steps);
      if (!predictions[i].steps.empty()) bits[i] = predictions[i].outside + mixed;
    }
    if (piece.last) mixer_.end_record();
  }

  tokenizer::TokenTree tree_;
  context_mixing::PastMixer mixer_;
  double without_ = 0;
};

}  // namespace

void likelihood(const LikelihoodOptions& options) {
  const auto format = io::format_of(options.output, kLikelihoodFormats);
  const auto folder = model_folder::ModelFolder::open(options.model);
  io::refuse_shared_files({options.output, options.counts},
                          {options.input.fasta, options.input.regions, options.input.genome, options.history});
  io::refuse_outputs_in({options.output, options.counts}, {folder.path});
  folder.check_reads_sequences();
  if (!folder.config.has_mlm())
    fail(folder.path, ": is not a language model: it gives no probabilities of bases (bigdna pretrain makes one)");
  if (options.mask_fraction && folder.config.is_causal())
    throw UsageError(
        concat("--mask-fraction: ", folder.path, " is causal: it predicts each token from those before it"));
  if (format == io::Format::bigwig) require_sorted(options);
  if (options.copies && !folder.config.is_causal())
    throw UsageError(concat("--copies: ", folder.path, " is masked, and only causal models read tokens in order"));
  // Windows of attention are whole blocks: pieces that begin with one see what a longer input would show them.
  const int64_t block = options.overlap > 0 ? folder.config.pattern.block : 1;
  const int64_t overlap = (options.overlap + block - 1) / block * block;
  const PieceContext context{overlap, folder.config.is_causal() ? 0 : overlap, block};
  const int64_t longest = folder.config.max_length - 2;
  if (context.before + context.after + block > longest)
    throw UsageError(concat("--overlap ", options.overlap, ": ", folder.path, " reads no more than ", longest,
                            " tokens, in blocks of ", block));
  const session::Session session(folder, session::Placement(options.run));
  const tokenizer::Encoder encoder(folder.vocabulary);
  const auto passes = std::max<int64_t>(1, std::llround(1 / options.mask_fraction.value_or(kMaskFraction)));

  Pieces pieces(options.input, encoder, longest, Cut::even, context);
  std::optional<Past> past;
  if (options.copies) past.emplace(options, encoder);
  const auto provenance = io::Provenance().add("model", model_folder::name_and_md5(folder.path));
  const auto sink = make_likelihood_sink(options, provenance);
  io::SideFile counts(options.counts);
  log::Progress progress("likelihood", expected_bases(options.input), "bp");
  uint64_t bases = 0;
  session::stream(
      session.placement().streams(),
      [&]() -> std::optional<ScoredPieces> {
        ScoredPieces group{pieces.next(kGroup), {}, {}};
        if (group.pieces.empty()) return std::nullopt;
        return group;
      },
      [&](ScoredPieces&& group) {
        if (past)
          predict(group, session, folder.vocabulary, past->tree());
        else
          score(group, session, passes, folder.vocabulary);
        return std::move(group);
      },
      [&](ScoredPieces&& group) {
        if (past) past->mix_into(group);
        for (size_t i = 0; i < group.pieces.size(); ++i) {
          const auto& piece = group.pieces[i];
          sink->add(piece, group.bits[i]);
          bases += static_cast<uint64_t>(piece.bases());
        }
        progress.update(bases);
      });
  sink->commit(pieces.take_passed_over());
  const auto& [bits, scored, tokens] = sink->total();
  nlohmann::ordered_json all_counts{{"command", "likelihood"},
                                    {"records", pieces.records()},
                                    {"skipped", {{"no_bases", pieces.without_bases()}}},
                                    {"in_pieces", pieces.cut()},
                                    {"bases", bases},
                                    {"scored_bases", scored},
                                    {"bits", bits}};
  if (past) all_counts["copies"] = past->json();
  provenance.add_to(all_counts);
  counts.write(all_counts.dump(2) + "\n");
  if (pieces.cut())
    log::info(counted(pieces.cut(), "record is", "records are"), " longer than the model reads, read in pieces");
  log::info(counted(pieces.records() - pieces.without_bases(), "record"), ", ", counted(scored, "base"), ", ",
            tokens ? bits / static_cast<double>(scored) : 0, " bits per base");
  if (past && tokens)
    log::info("without copies ", past->bits_without() / static_cast<double>(scored), " bits per base");
}

}  // namespace bigdna::prediction
