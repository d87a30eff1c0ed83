/// Writes annotated variants: as VCF and BCF, or as a table of alleles in any format that holds rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset/features.h"
#include "genome/signals.h"
#include "io/formats.h"
#include "io/provenance.h"
#include "variants/allele.h"
#include "variants/effects.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// Removes the indexes (.csi, .tbi) of a file that has just been replaced.
void remove_indexes(const std::string& path);
/// Writes the index (.csi) of a complete .vcf.gz or .bcf. Error if its records are not sorted.
void write_index(const std::string& path, int threads);

/// One alternative allele with its results.
struct ScoredAllele {
  Allele allele;
  std::span<const float> effects;      // one per column; NaN for skipped alleles
  std::span<const float> percentiles;  // likewise; empty without --null
  bool contains_n = false;             // whether the reference sequence that the model read has N
  std::optional<bool> seen = {};       // whether that overlaps the model's training data; unset: not known, or skipped
  std::span<const float> tracks = {};  // of --track, at the bases of REF: the same for all alleles of a record
};

struct WriterOptions {
  std::string path = "-";  // stdout
  io::Format format = io::Format::vcf;
  io::Provenance provenance = {};
  std::vector<EffectColumn> columns = {};
  std::vector<dataset::Feature> features = {};  // the model's
  bool percentiles = false;
  std::vector<genome::NamedFile> tracks = {};  // of ScoredAllele::tracks
  int64_t top = 0;     // VCF and BCF: only this many features per allele, those with the largest effects; 0: all
  char strand = '+';   // that the model read; '.' for both
  bool header = true;  // false for later parts of a job, whose VCF and TSV have none
  bool index = false;  // VCF (BGZF) and BCF: also writes an index (.csi)
  int threads = 1;
};

class VariantWriter {
 public:
  virtual ~VariantWriter() = default;
  /// A record with its alternative alleles, in the order of the input.
  virtual void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) = 0;
  /// Nothing exists under the final name before it.
  virtual void commit() = 0;
};
std::unique_ptr<VariantWriter> make_writer(const WriterOptions& options, const VcfHeader& header);

}  // namespace bigdna::variants
