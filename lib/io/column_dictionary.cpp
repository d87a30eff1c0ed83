#include "io/column_dictionary.h"

#include "io/motif_columns.h"

namespace bigdna::io {

namespace {
using enum ColumnType;

constexpr ColumnEntry kStart{"start", integer, "bp", "first base, 0-based, on the forward strand"};
constexpr ColumnEntry kEnd{"end", integer, "bp", "base after the last one"};

constexpr ColumnEntry kTrackOfAllele{
    "track:NAME", numbers, "the file's",
    "with --track: mean of the bigWig file's values at the bases of REF that have one; . if none has"};

/// The first columns of tables of intervals.
std::vector<ColumnEntry> interval(
    std::vector<ColumnEntry> further,
    const char* chrom =
        "contig as the input spells it (whole contigs: as the genome does), or the name of the record") {
  std::vector<ColumnEntry> columns{{"chrom", label, "", chrom}, kStart, kEnd};
  columns.insert(columns.end(), further.begin(), further.end());
  return columns;
}

constexpr const char* kSequence = "sequence, or contig as the input spells it; for text, the number of the line";

const std::vector<ColumnEntry> kPredictions = interval({
    {"name", text, "", "column 4 of the BED file or the name of the record; . if there is none"},
    {"score", text, "", "column 5 of the BED file; . if there is none"},
    {"strand", text, "", "column 6 of the BED file, + for records; . if there is none"},
    {"columnN", texts, "", "columns 7 and up of the BED file, from column7 on"},
    {"seen", flag, "", "with --seen: 1 if the interval overlaps the model's training data, 0 if not, . if unknown"},
    {"FEATURE", numbers, "probability, expected count, or the unit of a measured number",
     "one column per output, named as in the model's features.tsv (name, then |cell if it has one, then |index if the "
     "name is taken); . if all bases are N"},
    {"kmers:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: contribution of the k-mers"},
    {"network:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: contribution of the network on bases"},
    {"encoder:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: contribution of the encoder"},
    {"kernel:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: contribution of the kernel model"},
    {"spread:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --spread: the standard deviation among networks"},
    {"track:NAME", numbers, "the file's",
     "with --track: mean of the bigWig file's values at the bases from start to end that have one; . if none has"},
});

const std::vector<ColumnEntry> kMetrics{
    {"method", text, "", "bigdna, a baseline, a model of --compare, or A-B: the paired difference"},
    {"split", text, "", "train, validation or test"},
    {"metric", text, "", "the metric's name"},
    {"value", number, "", "its value; NA if there is none"},
    {"low", number, "", "lower end of the 95 % interval (bootstrap); NA if there is none"},
    {"high", number, "", "upper end of the 95 % interval"}};

const std::vector<ColumnEntry> kGroups{
    {"group", text, "", "group of features, or all"},
    {"method", text, "", "bigdna, a baseline, a model of --compare, or A-B: the paired difference"},
    {"split", text, "", "train, validation or test"},
    {"features", integer, "", "features of the group"},
    {"scored", integer, "", "features of the group that have both classes"},
    {"auroc_median", number, "", "median AUROC over the scored features"},
    {"auroc_mean", number, "", "mean AUROC"},
    {"auprc_median", number, "", "median AUPRC"},
    {"auprc_mean", number, "", "mean AUPRC"},
    {"auroc_median_low", number, "", "95 % interval of the median AUROC (paired bootstrap over blocks of the genome)"},
    {"auroc_median_high", number, "", "its upper end"},
    {"auroc_mean_low", number, "", "95 % interval of the mean AUROC"},
    {"auroc_mean_high", number, "", "its upper end"}};

const std::vector<ColumnEntry> kTracks{
    {"index", integer, "", "of the track among the outputs"},
    {"name", text, "", "the track"},
    {"cell", text, "", "its cell"},
    {"assay", text, "", "its assay"},
    {"group", text, "", "its group"},
    {"strand", text, "", "+, - or ."},
    {"bins", text, "", "all, or labelled: bins with a peak or a start site"},
    {"rows", integer, "", "number of these bins"},
    {"method", text, "",
     "bigdna, a baseline, halves: one half of the reads compared with the other, or A-B: the paired difference"},
    {"split", text, "", "train, validation or test"},
    {"metric", text, "", "pearson_log1p, pearson, spearman, r2_log1p, deviance_explained or total_ratio"},
    {"value", number, "", "of the metric"},
    {"low", number, "", "95 % interval (paired bootstrap over blocks of the genome)"},
    {"high", number, "", "its upper end"}};

const std::vector<ColumnEntry> kScores = interval({
    {"name", text, "", "the example's name in the dataset's regions.bed.gz"},
    {"score", text, "", "."},
    {"strand", text, "", "strand of the example"},
    {"label:FEATURE", numbers, "", "the label, or the count of a track"},
    {"METHOD:FEATURE", numbers, "probability, expected count, or the unit of a measured number",
     "each method's prediction"},
});

const std::vector<ColumnEntry> kCoverage{
    {"file", text, "", "the input"},
    {"kind", text, "", "what it holds"},
    {"records", integer, "", "its records; 0 for a signal, which has none"},
    {"mapped", integer, "", "mapped records (primary alignments that have not failed quality control)"},
    {"duplicates", integer, "", "mapped records that are flagged as duplicates"},
    {"mitochondrial", number, "", "share of the mapped records on chrM, MT, Mito ...; . if none is mapped"},
    {"counted", integer, "", "number of counted reads or fragments"},
    {"unmapped", integer, "", "left out: unmapped"},
    {"secondary", integer, "", "left out: a secondary alignment"},
    {"supplementary", integer, "", "left out: a supplementary alignment"},
    {"qc_fail", integer, "", "left out: failed quality control"},
    {"duplicate", integer, "", "left out: a duplicate (--duplicates keep counts them)"},
    {"low_mapq", integer, "", "left out: mapping quality below --min-mapq"},
    {"other_contig", integer, "", "left out: on a contig that the genome lacks"},
    {"no_pair", integer, "", "left out: fragments are counted, and it is not in a proper pair"},
    {"no_bases", integer, "", "left out: without a base, such as an interval of 0 bp or a CIGAR of N alone"},
    {"other_length", integer, "", "left out: fragment length not within --fragment-length, or unknown"},
    {"other_strand", integer, "", "left out: not on --strand"},
    {"other_barcode", integer, "", "left out: barcode not in --barcodes"},
    {"fragment_5", number, "bp", "5th percentile of the lengths of counted fragments; . if there are none"},
    {"fragment_25", number, "bp", "25th percentile"},
    {"fragment_50", number, "bp", "the median"},
    {"fragment_75", number, "bp", "75th percentile"},
    {"fragment_95", number, "bp", "95th percentile"},
    {"in_peaks", number, "", "share of the counted reads or fragments that overlap --peaks; . without peaks"},
    {"enrichment", number, "",
     "cuts per base within 50 bp of --start-sites, divided by cuts per base 1900 to 2000 bp away; . without start "
     "sites"}};

const std::vector<TableEntry> kTables{
    {"predict-promoter", "predict-promoter", "Columns",
     interval({{"name", text, "", "name of the record or region; . in a scan"},
               {"score", number, "probability", "probability of a promoter; . if the tile has too many N"},
               {"strand", text, "", "the strand that was read; . with --strands average"},
               {"call", flag, "", "1 if the score reaches the threshold, otherwise 0; . without a score"},
               {"seen", flag, "",
                "with --seen: 1 if the interval overlaps the model's training data, 0 if not, . if unknown"},
               {"kmers", number, "log-odds", "with --parts: contribution of the k-mers"},
               {"network", number, "log-odds", "with --parts: contribution of the network on bases"},
               {"encoder", number, "log-odds", "with --parts: contribution of the encoder"},
               {"kernel", number, "log-odds",
                "with --parts: contribution of the kernel model; for one model, the parts add up to the log-odds of "
                "the score"}})},
    {"start-sites", "predict-promoter", "Columns of --bed",
     interval({{"name", text, "", "name of the record or region; . in a scan"},
               {"score", integer, "", "1000 x probability"},
               {"strand", text, "", "strand of the start site; . with --strands average"}})},
    {"explain", "explain", "Columns",
     interval({{"name", text, "", "column 4 of the BED file, the region, or the name of the record"},
               {"base", text, "", "the base of the sequence, on the forward strand"},
               {"FEATURE", numbers, "logit",
                "one column per feature, the base's contribution; mutagenesis: the logit minus the mean of the logits "
                "with A, C, G and T at this position; gradient: the base's gradient minus the mean gradient of the "
                "four bases; integrated: the base's mean gradient on the path from shuffled bases, minus that of the "
                "shuffled base; . for N"}})},
    {"contributions", "explain", "Columns of bedGraph",
     interval({{"contribution", number, "logit", "the base's contribution to the feature"}})},
    {"substitutions", "explain", "Columns of --substitutions",
     interval({{"name", text, "", "as above"},
               {"ref", text, "", "the base of the sequence"},
               {"alt", text, "", "another base"},
               {"FEATURE", numbers, "logit", "the logit with alt minus the logit with ref; . if ref is N"}})},
    {"kmers",
     "explain",
     "Columns of --kmers, one row per feature and k-mer of a seqlet",
     {{"feature", text, "", "the feature"},
      {"kmer", text, "", "the k-mer or its reverse complement, whichever comes first in the alphabet"},
      {"seqlets", integer, "",
       "number of seqlets with this k-mer. Seqlets are windows of k bases with high sums of contributions: the highest "
       "1 % of all windows, without windows that overlap a higher one"},
      {"windows", integer, "", "number of windows of all explained bases with this k-mer"},
      {"enrichment", number, "", "share of the seqlets / share of the windows"},
      {"contribution", number, "logit", "mean over these seqlets of the sum over their bases"},
      {"p", number, "",
       "hypergeometric probability of as many seqlets or more, if they were drawn from all windows. It takes windows "
       "for independent, although they overlap"},
      {"e", number, "", "p times the number of different k-mers among the windows"}}},
    {"coverage", "coverage", "Columns of --table, one row per input", kCoverage},
    {"design",
     "design",
     "Columns of --table, one row per step",
     {{"name", text, "", "column 4 of the BED file, the region, or the name of the record"},
      {"contig", text, "", "contig as the input spells it, or the name of the record"},
      {"step", integer, "", "0 for the original sequence; with --method evolve the generation"},
      {"edits", integer, "", "number of bases that differ from the original sequence"},
      {"substitutions", text, "",
       "these: original base, 1-based position, new base (G1234A), joined by commas; . for none"},
      {"value", number, "logit",
       "mean change of --raise minus mean change of --lower minus --keep-weight times the mean absolute change of "
       "--keep"},
      {"chance", number, "logit", "chance level: mean value of sequences with as many random substitutions"},
      {"change:FEATURE", numbers, "logit", "logit of the edited sequence minus the logit of the original one"}}},
    {"haplotypes",
     "haplotypes",
     "Columns, one row per region, sample and haplotype",
     {{"name", text, "", "column 4 of the BED file, or the region"},
      {"contig", text, "", "contig as the input spells it"},
      {"start", integer, "bp", "first base, 0-based"},
      {"end", integer, "bp", "after the last base"},
      {"sample", text, "", "the sample"},
      {"haplotype", integer, "", "1 for the alleles before |, 2 for the alleles after it"},
      {"alleles", integer, "", "alleles that differ from the reference, in the bases that the model reads"},
      {"skipped", integer, "",
       "alleles that are left out there: they overlap another one of the haplotype, are symbolic, too long, or are not "
       "the genome's"},
      {"unphased", integer, "", "heterozygous genotypes without phase there, where the haplotype has the reference"},
      {"change:FEATURE", numbers, "logit", "logit of the haplotype minus the logit of the reference"}}},
    {"chromatin", "chromatin", "Columns", kPredictions},
    {"predict", "predict", "Columns", kPredictions},
    {"variants",
     "variants",
     "Columns of TSV and HDF5, one row per ALT",
     {{"chrom", text, "", "CHROM, as the input spells it"},
      {"pos", integer, "bp", "POS, 1-based"},
      {"name", text, "", "ID"},
      {"ref", text, "", "REF"},
      {"alt", text, "", "the alternative allele"},
      {"strand", text, "", "the strand that was read; . for both"},
      {"ref_match", truth, "", "whether REF equals the genome (also False where it was not compared)"},
      {"contains_unk", truth, "", "whether the reference sequence that the model reads has N"},
      {"skipped", text, "", "why there is no score; . if there is one"},
      {"P_REF:FEATURE", numbers, "probability, expected count, or the unit of a measured number",
       "p(ref), the model's prediction with the reference; with --reach the maximum over the bins"},
      {"P_REF_percentile:FEATURE", numbers, "%", "with --null: percentile of its absolute value in the background"},
      {"P_ALT:FEATURE", numbers, "probability, expected count, or the unit of a measured number",
       "p(alt), the prediction with the alternative allele; with --reach the maximum over the bins"},
      {"P_ALT_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"DIFF:FEATURE", numbers, "probability, expected count, or the unit of a measured number", "p(alt) - p(ref)"},
      {"DIFF_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"LOGIT:FEATURE", numbers, "log-odds", "logit(alt) - logit(ref)"},
      {"LOGIT_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"SAR:FEATURE", numbers, "", "log2(1 + p(alt)) - log2(1 + p(ref))"},
      {"SAR_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"SPREAD:FEATURE", numbers, "log-odds, ln of a ratio of counts, or the number's unit",
       "with --spread: the standard deviation of the change among networks"},
      {"LFC:FEATURE", numbers, "log2", "log2 of the ratio of expected counts, alt / ref, over the bins within --reach"},
      {"LFC_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"JSD:FEATURE", numbers, "",
       "Jensen-Shannon distance (base 2) of the profiles of ref and alt, by a profile model"},
      {"JSD_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"AAQ:FEATURE", numbers, "", "the larger of both alleles' quantiles among the expected counts of --peaks"},
      {"AAQ_percentile:FEATURE", numbers, "%", "with --null: the same for this effect"},
      {"DIST", numbers, "", "Euclidean distance of the mean hidden states"},
      {"DIST_percentile", numbers, "%", "with --null: the same for this effect"},
      {"LLR", numbers, "nats", "ln p(alt) - ln p(ref) of the bases, by a language model; negative: alt is less likely"},
      {"LLR_percentile", numbers, "%", "with --null: the same for this effect"},
      {"GAP", numbers, "nats",
       "ln p(alt) - ln p(ref) of the bases given both flanks, by a model that was trained with gaps"},
      {"GAP_percentile", numbers, "%", "with --null: the same for this effect"},
      {"seen", flag, "",
       "1 if the sequence that the model reads overlaps its training data, 0 if not, . if unknown or skipped"},
      kTrackOfAllele}},
    {"ranked variants",
     "variants",
     "Columns of --table, one row per allele, the strongest first",
     {{"rank", integer, "", "from 1, by the absolute value of the first of --effects"},
      {"chrom", text, "", "CHROM, as the input spells it"},
      {"pos", integer, "bp", "POS, 1-based"},
      {"name", text, "", "ID"},
      {"ref", text, "", "REF"},
      {"alt", text, "", "the alternative allele"},
      {"output", text, "", "the output with the largest effect; score if there is only one, . for DIST, LLR and GAP"},
      {"effect", text, "", "the first of --effects"},
      {"value", numbers, "as of the effect", "its value on this output"},
      {"percentile", numbers, "%", "its percentile in the background; . without one"},
      {"logit", numbers, "log-odds", "LOGIT of this output; . if there is none"},
      {"p_ref", numbers, "as of P_REF", "P_REF of this output; . if there is none"},
      {"p_alt", numbers, "as of P_ALT", "P_ALT of this output; . if there is none"},
      {"spread", numbers, "as of SPREAD", "with --spread: SPREAD of this output"},
      {"seen", flag, "", "1 if the sequence that the model reads overlaps its training data, 0 if not, . if unknown"},
      {"gene", text, "", "with --genes: the name of the nearest start site; . without one"},
      {"distance", text, "bp",
       "with --genes: POS from that start site along its strand, negative upstream; . if the contig has none"},
      {"location", text, "",
       "with --genes of GTF or GFF3: the first that REF overlaps of promoter (1000 bp upstream of a start site to 100 "
       "bp "
       "downstream), exon, intron (transcript, if the file has no exons), and intergenic; . for other files"},
      kTrackOfAllele}},
    {"embed",
     "embed",
     "Columns",
     {{"name", label, "", "name of the record, or name or coordinates of the region"},
      {"start", integer, "bp", "first base, 0-based, in the record as read (a region along its strand)"},
      kEnd,
      {"token", integer, "", "with --pool token and base: its id in the vocabulary"},
      {"vI", numbers, "", "v0, v1 ...: the hidden units"}}},
    {"likelihood",
     "likelihood",
     "Columns",
     {{"name", label, "", "name of the record, or name or coordinates of the region"},
      {"start", integer, "bp", "first base, 0-based, in the record as read (a region along its strand)"},
      kEnd,
      {"tokens", integer, "",
       "with --each record: number of scored tokens; tokens with N and other letters have no score"},
      {"scored_bases", integer, "bp", "with --each record: number of bases of these tokens"},
      {"token", integer, "", "with --each token: its id in the vocabulary"},
      {"bits", numbers, "bits", "sum of -log2 p over the tokens; . if no token was scored"},
      {"bits_per_base", numbers, "bits", "bits / scored_bases"}}},
    {"fill", "fill", "Columns",
     interval(
         {{"sequence", text, "", "the bases in the filled gap"},
          {"bits_per_base", numbers, "bits", "-log2 p of it, given both flanks and the length, per base"},
          {"original", text, "", "with --regions: the original bases"},
          {"original_bits_per_base", numbers, "bits",
           "with --regions: -log2 p of that, given both flanks and the length, per base; . if it has an N"},
          {"left_bits_per_base", numbers, "bits",
           "with --regions: -log2 of p(flank and region) / p(flank) for the left flank, per base; tokens may cross the "
           "border, so with tokens of several bases it is too low, or below 0; . if it has an N"}},
         "name of the record")},
    {"profile", "profile", "Columns",
     interval({{"name", text, "", "column 4 of the BED file; . if there is none, and for records"},
               {"counts", numbers, "reads", "expected number of reads in the profile, exp(log_counts)"},
               {"log_counts", numbers, "", "the model's output: the natural logarithm of the counts"},
               {"profile", numbers, "reads",
                "HDF5: expected reads at each base, counts x softmax of the profile's logits; for a model of two "
                "strands, first + and then -"}},
              "contig as the input spells it, or the name of the record")},
    {"tokens", "tokenize", "Columns of --format tokens (BED6)",
     interval({{"name", text, "", "the piece; [UNK] has all the bases that it replaces, and some tokens have no base"},
               {"score", integer, "", "token id"},
               {"strand", text, "",
                "- for an interval of -R on that strand, which is read as its reverse complement; otherwise +"}},
              kSequence)},
    {"sequences", "tokenize", "Columns of --format pieces and ids",
     interval({{"name", text, "", "name of the record, column 4 of the BED file, or ."},
               {"score", integer, "", "number of tokens"},
               {"strand", text, "", "as above"},
               {"tokens", text, "", "pieces or ids, separated by spaces, from the interval's 5' end"}},
              kSequence)},
    {"statistics",
     "tokenize",
     "Columns of --stats",
     {{"statistic", text, "", "its name (see below)"},
      {"key", text, "", "length, piece, or ."},
      {"value", number, "", "its value"}}},
    {"evaluate promoter", "evaluate", "Columns", kMetrics},
    {"evaluate promoter scores", "evaluate", "Columns of --scores", kScores},
    {"evaluate table", "evaluate", "Columns", kMetrics},
    {"evaluate table scores", "evaluate", "Columns of --scores", kScores},
    {"evaluate chromatin", "evaluate", "Columns", kGroups},
    {"evaluate tracks", "evaluate", "Columns of tracks", kTracks},
    {"evaluate chromatin scores", "evaluate", "Columns of --scores", kScores},
};

}  // namespace

std::span<const TableEntry> column_dictionary() {
  static const std::vector<TableEntry> all = [] {
    auto tables = kTables;
    const auto motifs = motif_columns();
    tables.insert(tables.end(), motifs.begin(), motifs.end());
    return tables;
  }();
  return all;
}

}  // namespace bigdna::io
