/// The sequences of samples' haplotypes, of phased genotypes: what `bcftools consensus -H 1` and `-H 2` write.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "genome/region.h"
#include "variants/allele.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

/// One sample's genotype of a record: which allele each of its two haplotypes has.
struct Genotype {
  static constexpr int kMissing = -1;     // ".", or a haplotype that a haploid genotype does not have
  int alleles[2] = {kMissing, kMissing};  // 0: REF, 1: the first ALT ...
  bool phased = true;                     // or equal on both haplotypes
};

/// "0|1", "1/1", ".", "1" (haploid: of the first haplotype). Error "WHERE: ..." for another form, more than two
/// alleles, or an allele above `alts`.
Genotype genotype_of(std::string_view text, size_t alts, const std::string& where);

/// A haplotype's bases around a place of the genome, and what became of its alleles there.
struct Haplotype {
  std::string bases;
  int64_t applied = 0;   // alleles that differ from the reference
  int64_t unphased = 0;  // heterozygous genotypes without phase, where the haplotype has the reference
  int64_t skipped = 0;   // alleles whose REF overlaps that of one before, that are symbolic, or not the genome's
  std::vector<int64_t> unphased_records = {};  // the records of these genotypes, numbered from 0 in the input's order
};

class PhasedVariants {
 public:
  /// How far beyond the bases that are asked for records are read, bp: so many may be deleted.
  static constexpr int64_t kMargin = 10'000;

  /// Reads records that overlap the regions, which lie on contigs of the genome's names, or their margins, through the
  /// file's index. `samples`: names, joined by commas; "" for all. Errors name file and record; UsageError for a sample
  /// that the file does not have. Error if the file has no samples, or none of its records is the genome's.
  PhasedVariants(const std::string& path, std::vector<genome::Region> regions, const std::string& samples,
                 const genome::Genome& genome, int64_t max_allele);
  const std::vector<std::string>& samples() const { return samples_; }
  int64_t records() const { return records_; }
  /// `before` bases to the left of `centre`, and `after` from there on, of a sample's haplotype 0 or 1. With deletions
  /// the sequence goes on further away from the centre, with insertions less far; N past the contig's ends. `window`
  /// has the genome. Error where more than kMargin bp are deleted.
  Haplotype around(const std::string& contig, int64_t centre, int64_t before, int64_t after, size_t sample, int which,
                   GenomeWindow& window) const;

 private:
  /// Reference bases [start, end) that an allele replaces, without what REF and ALT have in common at their ends.
  struct Replacement {
    int64_t start = 0, end = 0;
    std::string bases;
    bool usable = true;
    int64_t last = 0;       // of REF as the record writes it, the last base
    bool longer = false;    // ALT than REF
    bool anchored = false;  // an insertion or a deletion alone, behind a base that REF and ALT share
  };
  struct Record {
    int64_t number = 0;
    int64_t position = 0;
    std::vector<Replacement> alts;
    std::vector<Genotype> genotypes;  // of the samples
  };
  /// What a haplotype has at a place: a replacement, or none for a genotype without phase or an allele that is skipped.
  struct Event {
    int64_t start;
    const Replacement* replacement;
    int64_t Haplotype::*count;
    int64_t record;
  };
  /// As bcftools consensus, a haplotype skips an allele whose REF, padded or not, overlaps that of one before. Only the
  /// base that an insertion or a deletion stands behind may be the last one of the allele before, if that inserts
  /// nothing.
  std::vector<Event> events(const std::string& contig, int64_t start, int64_t end, size_t sample, int which) const;
  /// Records at [start, end) where one of the samples has another allele than REF.
  std::vector<const Record*> records_in(const std::string& contig, int64_t start, int64_t end) const;

  std::vector<std::string> samples_;
  std::map<std::string, std::vector<Record>> by_contig_;  // sorted
  int64_t records_ = 0;
};

}  // namespace bigdna::variants
