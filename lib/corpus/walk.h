/// The walk over genomes (contigs x passes x documents), from which vocabularies and corpora are made.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "corpus/sampler.h"
#include "genome/contigs.h"
#include "genome/fasta.h"

namespace bigdna::corpus {

struct Survey;

/// Which sequences are read, and how.
struct GenomeFiles {
  std::vector<std::string> fastas;  // plain, gzip, BGZF, xz, "-" for stdin
  std::string contigs = "primary";  // genome::ContigFilter
  genome::InvalidBases invalid_bases = genome::InvalidBases::error;
  int threads = 1;  // at most two of them decompress BGZF
};

/// The chosen contigs in file order, one in memory at a time.
class ContigReader {
 public:
  /// With a survey (corpus/survey.h; kept by reference) it returns the survey's contigs: from memory if they were kept,
  /// else from the files, with an Error if one has changed since. Other errors are FastaReader's.
  explicit ContigReader(GenomeFiles files, const Survey* survey = nullptr);
  std::optional<genome::FastaRecord> next();
  const std::vector<genome::Contig>& contigs() const { return contigs_; }  // returned so far
  const std::vector<std::string>& left_out() const { return left_out_; }   // names that --contigs leaves out, so far

 private:
  std::optional<genome::FastaRecord> decode();

  const GenomeFiles files_;
  const genome::ContigFilter chosen_;
  const Survey* survey_;
  size_t file_ = 0;
  std::optional<genome::FastaReader> reader_;
  std::vector<genome::Contig> contigs_;
  std::vector<std::string> left_out_;
};

/// A document of the walk: its intervals, and the contig that it is to be cut from.
struct WalkedDocument {
  struct Contig {
    uint32_t row;  // 0-based index among the chosen contigs
    genome::FastaRecord record;
  };
  std::shared_ptr<const Contig> contig;
  uint64_t index;  // 0-based, among the contig's documents
  bool training;   // false: from the held-out intervals
  int pass;
  DocumentPlan plan;
};

/// Every document of the genome: for each contig its passes over the training intervals, then one over the held-out
/// intervals, from their first base. A pure function of the sequences and the options.
class Walk {
 public:
  /// A null `training` stands for all of each contig, a null `held_out` for nothing. Both are kept by reference.
  Walk(ContigReader contigs, const SamplerOptions& sampler, const genome::IntervalSet* training,
       const genome::IntervalSet* held_out);
  /// nullopt at the end.
  std::optional<WalkedDocument> next();
  const ContigReader& contigs() const { return contigs_; }

 private:
  bool plan_pass();

  ContigReader contigs_;
  const SamplerOptions sampler_;
  const genome::IntervalSet *training_, *held_out_;
  std::shared_ptr<const WalkedDocument::Contig> contig_;
  int pass_ = 0;          // the next pass over contig_
  uint64_t planned_ = 0;  // documents of contig_ so far
  std::deque<WalkedDocument> pending_;
};

}  // namespace bigdna::corpus
