#include "apps/options/tokenize.h"

#include "apps/options/checks.h"

namespace bigdna::apps {

void TokenizeOptions::define(CLI::App& app) {
  app.add_option(
         "input", input,
         "FASTA (plain, gzip or bgzip; with -r or -R plain or bgzip), or text with a sequence a line (.txt, "
         ".txt.gz, or --text, taken as it stands); - is stdin")
      ->required()
      ->type_name("FILE");
  app.add_option("--vocab", vocabulary,
                 "A vocabulary folder, a SentencePiece .model, a tokenizer.json (BPE; GENA-LM's and "
                 "DNABERT-2's too) or "
                 "a model folder")
      ->required()
      ->type_name("PATH");
  auto* bed = app.add_option("-R,--regions", regions,
                             "Only these intervals, each a sequence, on its strand; in order")
                  ->type_name("BED");
  auto* one =
      app.add_option("-r,--region", region, "Only this interval, as samtools writes it: chr20:1,001-2,000")
          ->type_name("REGION");
  bed->excludes(one);
  auto* lines =
      app.add_flag("--text", text, "The input is text, whatever its name")->excludes(bed)->excludes(one);
  (void)lines;
  add_invalid_bases(app, invalid_bases);

  const char* group = "Output";
  app.add_option("-o,--output", output, "TSV; .gz is written as BGZF; - is stdout")
      ->type_name("FILE")
      ->capture_default_str()
      ->group(group);
  auto* choice = app.add_option("--format", format,
                                "tokens: a row for each token; pieces or ids: a row for each sequence")
                     ->check(CLI::IsMember({"tokens", "pieces", "ids"}))
                     ->capture_default_str()
                     ->group(group);
  auto* numbers = app.add_flag("--ids", ids, "The same as --format ids")->group(group)->excludes(choice);
  app.add_flag("--stats", stats, "Statistics of all sequences together, in place of tokens")
      ->group(group)
      ->excludes(choice)
      ->excludes(numbers);
  app.add_option("--top", top, "Most frequent pieces that --stats lists")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  common.define(app);
  app.footer(
      "Columns of --format tokens (BED6: bedtools reads it):\n"
      "  chrom   sequence; for text the line's number\n"
      "  start   first base, 0-based, on the forward strand\n"
      "  end     past the last base\n"
      "  name    the piece; a token may stand for no base ([UNK] stands for all it replaces)\n"
      "  score   the token's id\n"
      "  strand  - for an interval of -R on that strand, read as its reverse complement; else +\n"
      "Columns of --format pieces and ids:\n"
      "  chrom, start, end   the sequence or interval\n"
      "  name    the record's, column 4 of the BED file, or .\n"
      "  score   number of tokens\n"
      "  strand  as above\n"
      "  tokens  pieces or ids, separated by blanks, from the interval's 5' end\n"
      "Rows of --stats (statistic, key, value):\n"
      "  bp_per_token        bases of this text for each token; tokens that hold N or are [UNK] are apart\n"
      "  n_tokens, n_token_bases   these, and the bases they stand for\n"
      "  mean_piece_length   of the vocabulary's pieces, whether they occur here or not\n"
      "  n_fraction, unk_fraction, unk_base_fraction   N of the bases, [UNK] of the tokens, bases that they "
      "replace\n"
      "  length KEY          tokens of KEY bases\n"
      "  piece KEY           how often a piece occurs, the most frequent first");
}

}  // namespace bigdna::apps
