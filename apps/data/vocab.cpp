#include "apps/options/vocab.h"

#include <chrono>
#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "corpus/build.h"
#include "corpus/sentences.h"
#include "genome/contigs.h"
#include "io/folder.h"
#include "io/manifest.h"
#include "tokenizer/statistics.h"
#include "tokenizer/vocabulary_folder.h"

namespace bigdna::apps {
namespace {

bool leaves_out(const VocabOptions& options) {
  return !options.regions.empty() || !options.exclude.empty() ||
         (options.hold_out != "0" && options.hold_out != "none") ||
         genome::ContigFilter(options.contigs).has_wildcards();  // it may be a name, which all of the input tells
}

/// What the vocabulary is trained on, and what is held out.
struct Read {
  genome::IntervalSet training, held_out;
};

/// The same before the training, if an option may leave anything out. Reads the input once more.
std::optional<corpus::Survey> survey(const VocabOptions& options) {
  if (!leaves_out(options)) return std::nullopt;
  corpus::BuildOptions build;
  build.fastas = options.inputs;
  build.sampler = options.sampler;
  build.sampler.seed = options.common.seed;
  build.contigs = options.contigs;
  build.regions = options.regions;
  build.exclude = options.exclude;
  build.hold_out = options.hold_out;
  build.invalid_bases = options.invalid_bases;
  build.threads = options.common.threads;
  return corpus::survey(build);
}

tokenizer::Vocabulary train(const VocabOptions& options, const std::optional<corpus::Survey>& survey,
                            tokenizer::TrainingReport& report, std::optional<Read>& read) {
  tokenizer::TrainerOptions trainer = options.trainer;
  trainer.threads = options.common.threads;
  if (options.is_text()) {
    corpus::TextSentences sentences(options.inputs);
    return train_bpe([&] { return sentences.next(); }, trainer, &report);
  }
  corpus::SentenceOptions genome;
  genome.files = {options.inputs, options.contigs, options.invalid_bases, trainer.threads};
  genome.sampler = options.sampler;
  genome.sampler.seed = options.common.seed;
  if (options.every_base) genome.sampler.start_max = 0;
  genome.survey = survey ? &*survey : nullptr;
  corpus::GenomeSentences sentences(genome);
  bool said = false;
  auto vocabulary = train_bpe(
      [&] {
        const auto sentence = sentences.next();
        if (sentence || said) return sentence;
        said = true;
        if (sentences.contigs().empty() && !sentences.left_out().empty())
          fail("--contigs ", options.contigs, ": leaves out every sequence (", sentences.left_out().size(), ")");
        genome::log_left_out(options.contigs, sentences.left_out(),
                             sentences.left_out().size() + sentences.contigs().size());
        return sentence;
      },
      trainer, &report);
  corpus::warn_of_short_contigs(genome.sampler, sentences.contigs());
  read = survey ? Read{survey->training, survey->held_out} : Read{genome::all_of(sentences.contigs()), {}};
  return vocabulary;
}

/// Logs statistics of the training text in the vocabulary's pieces.
void report_statistics(const tokenizer::Statistics& s, const tokenizer::Vocabulary& vocabulary, int64_t top) {
  log::info("this text: ", tokenizer::fixed(s.bases_per_token(), 2), " bp per token",
            s.n_tokens > 0 ? concat(", ", counted(s.n_tokens, "token"), " of N not counted") : "", "; N ",
            tokenizer::fixed(100 * s.n_fraction(), 3), " % of the bases, [UNK] ",
            tokenizer::fixed(100 * s.unknown_fraction(), 3), " % of the tokens");
  log::info(tokenizer::length_histogram(vocabulary));
  if (top > 0) log::info("most frequent: ", s.most_frequent(top));
}

void build(const VocabOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  log::info("seed ", options.common.seed);
  tokenizer::TrainingReport report;
  const auto surveyed = survey(options);
  std::optional<Read> read;  // none of text
  const tokenizer::Vocabulary vocabulary = train(options, surveyed, report, read);

  io::Manifest manifest;
  manifest.seed = options.common.seed;
  for (size_t i = 0; i < options.inputs.size(); ++i)
    manifest.add_input(surveyed ? surveyed->inputs[i] : io::input_file(options.inputs[i]));
  manifest.details = {{"sentences", report.sentences}, {"bases", report.characters}};
  tokenizer::Statistics statistics(vocabulary);
  statistics.add(report.token_counts);
  if (statistics.tokens > 0) {
    manifest.details["tokens"] = statistics.tokens;
    manifest.details["n_tokens"] = statistics.n_tokens;
    manifest.details["bp_per_token"] = statistics.bases_per_token();
    manifest.details["n_fraction"] = statistics.n_fraction();
    manifest.details["unk_fraction"] = statistics.unknown_fraction();
  }
  if (read) {
    manifest.details["training_intervals"] = genome::to_json(read->training);
    manifest.details["held_out_intervals"] = genome::to_json(read->held_out);
  }
  tokenizer::write_vocabulary_folder(options.folder.output, vocabulary, std::move(manifest));

  log::info(vocabulary.size(), " pieces of ", tokenizer::fixed(vocabulary.mean_piece_length(), 2),
            " bp on average, from ", counted(report.sentences, "sentence"), " of ",
            log::human(static_cast<double>(report.characters)), "bp");
  if (statistics.tokens > 0) report_statistics(statistics, vocabulary, options.top);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  log::info(log::duration(taken.count()), ", peak memory ", log::human(static_cast<double>(log::peak_memory())), "B");
}

}  // namespace

void run(const VocabOptions& options) {
  auto inputs = options.inputs;
  for (const std::string& path : {options.regions, options.exclude, options.hold_out}) inputs.push_back(path);
  io::build_output_folder({options.folder.output, "vocabulary", options.folder.existing(), inputs},
                          [&] { build(options); });
}

}  // namespace bigdna::apps
