#include "io/column_dictionary.h"

#include <algorithm>

#include "base/error.h"
#include "base/table.h"

namespace bigdna::io {

namespace {
using enum ColumnType;

constexpr ColumnEntry kStart{"start", integer, "bp", "first base, 0-based, on the forward strand"};
constexpr ColumnEntry kEnd{"end", integer, "bp", "past the last base"};

/// The first columns of tables of intervals.
std::vector<ColumnEntry> interval(
    std::vector<ColumnEntry> further,
    const char* chrom =
        "contig as the input spells it (whole contigs: as the genome does), or the name of the record") {
  std::vector<ColumnEntry> columns{{"chrom", label, "", chrom}, kStart, kEnd};
  columns.insert(columns.end(), further.begin(), further.end());
  return columns;
}

constexpr const char* kSequence = "sequence, or contig as the input spells it; of text, the number of the line";

const std::vector<ColumnEntry> kPredictions = interval({
    {"name", text, "", "column 4 of the BED file or the name of the record; . if there is none"},
    {"score", text, "", "column 5 of the BED file; . if there is none"},
    {"strand", text, "", "column 6 of the BED file, + for records; . if there is none"},
    {"columnN", texts, "", "columns 7 and up of the BED file, from column7 on"},
    {"seen", flag, "", "with --seen: 1 if the interval overlaps the model's training data, 0 if not, . if not known"},
    {"FEATURE", numbers, "probability, expected count, or the unit of a measured number",
     "one column per output, named as in the model's features.tsv (name, then |cell if it has one, then |index if the "
     "column would have another one's name); . if all bases are N"},
    {"kmers:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: what the k-mers add"},
    {"network:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: what the network on bases adds"},
    {"encoder:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: what the encoder adds"},
    {"kernel:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --parts: what the kernel model adds"},
    {"spread:FEATURE", numbers, "log-odds, log of an expected count, or the number's unit",
     "with --spread: the standard deviation among networks"},
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
    {"scored", integer, "", "those of them that have both classes"},
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
     "bigdna, a baseline, halves: one half of the reads beside the other, or A-B: the paired difference"},
    {"split", text, "", "train, validation or test"},
    {"metric", text, "", "pearson_log1p, pearson, spearman, r2_log1p, deviance_explained or total_ratio"},
    {"value", number, "", "of the metric"},
    {"low", number, "", "95 % interval (paired bootstrap over blocks of the genome)"},
    {"high", number, "", "its upper end"}};

const std::vector<ColumnEntry> kScores = interval({
    {"name", text, "", "the row's name in the dataset's regions.bed.gz"},
    {"score", text, "", "."},
    {"strand", text, "", "strand of the row"},
    {"label:FEATURE", numbers, "", "the label, or the count of a track"},
    {"METHOD:FEATURE", numbers, "probability, expected count, or the unit of a measured number",
     "each method's prediction"},
});

const std::vector<ColumnEntry> kCoverage{
    {"file", text, "", "the input"},
    {"kind", text, "", "what it holds"},
    {"records", integer, "", "its records; 0 for a signal, which has none"},
    {"mapped", integer, "", "those of them that are mapped (primary alignments that have not failed quality control)"},
    {"duplicates", integer, "", "mapped ones that are flagged as duplicates"},
    {"mitochondrial", number, "", "share of the mapped ones on chrM, MT, Mito ...; . if none is mapped"},
    {"counted", integer, "", "reads or fragments that are counted"},
    {"unmapped", integer, "", "left out: has no place"},
    {"secondary", integer, "", "left out: another place of a read"},
    {"supplementary", integer, "", "left out: another part of a read"},
    {"qc_fail", integer, "", "left out: failed quality control"},
    {"duplicate", integer, "", "left out: a duplicate (--duplicates keep counts them)"},
    {"low_mapq", integer, "", "left out: mapping quality below --min-mapq"},
    {"other_contig", integer, "", "left out: on a contig that the genome lacks"},
    {"no_pair", integer, "", "left out: fragments are counted, and it is not one of a proper pair"},
    {"other_length", integer, "", "left out: fragment length not within --fragment-length, or not known"},
    {"other_strand", integer, "", "left out: not on --strand"},
    {"other_barcode", integer, "", "left out: barcode not in --barcodes"},
    {"fragment_5", number, "bp",
     "fragment length that 5 % of the counted fragments do not exceed; . if there are none"},
    {"fragment_25", number, "bp", "the same of 25 %"},
    {"fragment_50", number, "bp", "the median"},
    {"fragment_75", number, "bp", "the same of 75 %"},
    {"fragment_95", number, "bp", "the same of 95 %"},
    {"in_peaks", number, "", "share of what is counted that overlaps --peaks; . without peaks"},
    {"enrichment", number, "",
     "cuts in a base within 50 bp of --start-sites, by those in a base 1900 to 2000 bp away; . without sites"}};

const std::vector<TableEntry> kTables{
    {"predict-promoter", "predict-promoter", "Columns",
     interval({{"name", text, "", "name of the record or region; . in a scan"},
               {"score", number, "probability", "of a promoter; . if there is too much N"},
               {"strand", text, "", "the strand that was read; . with --strands average"},
               {"call", flag, "", "1 from the threshold on, 0 below; . without a score"},
               {"seen", flag, "",
                "with --seen: 1 if the interval overlaps the model's training data, 0 if not, . if not known"},
               {"kmers", number, "log-odds", "with --parts: what the k-mers add"},
               {"network", number, "log-odds", "with --parts: what the network on bases adds"},
               {"encoder", number, "log-odds", "with --parts: what the encoder adds"},
               {"kernel", number, "log-odds",
                "with --parts: what the kernel model adds; the parts add up to the score's log-odds, for one model"}})},
    {"start-sites", "predict-promoter", "Columns of --bed",
     interval({{"name", text, "", "name of the record or region; . in a scan"},
               {"score", integer, "", "1000 x probability"},
               {"strand", text, "", "strand of the start site; . with --strands average"}})},
    {"explain", "explain", "Columns",
     interval({{"name", text, "", "column 4 of the BED file, the region, or the name of the record"},
               {"base", text, "", "the base that stands there, on the forward strand"},
               {"FEATURE", numbers, "logit",
                "one column per feature: the base's contribution; mutagenesis: the logit less the mean of the logits "
                "with A, C, G and T there; gradient: its gradient less the mean of the four bases'; integrated: its "
                "mean gradient on the way from shuffled bases less that of the shuffled base; . for N"}})},
    {"contributions", "explain", "Columns of bedGraph",
     interval({{"contribution", number, "logit", "the base's contribution to the feature"}})},
    {"substitutions", "explain", "Columns of --substitutions",
     interval({{"name", text, "", "as above"},
               {"ref", text, "", "the base that stands there"},
               {"alt", text, "", "another base"},
               {"FEATURE", numbers, "logit", "the logit with it less the logit as it is; . where N stands"}})},
    {"kmers",
     "explain",
     "Columns of --kmers, one row per feature and k-mer of a seqlet",
     {{"feature", text, "", "the feature"},
      {"kmer", text, "", "the k-mer or its reverse complement, whichever comes first in the alphabet"},
      {"seqlets", integer, "",
       "seqlets that are this k-mer; seqlets are the windows of k bases with the highest sums of contributions: of the "
       "highest 1 % of all windows those that overlap none with a higher sum"},
      {"windows", integer, "", "windows of all explained bases that are this k-mer"},
      {"enrichment", number, "", "its share of the seqlets over its share of the windows"},
      {"contribution", number, "logit", "mean over these seqlets of the sum over their bases"},
      {"p", number, "",
       "hypergeometric: of so many seqlets or more, had they been drawn from all windows; windows of one sequence "
       "overlap, which it does not know"},
      {"e", number, "", "p times the number of different k-mers among the windows"}}},
    {"motifs",
     "motifs",
     "Columns of --table, one row per filter",
     {{"motif", text, "", "networkN_filterN: the filter, both numbers from 0"},
      {"sites", integer, "", "bins that the motif is counted from"},
      {"information", number, "bits", "sum over the columns of 2 less the entropy"},
      {"consensus", text, "", "the likeliest base of each column"},
      {"serves", text, "", "the feature with the largest effect, of either sign"},
      {"FEATURE", numbers, "logit",
       "one column per feature: what the filter adds to its network's logit, the mean over --bins bins of the logit "
       "less the logit where the filter's output in the bin is its mean over the input"}}},
    {"matches",
     "motifs",
     "Columns of --matches, one row per filter and known motif that it resembles",
     {{"motif", text, "", "the filter's motif"},
      {"known", text, "", "name of the known motif"},
      {"known_name", text, "", "its other name; . for none"},
      {"strand", text, "", "- if the known motif's reverse complement resembles it"},
      {"offset", integer, "", "columns of the known motif before the filter's first; negative: after it"},
      {"overlap", integer, "", "columns that lie on each other"},
      {"distance", number, "", "mean Euclidean distance of these columns, 0 to 1.41"},
      {"correlation", number, "", "Pearson's, of their probabilities"},
      {"p", number, "",
       "probability that columns drawn from all known motifs would lie as near, corrected for the number of "
       "alignments"},
      {"e", number, "", "p times the number of known motifs"}}},
    {"coverage", "coverage", "Columns of --table, one row per input", kCoverage},
    {"marginalize",
     "marginalize",
     "Columns, one row per arrangement of motifs and feature",
     {{"motif", text, "", "the motif, or the first of two"},
      {"strand", text, "", "- if its reverse complement was put in"},
      {"second", text, "", "the motif behind it; . for none"},
      {"second_strand", text, "", "likewise"},
      {"distance", text, "bp", "bases between the two; . for a motif alone"},
      {"feature", text, "", "the feature"},
      {"sequences", integer, "", "sequences that the means are over"},
      {"change", number, "logit", "mean of the logit with the motifs in the middle less the logit without them"},
      {"change_low", number, "logit", "the mean less 1.96 standard errors; . for one sequence"},
      {"change_high", number, "logit", "the mean and 1.96 standard errors"},
      {"null", number, "logit", "the same where the columns of each motif are shuffled, in each sequence anew"},
      {"null_low", number, "logit", "as above"},
      {"null_high", number, "logit", "as above"},
      {"interaction", number, "logit",
       "mean of the change less the changes by each of the two motifs alone in its place; . for a motif alone"},
      {"interaction_low", number, "logit", "as above"},
      {"interaction_high", number, "logit", "as above"}}},
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
      {"contains_unk", truth, "", "whether the reference sequence that was read has N"},
      {"skipped", text, "", "why there is no score; . if there is one"},
      {"P_REF:FEATURE", numbers, "probability, expected count, or the unit of a measured number",
       "p(ref), the model's prediction with the reference; with --reach the largest over the bins"},
      {"P_REF_percentile:FEATURE", numbers, "%", "with --null: percentile of its absolute value in the background"},
      {"P_ALT:FEATURE", numbers, "probability, expected count, or the unit of a measured number", "p(alt), likewise"},
      {"P_ALT_percentile:FEATURE", numbers, "%", "with --null: likewise"},
      {"DIFF:FEATURE", numbers, "probability, expected count, or the unit of a measured number", "p(alt) - p(ref)"},
      {"DIFF_percentile:FEATURE", numbers, "%", "with --null: likewise"},
      {"LOGIT:FEATURE", numbers, "log-odds", "logit(alt) - logit(ref)"},
      {"LOGIT_percentile:FEATURE", numbers, "%", "with --null: likewise"},
      {"SAR:FEATURE", numbers, "", "log2(1 + p(alt)) - log2(1 + p(ref))"},
      {"SAR_percentile:FEATURE", numbers, "%", "with --null: likewise"},
      {"LFC:FEATURE", numbers, "log2", "log2 of the ratio of expected counts, alt / ref, over the bins within --reach"},
      {"LFC_percentile:FEATURE", numbers, "%", "with --null: likewise"},
      {"JSD:FEATURE", numbers, "",
       "Jensen-Shannon distance (base 2) of the profiles of ref and alt, by a profile model"},
      {"AAQ:FEATURE", numbers, "", "the larger of both alleles' quantiles among the expected counts of --peaks"},
      {"DIST", numbers, "", "Euclidean distance of the mean hidden states"},
      {"DIST_percentile", numbers, "%", "with --null: likewise"},
      {"LLR", numbers, "nats", "ln p(alt) - ln p(ref) of the bases, by a language model; negative: alt is less likely"},
      {"LLR_percentile", numbers, "%", "with --null: likewise"},
      {"seen", flag, "",
       "1 if the sequence that was read overlaps the model's training data, 0 if not, . if not known or skipped"}}},
    {"ranked variants",
     "variants",
     "Columns of --table, one row per allele, the strongest first",
     {{"rank", integer, "", "from 1, by the absolute value of the first of --effects"},
      {"chrom", text, "", "CHROM, as the input spells it"},
      {"pos", integer, "bp", "POS, 1-based"},
      {"name", text, "", "ID"},
      {"ref", text, "", "REF"},
      {"alt", text, "", "the alternative allele"},
      {"output", text, "", "the output with the largest effect; score if there is only one, . for DIST and LLR"},
      {"effect", text, "", "the first of --effects"},
      {"value", numbers, "that of the effect", "its value on this output"},
      {"percentile", numbers, "%", "its percentile in the background; . without one"},
      {"logit", numbers, "log-odds", "LOGIT of this output; . if there is none"},
      {"p_ref", numbers, "as of P_REF", "P_REF of this output; . if there is none"},
      {"p_alt", numbers, "as of P_ALT", "P_ALT, likewise"},
      {"seen", flag, "", "1 if training has read that sequence, 0 if not, . if not known"},
      {"gene", text, "", "with --genes: the name of the nearest start site; . without one"},
      {"distance", text, "bp",
       "with --genes: POS from that start site along its strand, negative upstream; . if the contig has none"}}},
    {"embed",
     "embed",
     "Columns",
     {{"name", label, "", "of the record; of a region its name, or its coordinates"},
      {"start", integer, "bp", "first base, 0-based, in the record as read (a region along its strand)"},
      kEnd,
      {"token", integer, "", "with --pool token and base: its id in the vocabulary"},
      {"vI", numbers, "", "v0, v1 ...: the hidden units"}}},
    {"likelihood",
     "likelihood",
     "Columns",
     {{"name", label, "", "of the record; of a region its name, or its coordinates"},
      {"start", integer, "bp", "first base, 0-based, in the record as read (a region along its strand)"},
      kEnd,
      {"tokens", integer, "", "with --each record: how many tokens were scored; N and other letters have none"},
      {"scored_bases", integer, "bp", "with --each record: how many bases these tokens have"},
      {"token", integer, "", "with --each token: its id in the vocabulary"},
      {"bits", numbers, "bits", "sum of -log2 p over the tokens; . where none was scored"},
      {"bits_per_base", numbers, "bits", "bits over scored bases"}}},
    {"profile", "profile", "Columns",
     interval(
         {{"name", text, "", "column 4 of the BED file; . if there is none, and for records"},
          {"counts", numbers, "reads", "expected number of reads in the profile's bases, exp(log_counts)"},
          {"log_counts", numbers, "", "the model's answer: the natural logarithm of the counts"},
          {"profile", numbers, "reads",
           "HDF5: expected reads at each base, counts times the softmax of the profile's logits; of a model of two "
           "strands, first + and then -"}},
         "contig as the input spells it, or the name of the record")},
    {"tokens", "tokenize", "Columns of --format tokens (BED6)",
     interval({{"name", text, "", "the piece; [UNK] stands for all the bases it replaces, and some tokens for no base"},
               {"score", integer, "", "token id"},
               {"strand", text, "",
                "- for an interval of -R on that strand, which is read as its reverse complement; otherwise +"}},
              kSequence)},
    {"sequences", "tokenize", "Columns of --format pieces and ids",
     interval({{"name", text, "", "the record's, column 4 of the BED file, or ."},
               {"score", integer, "", "number of tokens"},
               {"strand", text, "", "as above"},
               {"tokens", text, "", "pieces or ids, separated by spaces, from the interval's 5' end"}},
              kSequence)},
    {"statistics",
     "tokenize",
     "Columns of --stats",
     {{"statistic", text, "", "its name (below)"},
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

std::span<const TableEntry> column_dictionary() { return kTables; }

const ColumnEntry& entry_of(std::string_view table, std::string_view column) {
  const TableEntry* entry = find_row(kTables, table);
  const ColumnEntry* found = entry ? find_row(entry->columns, column) : nullptr;
  if (found) return *found;
  fail("internal error: the dictionary of columns has no ", column, " of ", table);
}

bool is_fixed_column(std::string_view name) {
  constexpr std::string_view kFeature = "FEATURE", kDigits = "0123456789";
  for (const TableEntry& table : kTables) {
    const bool ranked = find_row(table.columns, "rank");  // it has no column that is called like an output
    if (ranked || !(find_row(table.columns, kFeature) || find_row(table.columns, "chrom"))) continue;
    for (const ColumnEntry& column : table.columns) {
      std::string_view stem = column.name;
      if (stem.ends_with(kFeature)) {  // kmers:FEATURE
        stem.remove_suffix(kFeature.size());
        if (!stem.empty() && name.starts_with(stem)) return true;
      } else if (column.type == texts) {  // columnN
        stem.remove_suffix(1);
        if (name.starts_with(stem) && name.find_first_not_of(kDigits, stem.size()) == std::string_view::npos)
          return true;
      } else if (name == stem) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace bigdna::io
