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
#include "genome/bigwig.h"
#include "io/row_writer.h"
#include "io/side_file.h"
#include "model_folder/model_folder.h"
#include "models/model.h"
#include "session/session.h"
#include "session/stream.h"

namespace bigdna::prediction {

std::vector<corpus::Example> masked_in_turn(const Piece& piece, int64_t passes,
                                            const tokenizer::Vocabulary& vocabulary) {
  const auto whole = piece.example(vocabulary.special());
  std::vector<corpus::Example> inputs;
  for (int64_t pass = 0; pass < passes; ++pass) {
    auto input = whole;
    for (int64_t token = pass; token < piece.count; token += passes) {
      auto& id = input.ids[static_cast<size_t>(token + 1)];
      if (vocabulary.is_special(id) || vocabulary.contains_n(id)) continue;
      input.masked.push_back(static_cast<int32_t>(token + 1));
      input.masked_labels.push_back(id);
      id = vocabulary.special().mask;
    }
    if (!input.masked.empty()) inputs.push_back(std::move(input));
  }
  return inputs;
}

namespace {

constexpr int64_t kGroup = 8192;  // tokens that are scored together

/// Pieces with the bits of their tokens; NaN for tokens that have none.
struct ScoredPieces {
  std::vector<Piece> pieces;
  std::vector<std::vector<float>> bits;
};

void score(ScoredPieces& group, const session::Session& session, int64_t passes,
           const tokenizer::Vocabulary& vocabulary) {
  std::vector<corpus::Example> inputs;
  std::vector<size_t> piece_of;
  for (size_t i = 0; i < group.pieces.size(); ++i)
    for (auto& input : masked_in_turn(group.pieces[i], passes, vocabulary)) {
      inputs.push_back(std::move(input));
      piece_of.push_back(i);
    }
  for (const auto& piece : group.pieces) group.bits.emplace_back(static_cast<size_t>(piece.count), NAN);
  const auto nats = session.masked_nats(inputs);
  for (size_t k = 0; k < inputs.size(); ++k)
    for (size_t m = 0; m < nats[k].size(); ++m)
      group.bits[piece_of[k]][static_cast<size_t>(inputs[k].masked[m] - 1)] = nats[k][m] / std::numbers::ln2_v<float>;
}

/// Takes the bits of pieces in the order of the input.
class LikelihoodSink {
 public:
  virtual ~LikelihoodSink() = default;
  virtual void add(const Piece& piece, std::span<const float> bits) = 0;
  virtual void commit() = 0;
};

class LikelihoodRows : public LikelihoodSink {
 public:
  LikelihoodRows(const LikelihoodOptions& options, io::Format format, io::Provenance provenance) : each_(options.each) {
    io::Table table{.name = "likelihood",
                    .columns = {{.name = "name", .array = "record", .labels = "names"}},
                    .provenance = std::move(provenance)};
    for (const char* name : {"start", "end"}) table.columns.push_back({name});
    table.columns.push_back({each_ == Each::record ? "tokens" : "token"});
    if (each_ == Each::record) table.columns.push_back({"scored_bases"});
    table.columns.push_back({.name = "bits", .block = {"bits"}});
    table.columns.push_back({.name = "bits_per_base", .block = {"bits_per_base"}});
    writer_ = io::make_row_writer(options.output, format, std::move(table));
  }

  void add(const Piece& piece, std::span<const float> bits) override {
    for (const auto& name : piece.first == 0 ? piece.record->before : std::vector<std::string>()) pass_over(name);
    for (int64_t i = 0; i < piece.count; ++i) {
      const auto token = static_cast<size_t>(piece.first + i);
      const auto& encoding = piece.record->encoding;
      const int64_t start = encoding.begins[token], end = encoding.begins[token + 1];
      const float value = bits[static_cast<size_t>(i)];
      if (each_ == Each::token) row(piece, {start, end, encoding.ids[token]}, value, end - start);
      if (!std::isnan(value)) bits_ += value, bases_ += end - start, ++tokens_;
    }
    if (!piece.last) return;
    if (each_ == Each::record)
      row(piece, {0, piece.record->bases, tokens_, bases_}, bases_ ? static_cast<float>(bits_) : NAN, bases_);
    bits_ = 0, bases_ = tokens_ = 0;
    next_ = piece.record->number + 1;
  }
  void pass_over(const std::string& name) { writer_->label(0, {name, next_++}); }
  void commit() override { writer_->commit(); }

 private:
  void row(const Piece& piece, const std::vector<int64_t>& numbers, float bits, int64_t bases) {
    const float per_base = bits / static_cast<float>(bases);
    std::vector<io::Cell> cells{io::Label{piece.record->name, piece.record->number}};
    for (const int64_t number : numbers) cells.emplace_back(number);
    cells.emplace_back(std::span(&bits, 1));
    cells.emplace_back(std::span(&per_base, 1));
    writer_->row(cells);
  }

