/// Trains the vocabulary of a run: BPE on one pass of F.1's sampler over the training part of the genome.
#include <algorithm>

#include "corpus/sentences.h"
#include "io/manifest.h"
#include "mlm/pretrain.h"
#include "tokenizer/trainer.h"
#include "tokenizer/vocabulary_folder.h"

namespace bigdna::mlm {

int64_t training_bases(const corpus::Survey& survey) {
  return static_cast<int64_t>(static_cast<double>(survey.training.total()) *
                              (1 - static_cast<double>(survey.n) / static_cast<double>(survey.bases)));
}

tokenizer::Vocabulary build_vocabulary(const PretrainOptions& options, const corpus::Survey& survey, int64_t vocab_size,
                                       const std::string& folder) {
  io::prepare_output_folder({folder, "vocabulary", io::Existing::resume});
  const double share = std::min(1.0, static_cast<double>(options.vocab_bases) /
                                         static_cast<double>(std::max<int64_t>(1, training_bases(survey))));
  const corpus::BuildOptions genome = corpus_options(options, 1);
  corpus::GenomeSentences sentences(
      {.files = genome.files(), .sampler = genome.sampler, .survey = &survey, .share = share});
  tokenizer::TrainerOptions trainer;
  trainer.vocab_size = vocab_size;
  trainer.threads = options.train.threads;
  auto vocabulary = tokenizer::train_bpe([&] { return sentences.next(); }, trainer);
  io::Manifest manifest;
  manifest.seed = options.train.seed;
  manifest.add_input(survey.inputs.front());
  manifest.details = {{"training_intervals", genome::to_json(survey.training)},
                      {"held_out_intervals", genome::to_json(survey.held_out)}};
  tokenizer::write_vocabulary_folder(folder, vocabulary, std::move(manifest));
  return vocabulary;
}

std::shared_ptr<const tokenizer::Vocabulary> placeholder_vocabulary(int64_t size) {
  std::vector<tokenizer::Piece> pieces(static_cast<size_t>(size));
  for (size_t i = 0; i < pieces.size(); ++i) pieces[i] = {concat("ACGT", i), 0, i < 5};
  return std::make_shared<tokenizer::Vocabulary>(std::move(pieces), tokenizer::SpecialTokens());
}

}  // namespace bigdna::mlm
