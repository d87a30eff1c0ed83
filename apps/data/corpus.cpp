#include "apps/options/corpus.h"

#include "base/error.h"
#include "corpus/show.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

namespace {
void show(const CorpusOptions& options) {
  if (options.inputs.size() != 1) throw UsageError("--show takes one corpus folder");
  using Split = corpus::Corpus::Split;
  const corpus::Corpus corpus(options.inputs[0], options.part == "training" ? Split::training : Split::validation);
  io::Output output("-");
  corpus::write_documents(corpus, tokenizer::Vocabulary::load(corpus.vocabulary_path()), options.show, output);
  output.commit();
}
}  // namespace

void run(const CorpusOptions& options) {
  if (options.show > 0) return show(options);
  if (options.vocabulary.empty()) throw UsageError("--vocab is required");
  if (options.folder.output.empty()) throw UsageError("--output is required");
  corpus::BuildOptions build = options.build;
  build.fastas = options.inputs;
  build.vocabulary = options.vocabulary;
  build.output = options.folder.output;
  build.existing = options.folder.existing();
  build.sampler.seed = options.common.seed;
  build.threads = options.common.threads;
  corpus::build_corpus(build,
                       tokenizer::Encoder(tokenizer::Vocabulary::load(model_folder::model_in(options.vocabulary))));
}

}  // namespace bigdna::apps
