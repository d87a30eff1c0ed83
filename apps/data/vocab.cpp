#include "apps/options/vocab.h"

#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "corpus/sentences.h"
#include "io/manifest.h"
#include "tokenizer/statistics.h"

namespace bigdna::apps {
namespace {

bool is_text(const VocabOptions& options) {
  size_t text = 0;
  for (const std::string& path : options.inputs) text += path.ends_with(".txt") || path.ends_with(".txt.gz");
  if (options.text) return true;
  if (text != 0 && text != options.inputs.size()) throw UsageError("the inputs are part FASTA, part text");
  return text != 0;
}

tokenizer::Vocabulary train(const VocabOptions& options, bool text, tokenizer::TrainingReport& report) {
  tokenizer::TrainerOptions trainer = options.trainer;
  trainer.threads = options.common.threads;
  if (text) {
    corpus::TextSentences sentences(options.inputs);
    return train_bpe([&] { return sentences.next(); }, trainer, &report);
  }
  corpus::SamplerOptions sampler = options.sampler;
  sampler.seed = options.common.seed;
  if (options.every_base) sampler.start_max = 0;
  corpus::GenomeSentences sentences(options.inputs, sampler, options.contigs, options.invalid_bases,
                                    trainer.threads);
  bool said = false;
  return train_bpe(
      [&] {
        const auto sentence = sentences.next();
        if (sentence || said) return sentence;
        said = true;
        if (sentences.contigs() == 0 && !sentences.left_out().empty())
          fail("--contigs ", options.contigs, ": leaves out every sequence (", sentences.left_out().size(),
               ")");
        if (!sentences.left_out().empty())
          log::info("--contigs ", options.contigs, ": ", sentences.contigs(), " sequences used, ",
                    sentences.left_out().size(), " left out (", sentences.left_out().front(),
                    sentences.left_out().size() > 1 ? ", ...)" : ")");
        return sentence;
      },
      trainer, &report);
}

}  // namespace

void run(const VocabOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::string& folder = options.folder.output;
  const std::string manifest_path = folder + "/" + io::manifest_name("vocabulary");
  if (options.folder.resume && std::filesystem::exists(manifest_path)) {
    io::Manifest::load(manifest_path, "vocabulary");
    return log::info(folder, ": already done");
  }
  const bool text = is_text(options);
  io::prepare_output_folder(folder, options.folder.existing());
  log::info("seed ", options.common.seed);
  tokenizer::TrainingReport report;
  const tokenizer::Vocabulary vocabulary = [&] {
    try {
      return train(options, text, report);
    } catch (...) {  // leave nothing behind: the folder goes where it holds nothing else
      std::error_code ignored;
      std::filesystem::remove(std::filesystem::path(folder) / io::kUnfinishedMarker, ignored);
      std::filesystem::remove(folder, ignored);
      throw;
    }
  }();

  vocabulary.save_model(folder + "/dna.model");
  vocabulary.save_text(folder + "/dna.vocab");
  vocabulary.save_tokenizer_json(folder + "/tokenizer.json");
  io::Manifest manifest;
  manifest.kind = "vocabulary";
  manifest.seed = options.common.seed;
  for (const std::string& input : options.inputs) manifest.add_input(input);
  manifest.details = {{"pieces", vocabulary.size()},
                      {"vocabulary_hash", vocabulary.hash()},
                      {"mean_piece_length", vocabulary.mean_piece_length()},
                      {"sentences", report.sentences},
                      {"bases", report.characters}};
  if (report.tokens > 0) {
    manifest.details["bp_per_token"] =
        static_cast<double>(report.characters) / static_cast<double>(report.tokens);
  }
  for (const char* name : {"dna.model", "dna.vocab", "tokenizer.json"}) manifest.add_file(folder, name);
  manifest.save(manifest_path);

  log::info(vocabulary.size(), " pieces of ", tokenizer::fixed(vocabulary.mean_piece_length(), 2),
            " bp on average, from ", report.sentences, " sentences of ",
            log::human(static_cast<double>(report.characters)), "bp");
  if (report.tokens > 0)
    log::info(
        "this text: ",
        tokenizer::fixed(static_cast<double>(report.characters) / static_cast<double>(report.tokens), 2),
        " bp per token; ", tokenizer::length_histogram(vocabulary));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  log::info(log::duration(taken.count()), ", peak memory ",
            log::human(static_cast<double>(log::peak_memory())), "B");
}

}  // namespace bigdna::apps
