#include "apps/options/corpus.h"

#include <charconv>
#include <map>

#include "apps/options/checks.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {
/// MIN-MAX, or a single number for both.
void add_range(CLI::App& app, const std::string& flag, int64_t& low, int64_t& high, const std::string& help,
               const char* type, const char* group) {
  const auto parse = [flag, &low, &high](const std::string& text) {
    const char* const end = text.data() + text.size();
    int64_t first = 0, second = 0;
    auto [at, error] = std::from_chars(text.data(), end, first);
    second = first;
    if (error == std::errc() && at != end && *at == '-') {
      const auto rest = std::from_chars(at + 1, end, second);
      at = rest.ptr;
      error = rest.ec;
    }
    if (error != std::errc() || at != end || first < 1 || second < first)
      throw CLI::ValidationError(flag, "'" + text + "' is no range MIN-MAX of numbers from 1 on");
    low = first;
    high = second;
  };
  app.add_option_function<std::string>(flag, parse, help)
      ->type_name(type)
      ->default_str(concat(low, "-", high))
      ->group(group);
}
}  // namespace

void CorpusOptions::define(CLI::App& app) {
  using Strands = corpus::SamplerOptions::Strands;
  auto& s = build.sampler;
  app.add_option("input", inputs, "FASTA files: plain, gzip or BGZF; - is stdin. With --show a corpus folder")
      ->required()
      ->type_name("FASTA");
  auto* vocab = app.add_option("--vocab", vocabulary,
                               "The vocabulary: a folder of bigdna vocab, a SentencePiece .model, a "
                               "tokenizer.json or a model folder")
                    ->type_name("PATH");
  folder.define(app, "The corpus folder");
  auto* output = app.get_option("--output")->required(false);
  app.add_option("--file-size", build.file_size,
                 "Bytes of tokens in a corpus file (2 a token); 64mb and the like too")
      ->transform(bytes())
      ->check(positive())
      ->type_name("BYTES")
      ->capture_default_str();

  const char* sampling = "Sampling (the paper's F.1)";
  app.add_option("--passes", s.passes, "Times that the genome is cut into documents")
      ->check(positive())
      ->capture_default_str()
      ->group(sampling);
  app.add_option("--start", s.start_max, "A pass starts at 0 to BP on each contig")
      ->check(not_negative())
      ->type_name("BP")
      ->capture_default_str()
      ->group(sampling);
  add_range(app, "--sentences", s.sentences_min, s.sentences_max, "Sentences of a document", "MIN-MAX",
            sampling);
  add_range(app, "--sentence-length", s.sentence_min, s.sentence_max, "Length of a sentence", "MIN-MAX BP",
            sampling);
  app.add_option("--max-n-fraction", s.max_n_fraction,
                 "Sentences with a larger share of N are left out and end their document (1 keeps all, as "
                 "the paper does)")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(sampling);
  static const std::map<std::string, Strands> strands{{"forward", Strands::forward}, {"both", Strands::both}};
  app.add_option_function<std::string>(
         "--strands", [&s](const std::string& text) { s.strands = strands.at(text); },
         "forward, or both: half of the documents are reverse-complemented")
      ->check(CLI::IsMember(strands))
      ->default_str("forward")
      ->group(sampling);

  const char* sequence = "Sequence";
  app.add_option("--contigs", build.contigs,
                 "primary (all but *_alt, *_random, *_fix, chrUn*, *decoy*, hs37d5, HLA*), all, or a regular "
                 "expression for whole names")
      ->capture_default_str()
      ->group(sequence);
  app.add_option("-R,--regions", build.regions, "Only these intervals")->type_name("BED")->group(sequence);
  app.add_option("--exclude", build.exclude, "Nothing of these intervals")->type_name("BED")->group(sequence);
  app.add_option("--hold-out", build.hold_out,
                 "Kept out of training, in CORPUS/validation: a BED file, contigs (comma-separated), or a "
                 "fraction in whole blocks drawn by --seed; 0: nothing")
      ->type_name("BED|CONTIG|FRACTION")
      ->capture_default_str()
      ->group(sequence);
  add_invalid_bases(app, build.invalid_bases);

  const char* showing = "Showing a corpus";
  auto* show_option =
      app.add_option("--show", show,
                     "Print the first N documents of a corpus folder as FASTA, a sentence a line, and leave")
          ->check(positive())
          ->type_name("N")
          ->group(showing);
  show_option->excludes(vocab)->excludes(output);
  app.add_option("--part", part, "training or validation")
      ->check(CLI::IsMember({"training", "validation"}))
      ->capture_default_str()
      ->needs(show_option)
      ->group(showing);
  common.define(app);
  common.define_seed(app);
  app.parse_complete_callback([this] { require_different(inputs); });
  app.footer(
      "Writes into -o DIR:\n"
      "  training/NNNNN.safetensors    documents to train on. D documents, S sentences, T tokens; arrays: "
      "tokens [T],\n"
      "                                sentence_starts [S] (tokens from the document's first), "
      "sentence_bases [S] (bases from\n"
      "                                its 5' end), document_tokens and document_sentences [D + 1] (first of "
      "each),\n"
      "                                document_contig (row in corpus.json), document_start, document_end "
      "(0-based),\n"
      "                                document_strand, document_pass [D]\n"
      "  validation/NNNNN.safetensors  the same of what is held out: once, from the first base of each "
      "interval\n"
      "  dna.model                     the vocabulary (tokenizer.json where a .model cannot hold it)\n"
      "  corpus.json                   settings, counts, contigs, intervals and checksums; written last\n"
      "--show prints >CONTIG:START-END(STRAND) document=N pass=N sentences=N tokens=N, 1-based as samtools "
      "faidx takes it;\n"
      "on - the sequence is the reverse complement.");
}

}  // namespace bigdna::apps
