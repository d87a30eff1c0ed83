#include "apps/options/coverage.h"

#include <algorithm>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void CoverageOptions::visit(OptionList& visit) {
  auto& o = coverage;
  visit(o.inputs, "input",
        "Reads (BAM, CRAM, SAM, BED), fragments (BEDPE, 10x fragment files, BED without strands) or a signal (bigWig, "
        "bedGraph), plain or compressed, sorted or not; several files are added up; - is stdin")
      .type("FILE...")
      .at_least(1)
      .input()
      .required();
  visit(chrom_sizes, "--chrom-sizes",
        "Contigs and their lengths: UCSC's chrom.sizes, a genome file of bedtools, a .fai")
      .type("TSV")
      .input();
  visit(genome, "-g,--genome",
        "Genome, plain or bgzip, instead of --chrom-sizes; also the reference of a CRAM where lengths of fragments are "
        "needed")
      .type("FASTA")
      .input()
      .excludes({"--chrom-sizes"});
  visit(o.output, "-o,--output", "The track, without bases that have no count; - is stdout (bedGraph)")
      .type("FILE")
      .writes({std::begin(coverage::kTrackFormats), std::end(coverage::kTrackFormats)});
  visit(o.bin, "--bin", "Sum counts over bins of this many bp; 1: counts of each base").type("BP").check(positive());

  visit.group("What is counted");
  const auto settings = coverage::track_settings();
  texts.resize(settings.size());
  for (size_t i = 0; i < settings.size(); ++i) {
    const auto& setting = settings[i];
    std::string flag = setting.name;
    std::ranges::replace(flag, '_', '-');
    flag.insert(0, "--");
    texts[i] = setting.initial;
    Option::Text text;
    text.get = [this, i] { return texts[i]; };
    text.set = [this, i, flag, &setting](const std::string& given) {
      try {
        setting.set(coverage.track, given);
      } catch (const Error& error) {
        throw CLI::ValidationError(flag, concat("'", given, "' ", error.what()));
      }
      texts[i] = given;
    };
    text.names = setting.names;
    auto& option = visit(std::move(text), flag, setting.help).type(setting.type);
    if (setting.is_file) option.input();
  }

  visit.group("Quality");
  visit(o.table, "--table", "Quality of the inputs, one row for each (TSV); - is stdout")
      .type("FILE")
      .writes({std::begin(coverage::kTableFormats), std::end(coverage::kTableFormats)});
  visit(o.peaks, "--peaks", "Peaks, for the share of counted reads or fragments in peaks")
      .type("BED")
      .input()
      .needs({"--table"});
  visit(start_sites, "--start-sites",
        "Start sites of transcripts (BED6, GTF, GFF3, SGA, FPS or a table), for the enrichment of cuts at start sites")
      .type("FILE")
      .input()
      .needs({"--table"});
  common.visit(visit);
}

void CoverageOptions::finish(const OptionList& list) {
  if (!list.given("--chrom-sizes") && !list.given("--genome"))
    throw UsageError("give --chrom-sizes TSV or --genome FASTA: the contigs and their lengths");
  if (!list.given("--output") && !list.given("--table")) throw UsageError("give --output FILE or --table FILE");
  require_different(coverage.inputs);
  coverage::check(coverage.track, "");
}

std::string CoverageOptions::details() { return io::columns_text("coverage"); }

}  // namespace bigdna::apps
