#include "apps/options/profile.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"

namespace bigdna::apps {

void ProfileOptions::visit(OptionList& visit) {
  using profile::Part;
  using session::Strands;
  auto& o = profile;
  visit(
      o.model, "model",
      "Profile model: a run of bigdna train, or a model that bigdna convert made of a file of ChromBPNet or bpnet-lite")
      .model()
      .required();
  visit(o.fasta, "fasta", "Predict for the middle of these records: plain, gzip, bgzip or xz; - is stdin")
      .type("FASTA")
      .input();
  visit(
      o.regions, "-R,--regions",
      "Predict around the summits of these peaks (narrowPeak) or the middles of these regions (other BED); - is stdin")
      .type("BED")
      .input()
      .excludes({"fasta"})
      .needs({"--genome"});
  visit(o.genome, "-g,--genome", "Genome of the regions, plain or bgzip").type("FASTA").input().excludes({"fasta"});
  visit(
      o.output, "-o,--output",
      concat("Where predictions are written, in the format of the suffix: ", io::formats_text(profile::kProfileFormats),
             "; TSV has counts, HDF5 also profiles, a bigWig the expected reads at each base; - is stdout (TSV)"))
      .type("FILE")
      .writes({std::begin(profile::kProfileFormats), std::end(profile::kProfileFormats)});
  common.visit_header(visit);
  visit.choice<Part>(o.part, "--part", {{"whole", Part::whole}, {"model", Part::model}, {"bias", Part::bias}},
                     "For a model with a bias model: whole, as reads are observed; model: without the bias; bias: the "
                     "bias model alone");
  visit.choice<Strands>(o.strands, "--strands", {{"forward", Strands::forward}, {"average", Strands::average}},
                        "forward: as given; average: the mean of both strands");
  visit_invalid_bases(visit, o.invalid_bases);
  visit_shard(visit, o.shard);
  visit.resume(o.resume,
               "Keep predictions in OUTPUT.journal until the output is complete, and continue from an existing "
               "journal. A complete output is left alone if OUTPUT.options.json records the same options");
  visit.group("Device");
  visit_device_name(visit, o.run);
  common.visit(visit);
}

void ProfileOptions::finish(OptionList& list) {
  if (!list.given("fasta") && !list.given("--regions")) throw UsageError("give FASTA, or -R BED with -g");
  if (io::format_of(profile.output, profile::kProfileFormats) == io::Format::bigwig && !list.given("--regions"))
    throw UsageError("a bigWig needs -R BED and -g, which say where the sequences lie in a genome");
  require_files(profile.shard, profile.resume, {profile.fasta, profile.regions}, {profile.output});
  if (!profile.shard.whole() && io::format_of(profile.output, profile::kProfileFormats) == io::Format::bigwig)
    throw UsageError("--shard cannot be used with bigWig, which needs all windows");
}

std::string ProfileOptions::details() {
  return io::columns_text("profile") + R"(
A window is as long as the model reads, usually 2114 bp, and its profile is the 1000 bp in the middle.
Bases past a contig's end are N. A model of two strands has the profile of + and then the profile of -; as
bigWig it becomes two files, NAME.plus.bw and NAME.minus.bw. Where profiles of a bigWig overlap, each base
has the value of the nearest centre. Control tracks are read as zeros. Everything is computed in fp32.)";
}

}  // namespace bigdna::apps