  Each each_;
  std::unique_ptr<io::RowWriter> writer_;
  double bits_ = 0;  // of the record so far, as are:
  int64_t bases_ = 0, tokens_ = 0;
  int64_t next_ = 0;  // the number of the next record
};

class LikelihoodTrack : public LikelihoodSink {
 public:
  explicit LikelihoodTrack(const LikelihoodOptions& options)
      : writer_(options.output, genome::Genome(options.input.genome, options.input.invalid_bases).contigs()) {}

  void add(const Piece& piece, std::span<const float> bits) override {
    const auto& region = *piece.record->region;
    const auto& begins = piece.record->encoding.begins;
    const bool backward = region.strand == '-';
    for (int64_t i = 0; i < piece.count; ++i) {
      const auto token = static_cast<size_t>(piece.first + i);
      const int64_t from = begins[token], to = begins[token + 1];
      if (const float value = bits[static_cast<size_t>(i)]; !std::isnan(value) && from < to)
        values_.push_back({backward ? region.end - to : region.start + from,
                           backward ? region.end - from : region.start + to, value / static_cast<float>(to - from)});
    }
    if (!piece.last) return;
    if (backward) std::ranges::reverse(values_);
    for (const auto& value : values_) writer_.add(region.contig, value.start, value.end, value.bits);
    values_.clear();
  }
  void commit() override { writer_.commit(); }

 private:
  struct Value {
    int64_t start, end;
    float bits;
  };
  genome::BigWigWriter writer_;
  std::vector<Value> values_;  // of the region so far
};

}  // namespace

void likelihood(const LikelihoodOptions& options) {
  const auto format = io::format_of(options.output, kLikelihoodFormats);
  const auto folder = model_folder::ModelFolder::open(options.model);
  io::refuse_shared_files({options.output, options.counts},
                          {options.input.fasta, options.input.regions, options.input.genome});
  io::refuse_outputs_in({options.output, options.counts}, {folder.path});
  folder.check_reads_sequences();
  if (!folder.config.has_mlm())
    fail(folder.path, ": is not a language model: it gives no probabilities of bases (bigdna pretrain makes one)");
  const session::Session session(folder, session::Placement(options.run));
  const tokenizer::Encoder encoder(folder.vocabulary);
  const auto passes = std::max<int64_t>(1, std::llround(1 / options.mask_fraction));

  Pieces pieces(options.input, encoder, folder.config.max_length - 2, Cut::even);
  const auto provenance = io::Provenance().add("model", models::name_and_md5(folder));
  std::unique_ptr<LikelihoodSink> sink;
  if (format == io::Format::bigwig)
    sink = std::make_unique<LikelihoodTrack>(options);
  else
    sink = std::make_unique<LikelihoodRows>(options, format, provenance);
  io::SideFile counts(options.counts);
  log::Progress progress("likelihood", expected_bases(options.input), "bp");
  uint64_t bases = 0, scored = 0;
  double bits = 0;
  session::stream(
      session.placement().streams(),
      [&]() -> std::optional<ScoredPieces> {
        ScoredPieces group{pieces.next(kGroup), {}};
        if (group.pieces.empty()) return std::nullopt;
        return group;
      },
      [&](ScoredPieces&& group) {
        score(group, session, passes, folder.vocabulary);
        return std::move(group);
      },
      [&](ScoredPieces&& group) {
        for (size_t i = 0; i < group.pieces.size(); ++i) {
          const auto& piece = group.pieces[i];
          sink->add(piece, group.bits[i]);
          bases += static_cast<uint64_t>(piece.bases());
          const auto& begins = piece.record->encoding.begins;
          for (int64_t k = 0; k < piece.count; ++k) {
            const auto token = static_cast<size_t>(piece.first + k);
            if (const float value = group.bits[i][static_cast<size_t>(k)]; !std::isnan(value))
              bits += value, scored += static_cast<uint64_t>(begins[token + 1] - begins[token]);
          }
        }
        progress.update(bases);
      });
  sink->commit();
  nlohmann::ordered_json all_counts{{"command", "likelihood"},
                                    {"records", pieces.records()},
                                    {"skipped", {{"no_bases", pieces.without_bases()}}},
                                    {"in_pieces", pieces.cut()},
                                    {"bases", bases},
                                    {"scored_bases", scored},
                                    {"bits", bits}};
  provenance.add_to(all_counts);
  counts.write(all_counts.dump(2) + "\n");
  if (pieces.cut())
    log::info(counted(pieces.cut(), "record is", "records are"), " longer than the model reads, read in pieces");
  log::info(counted(pieces.records() - pieces.without_bases(), "record"), ", ", counted(scored, "base"), ", ",
            scored ? bits / static_cast<double>(scored) : 0, " bits per base");
}

}  // namespace bigdna::prediction
