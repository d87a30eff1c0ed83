#include "apps/options/variants.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/output.h"
#include "variants/effects.h"

namespace bigdna::apps {

void VariantsOptions::visit(OptionList& visit) {
  auto& o = predict;
  visit(o.model, "model",
        "Model of bigdna train or finetune: a folder, a run or a name (bigdna info --models). A pretrained model "
        "without a task gives DIST and LLR (and GAP, if it was trained with gaps), a profile model LFC and JSD")
      .model()
      .required();
  visit(o.input, "input", "Variants: VCF (plain, gzip or bgzip) or BCF; - is stdin").type("VCF").input().required();
  visit(o.genome, "-g,--genome", "Genome that the variants refer to, plain or bgzip").type("FASTA").input().required();
  visit(o.regions, "-R,--regions", "Only records that overlap these regions, through the input's index")
      .type("BED")
      .input();
  visit(o.region, "-r,--region",
        "Only records that overlap this region (in samtools' notation: chr20:1-20000), through the input's index")
      .type("REGION")
      .excludes({"--regions"});
  visit(o.max_allele, "--max-allele", "Skip alleles that are longer").type("BP").check(positive());
  visit_strict(visit, o.strict,
               "an allele that the genome lacks (contig, position or REF), a contig with another length in the header, "
               "or a region of -R on an unknown contig. Otherwise these cause a warning");
  visit_invalid_bases(visit, o.invalid_bases);

  visit.group("Scores");
  visit(o.effects, "--effects",
        "Effects to write, joined by commas: P_REF, P_ALT, DIFF, LOGIT, SAR, LFC, JSD, AAQ, DIST, LLR, GAP, "
        "SPREAD (default: "
        "DIFF,LOGIT,SAR,LFC if the outputs have them; DIFF for a model of numbers; P_REF,P_ALT,LFC,JSD for a profile "
        "model; DIST for a model without a task)")
      .type("LIST");
  visit(o.spread, "--spread",
        "Add SPREAD to the effects: the standard deviation of the change among the networks of the model and of "
        "--ensemble, which are computed a second time for this")
      .shapes_output();
  visit(o.features, "--features",
        "Chromatin, tables: only these features, joined by commas: indices, or globs of names, cells, assays, groups "
        "or columns (default: all)")
      .type("LIST");
  visit(o.sites, "--sites",
        "Promoters: score at these start sites (BED6, or another format of dataset promoter) instead of in the tiles "
        "of a scan")
      .type("BED")
      .input();
  visit(o.reach, "--reach",
        "Chromatin: also score the bins up to this far on either side (default: the variant's own bin "
        "alone). Promoters: use start sites up to this far away (default: all start sites whose interval contains the "
        "variant)")
      .type("BP")
      .check(not_negative());
  using session::Strands;
  visit.choice<std::optional<Strands>>(
      o.strands, "--strands", {{"forward", Strands::forward}, {"average", Strands::average}, {"both", Strands::both}},
      "forward: as given, or on each start site's strand; average: the mean of both strands; both: tiles of both "
      "strands (default: both for promoters without --sites; average for profile models, for networks that label bins "
      "and for models of bigdna train --reverse-complement; otherwise forward)");
  visit_part(visit, o.part);
  visit(o.peaks, "--peaks",
        "Profile models: peaks (narrowPeak or other BED). AAQ, which this adds to the default effects, is a quantile "
        "of their expected counts")
      .type("BED")
      .input();
  visit(o.context, "--context",
        concat("Bases that a model without a task reads around the variant (default: ", o.kContext, ")"))
      .type("BP")
      .check(between(20, 1'000'000));
  visit(o.null, "--null",
        "Compare with this many random single-base variants of the genome: adds a percentile to each effect. They are "
        "scored once and kept in the user's cache; 0: none")
      .type("N")
      .check(not_negative())
      .shapes_output();
  visit(o.null_shuffled, "--null-shuffled",
        "With --null: shuffle the sequence around each random variant, and keep its dinucleotides")
      .needs({"--null"})
      .shapes_output();
  visit(o.model_background, "--model-background",
        "As --null, with random variants that are stored with the model (human-chr20-chrX: 1500 of GRCh37's chromosome "
        "20), which are already scored")
      .excludes({"--null"})
      .shapes_output();
  visit_ensemble(visit, o.ensemble);
  visit_shard(visit, o.shard);

  visit.group("Output");
  visit(o.output, "-o,--output",
        concat("Annotated variants (VCF and BCF: INFO keys BIGDNA_*), in the format of the suffix: ",
               io::formats_text(prediction::kVariantFormats), "; - is stdout (VCF)"))
      .type("FILE")
      .writes({std::begin(prediction::kVariantFormats), std::end(prediction::kVariantFormats)});
  common.visit_header(visit);
  visit(o.top, "--top",
        concat("VCF, BCF: write only the K features with the largest absolute first effect for each allele; 0: all "
               "(default: ",
               o.kTop, ")"))
      .type("K")
      .check(not_negative())
      .shapes_output();
  visit_track(visit, o.tracks, "the bases of REF");
  visit(
      o.table, "--table",
      "Also write a short table (TSV), ranked by the first effect: each allele with the output on which its effect is "
      "largest")
      .type("FILE")
      .not_decisive();
  visit(o.table_rows, "--table-rows", concat("Rows of --table (default: ", o.kListed, ")"))
      .type("K")
      .check(positive())
      .needs({"--table"})
      .not_decisive();
  visit(
      o.genes, "--genes",
      "Add the nearest start site to --table, as gene and distance, and whether the allele lies in a promoter, exon or "
      "intron (GTF and GFF3): GTF, GFF3, BED6 of genes or transcripts, or "
      "another "
      "format of dataset promoter, of the genome's assembly")
      .type("FILE")
      .input()
      .needs({"--table"});
  visit(o.pictures, "--pictures",
        "Networks on bases: also draw the strongest variants in this folder (SVG): the contribution of each base with "
        "REF and with ALT, side by side")
      .type("FOLDER")
      .not_decisive();
  visit(o.strongest, "--strongest",
        concat("Draw this many variants, those with the largest absolute first effect in any feature (default: ",
               o.kDrawn, "). --table-rows sets the number of listed alleles"))
      .type("K")
      .check(positive())
      .needs({"--pictures"})
      .not_decisive();
  visit(o.write_index, "--write-index",
        "Also write an index (.csi) of a .vcf.gz or .bcf output, whose records must be sorted")
      .not_decisive();
  visit_counts(visit, o.counts);
  visit.resume(o.resume,
               "Keep the effects in OUTPUT.journal until the output is complete, and continue from an existing "
               "journal. A complete output is left alone if OUTPUT.options.json records the same options");
  visit_device(visit, predict.run);
  common.visit_with_seed(visit);
}

void VariantsOptions::finish(const OptionList&) {
  const auto& o = predict;
  const auto format = io::format_of(o.output, prediction::kVariantFormats);
  if (!o.effects.empty()) variants::parse_effects(o.effects);
  require_files(o.shard, o.resume, {o.input, o.regions, o.sites, o.genes}, {o.output, o.counts});
  if (!o.table.empty() && !o.shard.whole())
    throw UsageError("--table cannot be used with --shard: variants are ranked over all parts");
  if (o.top.value_or(0) > 0 && io::format_row(format).make)
    throw UsageError("--top: only for VCF and BCF; tables have a column for each feature");
  if (!o.write_index) return;
  if (format != io::Format::bcf && !(format == io::Format::vcf && io::has_suffix(o.output, {".gz"})))
    throw UsageError("--write-index: only for .vcf.gz and .bcf");
  if (!o.shard.whole()) throw UsageError("--write-index cannot be used with --shard: bigdna merge writes the index");
}

std::string VariantsOptions::details() {
  return R"(Effects: P_REF, P_ALT = p(ref), p(alt); DIFF = p(alt) - p(ref); LOGIT = logit p(alt) - logit p(ref),
averaged over models and strands; SAR = log2(1 + p(alt)) - log2(1 + p(ref)); DIST = Euclidean distance of the
mean hidden states; SPREAD = standard deviation of LOGIT among networks (of tracks: of ln(alt / ref); of
numbers: of DIFF), which has no percentile.
Tracks have expected counts instead of probabilities, no LOGIT, and LFC = log2(alt / ref) of the expected
counts, summed over the bins within --reach.
Profile models (BPNet, ChromBPNet) have the expected counts of the window around the variant; LFC = log2 of
their ratio; JSD = Jensen-Shannon distance of the profiles, without bases that only one allele has; AAQ = the
larger of both alleles' quantiles among the expected counts of --peaks.
Pretrained models have LLR = ln p(alt) - ln p(ref) of the bases: the tokens over the allele are masked in both
sequences, and their log-probabilities given the surrounding tokens are compared.
GAP is the same by a model of pretrain --gaps, given both flanks, which are tokenised apart from REF and ALT.
An insertion or deletion is scored twice, once with the left and once with the right side of the interval in
place, and the mean is taken. Left-align indels first (bcftools norm -f).
VCF and BCF: BIGDNA_EFFECT (promoters, DIST, LLR, GAP) or BIGDNA_EFFECT_FEATURE, one value per ALT;
BIGDNA_EFFECT_PERCENTILE and so on (--null); BIGDNA_SKIPPED: why an ALT has no score; BIGDNA_TRACK_NAME: one
value per record (--track).
)" + io::columns_text("variants");
}

}  // namespace bigdna::apps
