#include "apps/options/tokenize.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "io/column_dictionary.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void TokenizeOptions::visit(OptionList& visit) {
  visit(input, "input",
        "FASTA (plain, gzip, bgzip or xz; with -r or -R plain or bgzip), or text with one sequence per line, used "
        "unchanged (.txt, .txt.gz, or --text); - is stdin")
      .type("FILE")
      .input()
      .required();
  visit(vocabulary, "--vocab",
        "A vocabulary folder, a SentencePiece .model, a tokenizer.json (BPE, such as GENA-LM's or DNABERT-2's) or a "
        "model folder")
      .type("PATH")
      .path_or_name()
      .input(model_folder::vocabulary_files_of)
      .required();
  visit(regions, "-R,--regions",
        "Tokenise only these intervals, each as a sequence on its strand, in the order of the file")
      .type("BED")
      .input()
      .excludes({"--region"});
  visit(region, "-r,--region", "Tokenise only this interval, in samtools' notation: chr20:1,001-2,000").type("REGION");
  visit(text, "--text", "The input is text, whatever its name").excludes({"--regions", "--region"});
  visit_invalid_bases(visit, invalid_bases);

  visit.group("Output");
  visit(output, "-o,--output", "TSV; BGZF if the name ends in .gz; - is stdout")
      .type("FILE")
      .writes({io::Format::tsv, io::Format::bed});
  visit(format, "--format", "tokens: one row per token; pieces or ids: one row per sequence")
      .one_of({"tokens", "pieces", "ids"});
  visit(ids, "--ids", "The same as --format ids").excludes({"--format"});
  visit(stats, "--stats", "Print statistics of all sequences together instead of tokens")
      .excludes({"--format", "--ids"});
  visit(top, "--top", "Number of most frequent pieces that --stats lists").check(not_negative()).needs({"--stats"});
  common.visit(visit);
}

std::string TokenizeOptions::details() {
  return io::columns_text("tokenize") + R"(
Rows of --stats (statistic, key, value):
  bp_per_token        bases per token of the input, without tokens that are [UNK] or contain N
  n_tokens, n_token_bases   number of tokens that are [UNK] or contain N, and of their bases
  mean_piece_length   mean length of all pieces of the vocabulary, including those that do not occur here
  n_fraction, unk_fraction, unk_base_fraction   share of N among the bases, of [UNK] among the tokens, and
                                                of the bases that [UNK] replaces
  length KEY          number of tokens that are pieces of KEY bases ([UNK] and runs of N are not counted)
  piece KEY           count of a piece, the most frequent first)";
}

}  // namespace bigdna::apps
