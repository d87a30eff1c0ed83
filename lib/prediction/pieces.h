/// Records of a FASTA or regions of a genome, tokenised and cut into pieces that a model of tokens can read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/example.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "prediction/sequence_input.h"
#include "tokenizer/encoder.h"

namespace bigdna::prediction {

/// The bases of all records or regions, for progress; 0 if that is not known: of a pipe, and of an input with an error,
/// which is reported where it is met.
uint64_t expected_bases(const SequenceInput& input);

/// The bases of each record or region, along its strand, in the order of the input.
void for_each_sequence(const SequenceInput& input, const std::function<void(std::string_view)>& read);

struct Record {
  std::string name;
  int64_t number = 0, bases = 0;    // number: in the input
  std::vector<std::string> before;  // names of the records without bases between the one before it and this one
  tokenizer::Encoding encoding;
  std::optional<genome::Region> region{};  // with regions: where in the genome, by its name of the contig
};

/// Consecutive tokens of a record that the model reads together.
struct RecordPiece {
  std::shared_ptr<const Record> record;
  int64_t first = 0, count = 0;
  bool last = false;
  int64_t before = 0, after = 0;  // further tokens of the record that are read around it, for context
  int64_t bases() const {
    const auto& begins = record->encoding.begins;
    return begins[static_cast<size_t>(first + count)] - begins[static_cast<size_t>(first)];
  }
  /// [CLS] tokens [SEP], with those around the piece. Token `first` stands at position before + 1.
  corpus::Example example(const tokenizer::SpecialTokens& special) const;
};

/// How a record that is too long is cut: into as many tokens as the model reads and a rest, or into pieces of one size.
enum class Cut { longest, even };

/// How many tokens around a piece are read with it, as far as the record goes. Pieces then begin at multiples of
/// `block`.
struct PieceContext {
  int64_t before = 0, after = 0, block = 1;
};

class Pieces {
 public:
  /// `input`: a FASTA, or a BED and its genome. `longest`: the most tokens of a piece, with those of its context, which
  /// are fewer. `encoder` must outlive this.
  Pieces(const SequenceInput& input, const tokenizer::Encoder& encoder, int64_t longest, Cut cut = Cut::longest,
         PieceContext context = {});
  /// The next piece, in the order of the input.
  std::optional<RecordPiece> next();
  /// The next pieces, of `tokens` tokens together, or a few more; none at the end.
  std::vector<RecordPiece> next(int64_t tokens);
  int64_t records() const { return number_; }
  /// The names of the records without bases behind the last piece.
  std::vector<std::string> take_passed_over();
  int64_t cut() const { return cut_; }
  int64_t without_bases() const { return without_bases_; }

 private:
  bool read(std::string& name, std::string& bases, std::string& where, std::optional<genome::Region>& place);

  const tokenizer::Encoder& encoder_;
  Cut how_;
  PieceContext context_;
  int64_t longest_, number_ = 0, next_ = 0, size_ = 0, cut_ = 0, without_bases_ = 0;
  bool strict_;
  std::optional<genome::FastaReader> fasta_;
  std::optional<genome::Genome> genome_;
  std::optional<genome::BedReader> bed_;
  genome::MissingStrands strands_;
  std::vector<std::string> passed_over_;
  std::shared_ptr<const Record> record_;
};

}  // namespace bigdna::prediction
