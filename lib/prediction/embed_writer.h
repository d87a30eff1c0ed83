/// Writes rows of float32 numbers with their origin, as TSV, .npy or .safetensors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "prediction/embed_options.h"

namespace bigdna::prediction {

/// The origin of a row. start and end are 0-based and half-open, within the record (for a region: along its strand).
struct RowOrigin {
  std::string_view name;
  int64_t record = 0;  // index in the input, from 0
  int64_t start = 0, end = 0;
  int32_t token = -1;  // id; -1 for rows of records
};

/// The files that are written: `path`, and for npy STEM.rows.tsv.
std::vector<std::string> embed_outputs(const std::string& path, EmbedFormat format);

/// tsv: "#name start end [token] v0 v1 ...". npy: the matrix, and beside it STEM.rows.tsv with the columns that precede
/// the numbers in the TSV. safetensors: embeddings [rows, width], record, start, end [rows] (int64), token [rows]
/// (int32, for tokens and bases), and the records' names, one per line, in the metadata under "names". Rows are
/// streamed (through an unnamed file beside the output for npy and safetensors): only the names for safetensors stay in
/// memory.
class EmbedWriter {
 public:
  EmbedWriter(const std::string& path, EmbedFormat format, int64_t width, bool tokens);
  ~EmbedWriter();
  void record(std::string_view name);  // once for each record, in order
  void row(const RowOrigin& origin, std::span<const float> values);
  void commit();
  int64_t rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::prediction
