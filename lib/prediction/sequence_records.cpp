#include "prediction/sequence_records.h"

#include <utility>

#include "base/error.h"
#include "dataset/table_rows.h"

namespace bigdna::prediction {

SequenceRecords::SequenceRecords(const std::string& path, genome::InvalidBases invalid, bool tables,
                                 const std::string& column)
    : invalid_(invalid) {
  if (!tables) {
    fasta_.emplace(path, invalid);
    return;
  }
  io::LineReader lines(path);
  const auto first = lines.next();
  std::string text(first.value_or(""));
  if (!first || text.starts_with('>') || text.empty()) {
    if (!column.empty())
      throw UsageError(concat("--sequence-column ", column, ": only for tables, and ", path, " is FASTA"));
    fasta_.emplace(std::move(lines), std::move(text), invalid);
    return;
  }
  table_.emplace(std::move(lines), std::move(text));
  sequence_ = dataset::place_of_column(*table_, column, "--sequence-column", {"sequence", "seq"});
  name_ = dataset::place_of_column(*table_, "", "", {"name", "id"});  // of two, the first in this order
  if (sequence_ < 0)
    fail(table_->path(), ":", table_->line(), ": neither FASTA nor a table with a column sequence (--sequence-column)");
}

std::optional<genome::FastaRecord> SequenceRecords::next() {
  if (fasta_) {
    auto record = fasta_->next_named();
    if (record) where_ = fasta_->where(*record);
    if (record && !record->bases.empty()) io::require_value(record->bases, "sequence", where_);
    return record;
  }
  auto fields = table_->next();
  if (!fields) return std::nullopt;
  ++row_;
  std::string name = name_ < 0 ? "" : std::move((*fields)[static_cast<size_t>(name_)]);
  if (name.empty()) name = concat("row", row_);
  genome::FastaRecord record{std::move(name), std::move((*fields)[static_cast<size_t>(sequence_)])};
  where_ = concat(table_->path(), ":", table_->line());
  io::require_value(record.bases, "sequence", where_);
  if (record.name.find_first_of("\t\n") != std::string::npos) fail(where_, ": the name contains a tab or a line end");
  genome::normalise(record.bases, invalid_, where_, record.name);
  return record;
}

}  // namespace bigdna::prediction
