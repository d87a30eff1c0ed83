#include "apps/options/site_options.h"

#include "apps/options/run_options.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {
void visit_genome(OptionList& visit, prediction::SequenceInput& input) {
  visit(input.genome, "-g,--genome", "Genome of the regions, plain or bgzip").type("FASTA").input().excludes({"fasta"});
}
}  // namespace

void visit_sites(OptionList& visit, prediction::SequenceInput& input, const std::string& verb) {
  visit(input.fasta, "fasta", verb + " these records: plain, gzip, bgzip or xz; - is stdin").type("FASTA").input();
  visit(input.regions, "-R,--regions", verb + " these regions of --genome, on its forward strand; - is stdin")
      .type("BED")
      .input()
      .excludes({"fasta"})
      .needs({"--genome"});
  visit(input.region, "-r,--region", verb + " one region of --genome (in samtools' notation: chr20:1-20000)")
      .type("REGION")
      .excludes({"fasta", "--regions"})
      .needs({"--genome"});
  visit_genome(visit, input);
}

void visit_sequences(OptionList& visit, prediction::SequenceInput& input) {
  visit(input.fasta, "fasta", "Sequences: plain, gzip, bgzip or xz; - is stdin").type("FASTA").input();
  visit(input.regions, "-R,--regions", "Read these regions of --genome, along their strand; - is stdin")
      .type("BED")
      .input()
      .excludes({"fasta"})
      .needs({"--genome"});
  visit_genome(visit, input);
}

void require_sequences(const OptionList& list) {
  if (!list.given("fasta") && !list.given("--regions")) throw UsageError("give FASTA, or -R BED with -g");
}

void visit_site_checks(OptionList& visit, prediction::SequenceInput& input) {
  visit_invalid_bases(visit, input.invalid_bases);
  visit_strict(visit, input.strict, "an interval or record without bases, instead of a warning");
}

void require_sites(const OptionList& list) {
  if (!list.given("fasta") && !list.given("--regions") && !list.given("--region"))
    throw UsageError("give FASTA, or -g GENOME with -R BED or -r REGION");
}

}  // namespace bigdna::apps
