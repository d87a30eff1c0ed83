#include "prediction/embed.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/row_writer.h"
#include "io/side_file.h"
#include "model_folder/model_folder.h"
#include "model_folder/stack.h"
#include "prediction/pieces.h"
#include "session/session.h"
#include "session/stream.h"
#include "tokenizer/encoder.h"

namespace bigdna::prediction {
namespace {

constexpr int64_t kCpuGroup = 8192;  // tokens

/// Pieces that are computed together: enough for two batches on a GPU; fewer on CPUs, where each thread has its own
/// group.
struct Group {
  std::vector<RecordPiece> pieces;
  std::vector<at::Tensor> states;  // of each piece, [CLS] and [SEP] included
};

/// Makes rows from the pieces' hidden states.
class Pooler {
 public:
  Pooler(Pool pool, io::RowWriter& writer, int64_t hidden)
      : pool_(pool), writer_(writer), sum_(static_cast<size_t>(hidden)) {}
  int64_t count() const { return count_; }  // of rows

  /// Records that get no row have a place among the records nonetheless.
  void add_without_rows(const std::vector<std::string>& names) {
    for (const auto& name : names) writer_.label(0, {name, next_++});
  }
  void add(const RecordPiece& piece, const at::Tensor& states) {
    if (piece.first == 0) {
      add_without_rows(piece.record->before);
      next_ = piece.record->number + 1;
    }
    if (pool_ == Pool::token || pool_ == Pool::base) return rows(piece, states);
    const int64_t first = pool_ == Pool::cls ? 0 : 1, count = pool_ == Pool::cls ? 1 : piece.count;
    const at::Tensor total = states.narrow(0, first, count).sum(0, false, at::kDouble);
    for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += total.const_data_ptr<double>()[i];
    summed_ += count;
    if (!piece.last) return;
    std::vector<float> mean;
    for (double& value : sum_) mean.push_back(static_cast<float>(value / static_cast<double>(summed_))), value = 0;
    summed_ = 0;
    row(*piece.record, 0, piece.record->bases, {}, mean);
  }

 private:
  void rows(const RecordPiece& piece, const at::Tensor& states) {
    const auto& encoding = piece.record->encoding;
    const auto width = static_cast<size_t>(states.size(1));
    for (int64_t i = 0; i < piece.count; ++i) {
      const auto token = static_cast<size_t>(piece.first + i);
      const std::span values(states.const_data_ptr<float>() + static_cast<size_t>(i + 1) * width, width);
      const int64_t start = encoding.begins[token], end = encoding.begins[token + 1], id = encoding.ids[token];
      if (pool_ == Pool::token) {
        row(*piece.record, start, end, id, values);
        continue;
      }
      for (int64_t base = start; base < end; ++base) row(*piece.record, base, base + 1, id, values);
    }
  }
  void row(const Record& record, int64_t start, int64_t end, std::optional<int64_t> token,
           std::span<const float> values) {
    cells_ = {io::Label{record.name, record.number}, start, end};
    if (token) cells_.emplace_back(*token);
    cells_.emplace_back(values);
    writer_.row(cells_);
    ++count_;
  }

  Pool pool_;
  io::RowWriter& writer_;
  std::vector<io::Cell> cells_;
  int64_t count_ = 0, next_ = 0;  // next_: the number of the next record
  std::vector<double> sum_;
  int64_t summed_ = 0;
};

io::OutputTable table_of(const EmbedOptions& options, int64_t hidden, io::Provenance provenance) {
  io::OutputTable table{.name = "embed",
                        .columns = {{.name = "name", .array = "record", .labels = "names"}, {"start"}, {"end"}},
                        .provenance = std::move(provenance)};
  if (options.pool == Pool::token || options.pool == Pool::base) table.columns.push_back({"token"});
  table.columns.push_back({.name = "vI", .block = {}, .array = "embeddings"});
  for (int64_t i = 0; i < hidden; ++i) table.columns.back().block.push_back(concat("v", i));
  return table;
}

}  // namespace

void embed(const EmbedOptions& options) {
  const auto folder = model_folder::ModelFolder::open(options.model);
  auto outputs = io::table_files(options.output, options.format);
  outputs.push_back(options.counts);
  io::refuse_shared_files(outputs, {options.input.fasta, options.input.regions, options.input.genome});
  io::refuse_outputs_in(outputs, {folder.path});
  folder.check_reads_sequences();
  if (options.pool == Pool::cls && folder.config.is_causal())
    throw UsageError(concat("--pool cls: ", folder.path, " is causal, so its [CLS] reads nothing but itself"));
  const auto& special = folder.vocabulary.special();
  if (const int64_t layers = model_folder::layer_runs(folder.config); options.layer > layers)
    throw UsageError(concat("--layer ", options.layer, ": the model has ", layers, " layers",
                            layers > folder.config.layers ? ", counted in each step" : ""));
  const int64_t positions = folder.config.max_length;
  const int64_t longest = (options.max_length ? std::min(options.max_length, positions) : positions) - 2;
  if (longest < 1) throw UsageError("--max-length must leave room for [CLS], a token and [SEP]");
  if (options.max_length > positions)
    log::warn("--max-length ", options.max_length, ": ", folder.path, " can read only ", positions,
              " tokens at once, so these are read");
  const session::Session session(folder, session::Placement(options.run));
  const tokenizer::Encoder encoder(folder.vocabulary);

  Pieces pieces(options.input, encoder, longest);
  const auto provenance = io::Provenance().add("model", model_folder::name_and_md5(folder.path));
  const auto writer =
      io::make_row_writer(options.output, options.format, table_of(options, folder.config.hidden, provenance));
  io::SideFile counts(options.counts);
  Pooler pooler(options.pool, *writer, folder.config.hidden);
  log::Progress progress("embed", expected_bases(options.input), "bp");
  uint64_t tokens = 0, bases = 0;
  const int64_t group_tokens = session.placement().device.is_cpu() ? kCpuGroup : 2 * options.run.batch_tokens;
  session::stream(
      session.placement().streams(),
      [&]() -> std::optional<Group> {
        Group group{pieces.next(group_tokens), {}};
        if (group.pieces.empty()) return std::nullopt;
        return group;
      },
      [&](Group&& group) {
        std::vector<corpus::Example> examples;
        for (const auto& piece : group.pieces) examples.push_back(piece.example(special));
        group.states = session.hidden(std::move(examples), options.layer);
        return std::move(group);
      },
      [&](Group&& group) {
        for (size_t i = 0; i < group.pieces.size(); ++i) {
          pooler.add(group.pieces[i], group.states[i]);
          tokens += static_cast<uint64_t>(group.pieces[i].count);
          bases += static_cast<uint64_t>(group.pieces[i].bases());
        }
        progress.update(bases);
      });
  pooler.add_without_rows(pieces.take_passed_over());
  writer->commit();
  nlohmann::ordered_json all_counts{{"command", "embed"},
                                    {"records", pieces.records()},
                                    {"rows", pooler.count()},
                                    {"skipped", {{"no_bases", pieces.without_bases()}}},
                                    {"in_pieces", pieces.cut()}};
  provenance.add_to(all_counts);
  counts.write(all_counts.dump(2) + "\n");
  if (pieces.cut())
    log::info(counted(pieces.cut(), "record is", "records are"), " longer than ", longest, " tokens, read in pieces");
  log::info(counted(pieces.records() - pieces.without_bases(), "record"), ", ", counted(tokens, "token"), ", ",
            counted(pooler.count(), "row"), " of ", folder.config.hidden);
}

}  // namespace bigdna::prediction
