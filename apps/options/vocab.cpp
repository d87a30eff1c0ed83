#include "apps/options/vocab.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "io/output.h"

namespace bigdna::apps {

namespace {
constexpr const char* kFasta = "FASTA";  // what is taken of sequences, and how
}

void VocabOptions::visit(OptionList& visit) {
  visit(inputs, "inputs",
        "FASTA, or text with one sentence per line (.txt, .txt.gz, or --text); plain, gzip, bgzip or xz; - is stdin")
      .type("FILE...")
      .input()
      .required();
  folder
      .visit(visit,
             "Folder for dna.model (SentencePiece), dna.vocab (piece, tab, score), tokenizer.json and vocabulary.json")
      .required();
  visit(text, "--text", "The inputs are text, whatever their names, and are used unchanged");

  visit.group("Vocabulary");
  visit(trainer.vocab_size, "--size,--vocab-size",
        "Number of pieces, including the 5 special tokens; fewer if no pair of tokens occurs twice any more")
      .check(between(6, 65536));
  visit(trainer.max_piece_length, "--max-piece-length", "Length of the longest piece")
      .type("BP")
      .check(between(1, 255));
  using Engine = tokenizer::TrainerOptions::Engine;
  visit.choice<Engine>(trainer.engine, "--trainer",
                       {{"bigdna", Engine::bigdna}, {"sentencepiece", Engine::sentencepiece}},
                       "bigdna: exact BPE; sentencepiece: SentencePiece's own trainer, with the same merges on large "
                       "inputs, hundreds of times slower");
  visit(trainer.memory, "--memory",
        "Memory that training may take: bytes, or a number with k, m or g (1k is 1024), such as 8g; 0: whatever is "
        "fastest (about 3 bytes per "
        "base). Less memory means more passes over the text and gives the same vocabulary")
      .type("BYTES")
      .transform(bytes())
      .check(not_negative())
      .not_decisive();
  visit(top, "--top", "Number of most frequent pieces to print at the end").check(not_negative()).not_decisive();

  visit.group("Sentences (of FASTA)");
  visit(sampler.passes, "--passes", "Passes of the sampler over each contig, each from a random start")
      .check(positive())
      .tag(kFasta);
  visit(sampler.start_max, "--start", "Start each pass at a random position from 0 to BP")
      .type("BP")
      .check(not_negative())
      .tag(kFasta);
  visit(every_base, "--every-base", "One pass from the first base of each contig: --passes 1 --start 0")
      .excludes({"--passes", "--start"})
      .tag(kFasta);
  visit(sampler.max_n_fraction, "--max-n-fraction", "Leave out sentences with a larger fraction of N")
      .check(between(0.0, 1.0))
      .tag(kFasta);
  visit(contigs, "--contigs", "Contigs to use: primary, all or a regular expression").type("CONTIGS").tag(kFasta);
  visit(regions, "-R,--regions", "Use only these intervals").type("BED").input().tag(kFasta);
  visit(exclude, "--exclude", "Leave out these intervals").type("BED").input().tag(kFasta);
  visit(hold_out, "--hold-out",
        "Sequence to leave out, as in corpus and pretrain with the same --seed: a BED file, contigs (comma-separated), "
        "or a fraction in whole "
        "blocks; 0: nothing")
      .type("BED|CONTIG|FRACTION")
      .input()
      .tag(kFasta);
  visit_invalid_bases(visit, invalid_bases).tag(kFasta);
  common.visit_with_seed(visit);
}

bool VocabOptions::is_text() const {
  size_t named = 0;
  for (const std::string& path : inputs) named += io::has_suffix(path, {".txt", ".txt.gz", ".txt.bgz", ".txt.xz"});
  if (text) return true;
  if (named != 0 && named != inputs.size()) throw UsageError("the inputs are a mixture of FASTA and text");
  return named != 0;
}

void VocabOptions::finish(const OptionList& list) {
  require_different(inputs);
  if (is_text()) list.refuse_with(kFasta, "on text, which is used unchanged (only on FASTA)");
}

}  // namespace bigdna::apps
