/// Held-out examples for `bigdna evaluate mlm`, from a corpus folder or straight from a FASTA.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "corpus/build.h"
#include "genome/bed.h"
#include "io/output.h"
#include "tasks/mlm_evaluation.h"
#include "tokenizer/encoder.h"

namespace bigdna::tasks {

namespace fs = std::filesystem;

namespace {

/// A folder under $TMPDIR that goes when the object does.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "bigdna-XXXXXX").string();
    if (!mkdtemp(pattern.data())) fail(pattern, ": ", errno_text(errno));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_bed(const genome::IntervalSet& set, const std::string& path) {
  std::string text;
  for (const auto& [contig, intervals] : set.contigs())
    for (const auto& [start, end] : intervals) text += concat(contig, "\t", start, "\t", end, "\n");
  io::write_file(path, text);
}

/// Builds a corpus in `folder`: `scored` is its validation part, the model's training intervals its training part.
void build_from_fasta(const MlmDataOptions& options, const model_folder::ModelFolder& model, const TemporaryFolder& folder) {
  const genome::IntervalSet training = model.training_intervals();
  genome::IntervalSet scored;
  if (options.regions.empty()) {
    scored = model.held_out_intervals();
    if (scored.empty()) fail(model.path, ": names no held-out intervals; say with -R what to score");
  } else {
    int64_t seen = 0;
    for (const auto& record : genome::read_bed(options.regions)) {
      scored.add(record.region);
      seen += training.overlap(record.region);
    }
    if (scored.empty()) fail(options.regions, ": no intervals");
    if (seen > 0) log::warn(options.regions, ": the model was trained on ", log::human(static_cast<double>(seen)), "bp of these regions");
  }
  genome::IntervalSet used = training;
  for (const auto& [contig, intervals] : scored.contigs())
    for (const auto& [start, end] : intervals) used.add(contig, start, end);
  write_bed(scored, folder / "scored.bed");
  write_bed(used, folder / "used.bed");
  corpus::BuildOptions build;
  build.fastas = {options.data};
  build.output = folder / "corpus";
  build.sampler.passes = 1;
  build.sampler.start_max = 0;
  build.sampler.seed = options.seed;
  build.contigs = options.contigs;
  build.regions = folder / "used.bed";
  build.hold_out = folder / "scored.bed";
  build.threads = options.threads;
  corpus::build_corpus(build, tokenizer::Encoder(model.vocabulary));
}

}  // namespace

MlmData mlm_data(const MlmDataOptions& options, const model_folder::ModelFolder& model) {
  std::optional<TemporaryFolder> temporary;
  std::string folder = options.data;
  if (!fs::exists(folder)) fail(folder, ": ", errno_text(ENOENT));
  if (!fs::is_directory(folder)) {
    temporary.emplace();
    build_from_fasta(options, model, *temporary);
    folder = *temporary / "corpus";
  }
  using corpus::Corpus;
  const std::string hash = model.vocabulary.hash();
  const auto validation = std::make_shared<const Corpus>(folder, Corpus::Part::validation, hash);
  if (validation->documents() == 0) fail(options.data, ": nothing to score (no held-out documents)");
  corpus::ExampleOptions examples;
  examples.max_length = options.max_length > 0 ? options.max_length : model.config.max_length;
  examples.mask_fraction = options.mask_fraction;
  examples.short_sequence_probability = 0;
  examples.objective = options.objective;
  examples.seed = options.seed;
  MlmData data;
  data.examples = first_examples(corpus::ExampleSource(validation, model.vocabulary, examples), options.tokens, options.threads);
  if (data.examples.empty()) fail(options.data, ": nothing to score (not one example)");
  const Corpus training(folder, Corpus::Part::training, hash);
  if (training.documents() > 0)
    data.ngrams = train_ngrams(training, model.vocabulary.size());
  else
    log::warn("no training sequence is known to count the n-gram baselines on; their columns are NA");
  return data;
}

}  // namespace bigdna::tasks
