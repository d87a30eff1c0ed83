/// bigdna coverage: files of reads to a track, and a table of their quality.
#pragma once

#include <string>
#include <vector>

#include "apps/options/common.h"
#include "coverage/coverage.h"

namespace bigdna::apps {

struct CoverageOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "coverage";
  static constexpr const char* group = "Files";
  static constexpr const char* summary =
      "Count reads, fragments or cut sites along a genome (bigWig or bedGraph), with a table of their quality";
  static constexpr const char* example =
      "bigdna coverage atac.bam -g GRCh38.fa --count cuts --shift 4,-5 --min-mapq 30 -o atac.bw --table quality.tsv";
  CommonOptions common;
  coverage::CoverageOptions coverage;
  std::string chrom_sizes, genome, start_sites;
  std::vector<std::string> texts;  // of coverage::track_settings()
  void visit(OptionList& visit);
  void finish(const OptionList& list);
  static std::string details();
};

void run(const CoverageOptions& options);

}  // namespace bigdna::apps
