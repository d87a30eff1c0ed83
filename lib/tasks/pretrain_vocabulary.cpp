/// The vocabulary of a run: BPE on one pass of F.1's sampler over the training part of the genome.
#include <algorithm>

#include "base/log.h"
#include "base/rng.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "tasks/pretrain.h"
#include "tokenizer/trainer.h"

namespace bigdna::tasks {

namespace {

/// Sentences of the chosen contigs, streamed: a document is taken with probability `share`, drawn by the seed.
class GenomeSentences {
 public:
  GenomeSentences(const PretrainOptions& options, const corpus::Survey& survey, double share)
      : options_(options), survey_(survey), share_(share), reader_(options.input, options.invalid_bases), filter_(options.contigs) {}

  std::optional<std::string_view> next() {
    while (true) {
      if (document_ < documents_.size()) {
        const auto& plan = documents_[document_];
        if (sentence_ == 0 && Rng(options_.train.seed, mix({contig_, document_})).uniform() >= share_) {
          ++document_;
          continue;
        }
        if (sentence_ < plan.ends.size()) {
          const int64_t begin = sentence_ == 0 ? plan.start : plan.ends[sentence_ - 1], end = plan.ends[sentence_];
          ++sentence_;
          return std::string_view(record_.bases).substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
        }
        ++document_;
        sentence_ = 0;
        continue;
      }
      if (!next_contig()) return std::nullopt;
    }
  }

 private:
  bool next_contig() {
    while (auto record = reader_.next()) {
      if (!filter_(record->name)) continue;
      record_ = std::move(*record);
      documents_ = corpus::sample_documents(options_.sampler, record_.name, 0, record_.bases, survey_.training.intervals(record_.name));
      document_ = sentence_ = 0;
      ++contig_;
      return true;
    }
    return false;
  }

  const PretrainOptions& options_;
  const corpus::Survey& survey_;
  double share_;
  genome::FastaReader reader_;
  genome::ContigFilter filter_;
  genome::FastaRecord record_;
  std::vector<corpus::DocumentPlan> documents_;
  size_t document_ = 0, sentence_ = 0;
  uint64_t contig_ = 0;
};

}  // namespace

int64_t training_bases(const corpus::Survey& survey) {
  return static_cast<int64_t>(static_cast<double>(survey.training.total()) * (1 - static_cast<double>(survey.n) / static_cast<double>(survey.bases)));
}

tokenizer::Vocabulary build_vocabulary(const PretrainOptions& options, const corpus::Survey& survey, int64_t vocab_size, const std::string& folder) {
  io::prepare_output_folder(folder, io::Existing::resume);
  const double share = std::min(1.0, static_cast<double>(options.vocab_bases) / static_cast<double>(std::max<int64_t>(1, training_bases(survey))));
  GenomeSentences sentences(options, survey, share);
  tokenizer::TrainerOptions trainer;
  trainer.vocab_size = vocab_size;
  trainer.threads = options.train.threads;
  auto vocabulary = tokenizer::train_bpe([&] { return sentences.next(); }, trainer);
  vocabulary.save_model(folder + "/dna.model");
  vocabulary.save_text(folder + "/dna.vocab");
  io::Manifest manifest;
  manifest.kind = "vocabulary";
  manifest.seed = options.train.seed;
  manifest.add_input(options.input);
  manifest.details = {{"pieces", vocabulary.size()},
                      {"vocabulary_hash", vocabulary.hash()},
                      {"mean_piece_length", vocabulary.mean_piece_length()}};
  manifest.save(folder + "/" + io::manifest_name("vocabulary"));
  return vocabulary;
}

}  // namespace bigdna::tasks
