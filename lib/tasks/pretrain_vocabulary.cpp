/// The vocabulary of a run: BPE on one pass of F.1's sampler over the training part of the genome.
#include <filesystem>

#include "base/log.h"
#include "base/rng.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/manifest.h"
#include "tasks/pretrain.h"
#include "tokenizer/trainer.h"

namespace bigdna::tasks {

namespace {

/// Sentences of the chosen contigs, streamed: a document is taken with probability `share`, drawn by the seed.
class GenomeSentences {
 public:
  GenomeSentences(const PretrainOptions& options, const GenomeSurvey& survey, double share)
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
      const auto length = static_cast<int64_t>(record_.bases.size());
      genome::IntervalSet left_out = survey_.excluded;
      for (const auto& [start, end] : survey_.held_out.intervals(record_.name)) left_out.add(record_.name, start, end);
      documents_ = corpus::sample_documents(options_.sampler, record_.name, 0, record_.bases, left_out.gaps(record_.name, length));
      document_ = sentence_ = 0;
      ++contig_;
      return true;
    }
    return false;
  }

  const PretrainOptions& options_;
  const GenomeSurvey& survey_;
  double share_;
  genome::FastaReader reader_;
  genome::ContigFilter filter_;
  genome::FastaRecord record_;
  std::vector<corpus::DocumentPlan> documents_;
  size_t document_ = 0, sentence_ = 0;
  uint64_t contig_ = 0;
};

}  // namespace

GenomeSurvey survey_genome(const PretrainOptions& options) {
  GenomeSurvey survey;
  const genome::ContigFilter filter(options.contigs);
  genome::FastaReader reader(options.input, options.invalid_bases);
  std::map<std::string, double> acgt;  // share of bases that are not N
  int64_t others = 0;
  while (const auto record = reader.next()) {
    if (!filter(record->name)) {
      ++others;
      continue;
    }
    const auto length = static_cast<int64_t>(record->bases.size());
    const int64_t n = genome::count_n(record->bases);
    survey.contigs.push_back({record->name, length});
    survey.bases += length;
    survey.n += n;
    acgt[record->name] = length > 0 ? static_cast<double>(length - n) / static_cast<double>(length) : 0;
  }
  if (survey.contigs.empty()) fail(options.input, ": no contig is chosen by --contigs ", options.contigs, " (", others, " are left out)");
  survey.held_out = genome::held_out(options.hold_out, survey.contigs, options.train.seed);
  if (!options.exclude.empty())
    for (const auto& record : genome::read_bed(options.exclude)) survey.excluded.add(record.region);
  for (const auto& [name, length] : survey.contigs) {
    genome::IntervalSet left_out = survey.excluded;
    for (const auto& [start, end] : survey.held_out.intervals(name)) left_out.add(name, start, end);
    int64_t allowed = 0;
    for (const auto& [start, end] : left_out.gaps(name, length)) allowed += end - start;
    survey.training_bases += static_cast<int64_t>(static_cast<double>(allowed) * acgt[name]);
  }
  if (survey.training_bases == 0) fail(options.input, ": nothing is left to train on (all of it is held out, excluded or N)");
  return survey;
}

tokenizer::Vocabulary build_vocabulary(const PretrainOptions& options, const GenomeSurvey& survey, int64_t vocab_size, const std::string& folder) {
  io::prepare_output_folder(folder, io::Existing::resume);
  const double share = std::min(1.0, static_cast<double>(options.vocab_bases) / static_cast<double>(survey.training_bases));
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
