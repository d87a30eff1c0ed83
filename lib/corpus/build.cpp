#include "corpus/build.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "corpus/files.h"
#include "io/manifest.h"
#include "io/output.h"

namespace bigdna::corpus {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr int64_t kWorkBases = 1 << 20;  // of the documents that a thread tokenises together

using Work = std::vector<WalkedDocument>;

struct Done {
  bool training;
  TokenizedDocument document;
};

/// The walk's next documents to be tokenised, without the first skip[training] of either part, which are complete
/// already.
std::optional<Work> next_work(Walk& walk, int64_t (&skip)[2]) {
  Work work;
  for (int64_t bases = 0; bases < kWorkBases;) {
    auto document = walk.next();
    if (!document) break;
    if (int64_t& left = skip[document->training]; left > 0) {
      --left;
      continue;
    }
    bases += document->plan.ends.back() - document->plan.start;
    work.push_back(std::move(*document));
  }
  if (work.empty()) return std::nullopt;
  return work;
}

Done tokenise(const WalkedDocument& walked, const tokenizer::Encoder& encoder) {
  const DocumentPlan& plan = walked.plan;
  Done done{walked.training, {}};
  TokenizedDocument& d = done.document;
  d.contig = walked.contig->row;
  d.pass = static_cast<uint32_t>(walked.pass);
  d.start = plan.start;
  d.end = plan.ends.back();
  d.strand = plan.strand;
  std::string bases =
      walked.contig->record.bases.substr(static_cast<size_t>(d.start), static_cast<size_t>(d.end - d.start));
  d.n = genome::count_n(bases);
  const auto length = static_cast<int64_t>(bases.size());
  std::vector<int64_t> ends;  // of sentences, from the document's 5' end
  if (plan.strand == '-') {
    genome::reverse_complement_in_place(bases);
    for (size_t i = plan.ends.size() - 1; i-- > 0;) ends.push_back(d.end - plan.ends[i]);
    ends.push_back(length);
  } else {
    for (const int64_t end : plan.ends) ends.push_back(end - d.start);
  }
  std::vector<tokenizer::TokenId> ids;
  const auto unknown = encoder.vocabulary().special().unk;
  for (int64_t from = 0; const int64_t end : ends) {
    d.sentence_starts.push_back(static_cast<uint32_t>(d.tokens.size()));
    d.sentence_bases.push_back(static_cast<uint32_t>(from));
    ids.clear();
    encoder.encode_ids(std::string_view(bases).substr(static_cast<size_t>(from), static_cast<size_t>(end - from)), ids);
    for (const auto id : ids) d.tokens.push_back(static_cast<uint16_t>(id));
    d.unknown += std::count(ids.begin(), ids.end(), unknown);
    from = end;
  }
  return done;
}

/// Everything that decides the bytes of the corpus files, under the names of the options.
ordered_json settings_of(const BuildOptions& o, const Survey& survey, const tokenizer::Vocabulary& vocabulary) {
  const SamplerOptions& s = o.sampler;
  const auto range = [](int64_t low, int64_t high) { return concat(low, "-", high); };
  auto fastas = ordered_json::array();
  for (const auto& input : survey.inputs) fastas.push_back(input.md5);
  const auto digest = [](const genome::IntervalSet& set) { return io::md5_of_bytes(genome::to_json(set).dump()); };
  return {{"genome (MD5)", fastas},
          {"--vocab (hash)", vocabulary.hash()},
          {"--contigs", o.contigs},
          {"--invalid-bases", o.invalid_bases == genome::InvalidBases::n ? "n" : "error"},
          {"--passes", s.passes},
          {"--start", s.start_max},
          {"--sentences", range(s.sentences_min, s.sentences_max)},
          {"--sentence-length", range(s.sentence_min, s.sentence_max)},
          {"--max-n-fraction", s.max_n_fraction},
          {"--strands", s.strands == SamplerOptions::Strands::both ? "both" : "forward"},
          {"--seed", s.seed},
          {"--file-size", o.file_size},
          {"-R, --exclude or --hold-out (training intervals)", digest(survey.training)},
          {"-R, --exclude or --hold-out (held-out intervals)", digest(survey.validation)}};
}

ordered_json counts_of(const Counts& counts) {
  auto json = counts.to_json();
  const auto share = [](int64_t a, int64_t b) { return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0; };
  json["n_fraction"] = share(counts.n, counts.bases);
  json["unknown_fraction"] = share(counts.unknown, counts.tokens);
  json["bases_per_token"] = share(counts.bases, counts.tokens);
  return json;
}

/// Copies the vocabulary into the folder, so that a corpus needs no other file: as dna.model, or as tokenizer.json if
/// the former cannot hold it. Returns the file's name.
std::string save_vocabulary(const tokenizer::Vocabulary& vocabulary, const std::string& folder) {
  const bool plain = vocabulary.fits_sentencepiece();
  const std::string name = plain ? "dna.model" : "tokenizer.json", path = folder + "/" + name;
  if (plain)
    vocabulary.save_model(path);
  else
    vocabulary.save_tokenizer_json(path);
  if (tokenizer::Vocabulary::load(path).hash() != vocabulary.hash()) fail(path, ": cannot hold this vocabulary");
  return name;
}

/// "550 k documents, 4.6 G tokens of 6.5 bp, N 0.31 %".
std::string in_words(const Counts& counts) {
  const auto json = counts_of(counts);
  std::ostringstream out;
  out << std::setprecision(3) << counted(static_cast<int64_t>(counts.documents), "document") << ", "
      << log::human(static_cast<double>(counts.tokens)) << "tokens of " << json["bases_per_token"].get<double>()
      << " bp, N " << 100 * json["n_fraction"].get<double>() << " %";
  if (counts.unknown > 0) out << ", [UNK] " << 100 * json["unknown_fraction"].get<double>() << " % of the tokens";
  return out.str();
}

/// Whether an earlier run has finished this corpus.
bool is_complete(const std::string& folder, const ordered_json& settings) {
  const std::string path = folder + "/" + io::manifest_name("corpus");
  if (!fs::exists(path)) return false;
  const auto manifest = io::Manifest::load(path, "corpus");
  require_same_settings(folder, manifest.details.value("settings", ordered_json()), settings);
  try {
    manifest.verify_files(folder, false);
    std::error_code ignored;
    fs::remove(folder + "/" + io::kUnfinishedMarker,
               ignored);  // left by a run that was killed right after it wrote the manifest
    return true;
  } catch (const Error& error) {
    log::warn(error.what(), "; the missing files are built again");
    io::write_file(folder + "/" + io::kUnfinishedMarker, "corpus\n");
    fs::remove(path);
    return false;
  }
}

/// The errors that can be found before a genome is read.
void check_before_reading(const BuildOptions& options, const tokenizer::Vocabulary& vocabulary) {
  if (vocabulary.size() > int64_t{1} << 16)
    fail("--vocab: ", vocabulary.size(), " pieces, but token ids in a corpus have 16 bits (65536 pieces at most)");
  if (options.file_size < 1) throw UsageError("--file-size: must be at least 1 byte");
  if (options.fastas.empty()) throw UsageError("a corpus needs a genome");
  std::error_code ignored;
  if (options.existing == io::Existing::refuse && fs::exists(options.output) && !fs::is_empty(options.output, ignored))
    io::prepare_output_folder({options.output, "corpus"});
}
}  // namespace

