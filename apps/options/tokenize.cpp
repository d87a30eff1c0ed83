#include "apps/options/tokenize.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void TokenizeOptions::visit(OptionList& visit) {
  visit(input, "input",
        "FASTA (plain, gzip, bgzip or xz; with -r or -R plain or bgzip), or text with one sequence per line, taken as "
        "it is (.txt, .txt.gz, or --text); - is stdin")
      .type("FILE")
      .input()
      .required();
  visit(vocabulary, "--vocab",
        "A vocabulary folder, a SentencePiece .model, a tokenizer.json (BPE; those of GENA-LM and DNABERT-2 too) or a "
        "model folder")
      .type("PATH")
      .input(model_folder::vocabulary_files_of)
      .required();
  visit(regions, "-R,--regions",
        "Tokenize only these intervals, each as a sequence on its strand, in the order of the file")
      .type("BED")
      .input()
      .excludes({"--region"});
  visit(region, "-r,--region", "Tokenize only this interval, in samtools' notation: chr20:1,001-2,000").type("REGION");
  visit(text, "--text", "The input is text, whatever its name").excludes({"--regions", "--region"});
  visit_invalid_bases(visit, invalid_bases);

  visit.group("Output");
  visit(output, "-o,--output", "TSV; BGZF if the name ends in .gz; - is stdout").type("FILE").not_decisive();
  visit(format, "--format", "tokens: one row per token; pieces or ids: one row per sequence")
      .one_of({"tokens", "pieces", "ids"});
  visit(ids, "--ids", "The same as --format ids").excludes({"--format"});
  visit(stats, "--stats", "Print statistics of all sequences together instead of tokens")
      .excludes({"--format", "--ids"});
  visit(top, "--top", "Number of most frequent pieces that --stats lists")
      .check(not_negative())
      .needs({"--stats"});
  common.visit(visit);
}

std::string TokenizeOptions::details() {
  return R"(Columns of --format tokens (BED6, as bedtools reads it):
  chrom   sequence; for text, the line number
  start   first base, 0-based, on the forward strand
  end     past the last base
  name    the piece; [UNK] stands for all the bases it replaces, and some tokens stand for no base
  score   token id
  strand  - for an interval of -R on that strand, which is read as its reverse complement; otherwise +
Columns of --format pieces and ids:
  chrom, start, end   the sequence or interval
  name    the record's, column 4 of the BED file, or .
  score   number of tokens
  strand  as above
  tokens  pieces or ids, separated by spaces, from the interval's 5' end
Rows of --stats (statistic, key, value):
  bp_per_token        bases per token of this text; tokens that hold N or are [UNK] are counted apart
  n_tokens, n_token_bases   those tokens, and the bases they stand for
  mean_piece_length   of the vocabulary's pieces, whether they occur here or not
  n_fraction, unk_fraction, unk_base_fraction   fractions of N among the bases, of [UNK] among the tokens,
                                                of the bases [UNK] replaces
  length KEY          number of tokens of KEY bases
  piece KEY           count of a piece, the most frequent first)";
}

}  // namespace bigdna::apps
