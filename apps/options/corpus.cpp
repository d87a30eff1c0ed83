#include "apps/options/corpus.h"

#include <charconv>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

namespace {
constexpr const char* kBuilding = "building";  // how a corpus is made: --show reads one

/// MIN-MAX, or a single number for both.
Option::Text range(const std::string& flag, int64_t& low, int64_t& high) {
  Option::Text text;
  text.get = [&low, &high] { return concat(low, "-", high); };
  text.set = [flag, &low, &high](const std::string& given) {
    const char* const end = given.data() + given.size();
    int64_t first = 0, second = 0;
    auto [at, error] = std::from_chars(given.data(), end, first);
    second = first;
    if (error == std::errc() && at != end && *at == '-') {
      const auto rest = std::from_chars(at + 1, end, second);
      at = rest.ptr;
      error = rest.ec;
    }
    if (error != std::errc() || at != end || first < 1 || second < first)
      throw CLI::ValidationError(flag, "'" + given + "' is not a range MIN-MAX of numbers from 1 on");
    low = first;
    high = second;
  };
  return text;
}
}  // namespace

void CorpusOptions::visit(OptionList& visit) {
  using Strands = corpus::SamplerOptions::Strands;
  auto& s = build.sampler;
  visit(inputs, "input", "FASTA files, plain, gzip, bgzip or xz; - is stdin. With --show: a corpus folder")
      .type("FASTA...")
      .input()
      .required();
  visit(vocabulary, "--vocab",
        "The vocabulary: a folder of bigdna vocab, a SentencePiece .model, a tokenizer.json or a model folder")
      .type("PATH")
      .path_or_name()
      .input(model_folder::vocabulary_files_of)
      .tag(kBuilding);
  folder.visit(visit, "The corpus folder");
  for (const char* option : {"--output", "--resume", "--force"}) visit[option].tag(kBuilding);
  visit(build.file_size, "--file-size",
        "Largest size of a corpus file: bytes (2 per token), or a number with k, m or g, such as 64m")
      .type("BYTES")
      .transform(bytes())
      .check(positive())
      .tag(kBuilding);

  visit.group("Sampling (appendix F.1 of the paper)");
  visit(s.passes, "--passes", "Number of times the genome is cut into documents").check(positive()).tag(kBuilding);
  visit(s.start_max, "--start", "A pass starts at a random position from 0 to BP on each contig")
      .type("BP")
      .check(not_negative())
      .tag(kBuilding);
  visit(range("--sentences", s.sentences_min, s.sentences_max), "--sentences", "Number of sentences in a document")
      .type("MIN-MAX")
      .tag(kBuilding);
  visit(range("--sentence-length", s.sentence_min, s.sentence_max), "--sentence-length", "Length of a sentence in bp")
      .type("MIN-MAX")
      .tag(kBuilding);
  visit(s.max_n_fraction, "--max-n-fraction",
        "Leave out sentences with a larger fraction of N, and end the document there (1 keeps all sentences, as in the "
        "paper)")
      .check(between(0.0, 1.0))
      .tag(kBuilding);
  visit
      .choice<Strands>(s.strands, "--strands", {{"forward", Strands::forward}, {"both", Strands::both}},
                       "forward: as in the FASTA; both: half of the documents are reverse-complemented")
      .tag(kBuilding);

  visit.group("Sequence");
  visit(build.contigs, "--contigs",
        "Contigs to use: primary (all but *_alt, *_random, *_fix, chrUn*, *decoy*, hs37d5 and HLA*), all, or a regular "
        "expression for whole names")
      .type("CONTIGS")
      .tag(kBuilding);
  visit(build.regions, "-R,--regions", "Use only these intervals").type("BED").input().tag(kBuilding);
  visit(build.exclude, "--exclude", "Leave out these intervals").type("BED").input().tag(kBuilding);
  visit(build.hold_out, "--hold-out",
        "Sequence to hold out of training and write to CORPUS/validation: a BED file, contigs (comma-separated), or a "
        "fraction of the genome, in whole blocks drawn by --seed; 0: nothing")
      .type("BED|CONTIG|FRACTION")
      .input()
      .tag(kBuilding);
  visit_invalid_bases(visit, build.invalid_bases).tag(kBuilding);

  visit.group("Showing a corpus");
  visit(show, "--show", "Print the first N documents of a corpus folder as FASTA, one sentence per line, and exit")
      .check(positive())
      .type("N")
      .default_is("")
      .not_decisive();
  visit(part, "--part", "Which part of the corpus to show")
      .one_of({"training", "validation"})
      .needs({"--show"})
      .not_decisive();
  common.visit_with_seed(visit);
}

void CorpusOptions::finish(const OptionList& list) {
  require_different(inputs);
  if (show > 0) return list.refuse_with(kBuilding, "with --show, which only reads a corpus");
  for (const char* option : {"--vocab", "--output"})
    if (!list.given(option)) throw UsageError(concat(option, " is required"));
}

std::string CorpusOptions::details() {
  return R"(Writes into -o DIR:
  training/NNNNN.safetensors    documents to train on. For D documents, S sentences and T tokens, the arrays
                                are tokens [T], sentence_starts [S] (in tokens, from the document's first),
                                sentence_bases [S] (in bases, from its 5' end), document_tokens and
                                document_sentences [D + 1] (the first of each document), document_contig
                                (row in corpus.json), document_start, document_end (0-based),
                                document_strand and document_pass [D]
  validation/NNNNN.safetensors  the same arrays of held-out sequence: each interval once, from its first base
  dna.model                     the vocabulary (tokenizer.json if a .model cannot represent it)
  options.json                  the options of the command
  corpus.json                   settings, counts, contigs, intervals and checksums; written last
--show prints >CONTIG:START-END(STRAND) document=N pass=N sentences=N tokens=N. Coordinates are 1-based, as
in samtools faidx. On strand - the sequence is the reverse complement.)";
}

}  // namespace bigdna::apps