void build_corpus(const BuildOptions& options, const tokenizer::Encoder& encoder) {
  check_before_reading(options, encoder.vocabulary());
  const Survey surveyed = survey(options);
  warn_of_vocabulary(options.vocabulary, surveyed);
  build_corpus(options, surveyed, encoder);
}

void build_corpus(const BuildOptions& options, const Survey& survey, const tokenizer::Encoder& encoder) {
  const auto& vocabulary = encoder.vocabulary();
  check_before_reading(options, vocabulary);
  genome::log_left_out(options.contigs, survey.left_out, survey.left_out.size() + survey.contigs.size());
  const ordered_json settings = settings_of(options, survey, vocabulary);
  auto inputs = options.fastas;
  for (const std::string& path : {options.regions, options.exclude, options.hold_out, options.vocabulary})
    inputs.push_back(path);
  if (survey.n == survey.bases) fail("no document to train on: the genome is all N");
  const bool existed = fs::exists(options.output);
  const bool resumed = existed && options.existing == io::Existing::resume && !fs::is_empty(options.output);
  io::prepare_output_folder({options.output, "corpus", options.existing, inputs});
  if (is_complete(options.output, settings)) return log::info(options.output, ": is complete already");

  const std::string vocabulary_file = save_vocabulary(vocabulary, options.output);
  PartWriter training(options.output, "training", settings, options.file_size),
      validation(options.output, "validation", settings, options.file_size);
  training.resume();
  validation.resume();
  if (const size_t kept = training.files().size() + validation.files().size())
    log::info(counted(kept, "corpus file is", "corpus files are"), " complete already");
  Walk walk(ContigReader(options.files(), &survey), options.sampler, &survey.training, &survey.validation);
  int64_t skip[2] = {validation.counts().documents, training.counts().documents};
  log::Progress progress(
      "corpus", static_cast<uint64_t>(options.sampler.passes * survey.training.total() + survey.validation.total()),
      "bp");
  auto bases = static_cast<uint64_t>(training.counts().bases + validation.counts().bases);
  progress.resume(bases);
  ordered_pipeline(
      options.threads, [&] { return next_work(walk, skip); },
      [&](Work&& work) {
        std::vector<Done> documents;
        for (const WalkedDocument& document : work) documents.push_back(tokenise(document, encoder));
        return documents;
      },
      [&](std::vector<Done>&& documents) {
        for (const auto& [is_training, document] : documents) {
          (is_training ? training : validation).add(document);
          bases += static_cast<uint64_t>(document.end - document.start);
        }
        progress.update(bases);
      });
  training.finish();
  validation.finish();

  if (training.counts().documents == 0 && (!options.intervals || validation.counts().documents == 0)) {
    if (!resumed) io::discard_output_folder(options.output, existed);
    fail("no document to train on: --contigs, -R, --exclude or --max-n-fraction leave nothing");
  }
  if (training.counts().documents == 0) log::warn("no document to train on: everything is held out");
  warn_of_short_contigs(options.sampler, survey.contigs);
  io::Manifest manifest;
  manifest.kind = "corpus";
  manifest.seed = options.sampler.seed;
  for (const auto& input : survey.inputs) manifest.add_input(input);
  manifest.add_file(options.output, vocabulary_file);
  for (const auto* part : {&training, &validation})
    for (const auto& name : part->files()) manifest.add_file(options.output, name);
  auto& details = manifest.details;
  details["vocabulary"] = {{"file", vocabulary_file},
                           {"hash", vocabulary.hash()},
                           {"pieces", vocabulary.size()},
                           {"mean_piece_length", vocabulary.mean_piece_length()}};
  details["settings"] = settings;
  details["training"] = counts_of(training.counts());
  details["validation"] = counts_of(validation.counts());
  details["genome"] = {
      {"contigs", survey.contigs.size()}, {"bases", survey.bases}, {"n", survey.n}, {"left_out", survey.left_out}};
  details["contigs"] = genome::to_json(survey.contigs);
  details["training_intervals"] = genome::to_json(survey.training);
  details["held_out_intervals"] = genome::to_json(survey.held_out);
  manifest.save(options.output + "/" + io::manifest_name("corpus"));
  log::info("training: ", in_words(training.counts()));
  log::info("held out: ", in_words(validation.counts()));
  log::info("seed ", options.sampler.seed, "; a piece of the vocabulary is ", std::setprecision(3),
            vocabulary.mean_piece_length(), " bp on average; peak memory ",
            log::human(static_cast<double>(log::peak_memory())), "B");
}

}  // namespace bigdna::corpus
