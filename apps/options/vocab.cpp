#include "apps/options/vocab.h"

#include <map>

#include "apps/options/checks.h"

namespace bigdna::apps {

void VocabOptions::define(CLI::App& app) {
  app.add_option("inputs", inputs,
                 "FASTA (plain, gzip or bgzip), or text with a sentence a line (.txt, .txt.gz, or --text); - "
                 "is stdin")
      ->required()
      ->type_name("FILE");
  folder.define(app,
                "Folder for dna.model (SentencePiece), dna.vocab (piece, tab, score), tokenizer.json, "
                "vocabulary.json");
  app.add_flag("--text", text, "The inputs are text, whatever their names; taken as it stands");

  const char* group = "Vocabulary";
  app.add_option("--size,--vocab-size", trainer.vocab_size,
                 "Pieces, the 5 special tokens included; fewer when no pair occurs twice any more")
      ->check(between(6, 65536))
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-piece-length", trainer.max_piece_length, "Longest piece")
      ->type_name("BP")
      ->check(between(1, 255))
      ->capture_default_str()
      ->group(group);
  static const std::map<std::string, tokenizer::TrainerOptions::Engine> engines{
      {"bigdna", tokenizer::TrainerOptions::Engine::bigdna},
      {"sentencepiece", tokenizer::TrainerOptions::Engine::sentencepiece}};
  app.add_option_function<std::string>(
         "--trainer", [this](const std::string& value) { trainer.engine = engines.at(value); },
         "bigdna: exact BPE; sentencepiece: that library's own trainer, the same merges on large inputs, "
         "hundreds of "
         "times slower")
      ->check(CLI::IsMember({"bigdna", "sentencepiece"}))
      ->default_str("bigdna")
      ->group(group);

  app.add_option("--memory", trainer.memory,
                 "Memory that training may take, e.g. 8G; 0: what is fastest (about 3 bytes a base). Less means more "
                 "passes over the text, the same vocabulary")
      ->type_name("BYTES")
      ->transform(bytes())
      ->check(not_negative())
      ->default_str("0")
      ->group(group);

  app.add_option("--top", top, "Most frequent pieces that are named at the end")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);

  group = "Sentences (of FASTA)";
  app.add_option("--passes", sampler.passes,
                 "Passes of the sampler over each contig, from a random start each")
      ->check(positive())
      ->capture_default_str()
      ->group(group);
  app.add_option("--start", sampler.start_max, "A pass starts at a random position up to this")
      ->type_name("BP")
      ->check(not_negative())
      ->capture_default_str()
      ->group(group);
  app.add_flag("--every-base", every_base, "One pass from each contig's first base on: --passes 1 --start 0")
      ->excludes("--passes")
      ->excludes("--start")
      ->group(group);
  app.add_option("--max-n-fraction", sampler.max_n_fraction,
                 "Sentences with a larger share of N are left out")
      ->check(between(0.0, 1.0))
      ->capture_default_str()
      ->group(group);
  app.add_option("--contigs", contigs, "Contigs used: primary, all or a regular expression")
      ->capture_default_str()
      ->group(group);
  app.add_option("-R,--regions", regions, "Only these intervals")->type_name("BED")->group(group);
  app.add_option("--exclude", exclude, "Nothing of these intervals")->type_name("BED")->group(group);
  app.add_option("--hold-out", hold_out,
                 "Left out, as corpus and pretrain with the same --seed do: a BED file, contigs (comma-separated), or "
                 "a fraction in whole blocks; 0: nothing")
      ->type_name("BED|CONTIG|FRACTION")
      ->capture_default_str()
      ->group(group);
  add_invalid_bases(app, invalid_bases);
  common.define(app);
  common.define_seed(app);
  app.parse_complete_callback([this] { require_different(inputs); });
}

}  // namespace bigdna::apps
