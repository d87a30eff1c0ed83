#include "corpus/build.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iomanip>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "corpus/files.h"
#include "corpus/spool.h"
#include "io/manifest.h"

namespace bigdna::corpus {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
constexpr int64_t kWorkBases = 1 << 20;  // of documents that a thread tokenises in one go

struct Contig {
  uint32_t row;
  genome::FastaRecord record;
};

/// A document to be tokenised.
struct Planned {
  std::shared_ptr<const Contig> contig;
  bool training;
  int pass;
  DocumentPlan plan;
};
using Work = std::vector<Planned>;

struct Done {
  bool training;
  TokenizedDocument document;
};

/// Reads the genomes again, contig by contig, and hands out their documents in the corpus's order: for each
/// contig its training passes, then its held-out intervals.
class Planner {
 public:
  Planner(const BuildOptions& options, const Survey& survey, int64_t skip_training, int64_t skip_validation)
      : options_(options), survey_(survey), skip_{skip_validation, skip_training} {}

  std::optional<Work> next() {
    Work work;
    for (int64_t bases = 0; bases < kWorkBases && (!pending_.empty() || plan());) {
      Planned planned = std::move(pending_.front());
      pending_.pop_front();
      if (int64_t& skip = skip_[planned.training]; skip > 0) {
        --skip;
        continue;
      }
      bases += planned.plan.ends.back() - planned.plan.start;
      work.push_back(std::move(planned));
    }
    if (work.empty()) return std::nullopt;
    return work;
  }

 private:
  /// Samples passes until there is a document; false at the end.
  bool plan() {
    while (pending_.empty()) {
      if (!contig_ || pass_ > options_.sampler.passes) {
        if (!read()) return false;
        pass_ = 0;
      }
      const bool training = pass_ < options_.sampler.passes;
      const auto& name = contig_->record.name;
      SamplerOptions sampler = options_.sampler;
      if (!training) sampler.start_max = 0;  // held-out intervals once, from their first base
      const int pass = training ? pass_ : 0;
      ++pass_;
      const auto& allowed = (training ? survey_.training : survey_.validation).intervals(name);
      if (allowed.empty()) continue;
      for (auto& document : sample_documents(sampler, name, pass, contig_->record.bases, allowed))
        pending_.push_back({contig_, training, pass, std::move(document)});
    }
    return true;
  }

  /// The next chosen contig.
  bool read() {
    contig_.reset();
    while (row_ < survey_.contigs.size()) {
      if (!reader_) {
        if (file_ == options_.fastas.size()) break;
        reader_.emplace(options_.fastas[file_], options_.invalid_bases, std::min(options_.threads, 2));
      }
      auto record = reader_->next();
      if (!record) {
        reader_.reset();
        ++file_;
        continue;
      }
      const auto& expected = survey_.contigs[row_];
      if (record->name != expected.name) continue;  // left out
      if (static_cast<int64_t>(record->bases.size()) != expected.length)
        fail(options_.fastas[file_], ": changed while it was read (sequence ", record->name, ")");
      contig_ = std::make_shared<const Contig>(Contig{static_cast<uint32_t>(row_), std::move(*record)});
      ++row_;
      return true;
    }
    if (row_ < survey_.contigs.size())
      fail(options_.fastas.back(), ": changed while it was read (sequence ", survey_.contigs[row_].name,
           " is gone)");
    return false;
  }

  const BuildOptions& options_;
  const Survey& survey_;
  int64_t skip_[2];  // by `training`
  std::optional<genome::FastaReader> reader_;
  size_t file_ = 0, row_ = 0;
  std::shared_ptr<const Contig> contig_;
  int pass_ = 0;  // of contig_, to be planned next; the one past the last is the held-out intervals'
  std::deque<Planned> pending_;
};

Done tokenise(const Planned& planned, const tokenizer::Encoder& encoder) {
  const DocumentPlan& plan = planned.plan;
  Done done{planned.training, {}};
  TokenizedDocument& d = done.document;
  d.contig = planned.contig->row;
  d.pass = static_cast<uint32_t>(planned.pass);
  d.start = plan.start;
  d.end = plan.ends.back();
  d.strand = plan.strand;
  std::string bases =
      planned.contig->record.bases.substr(static_cast<size_t>(d.start), static_cast<size_t>(d.end - d.start));
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
    encoder.encode_ids(
        std::string_view(bases).substr(static_cast<size_t>(from), static_cast<size_t>(end - from)), ids);
    for (const auto id : ids) d.tokens.push_back(static_cast<uint16_t>(id));
    d.unknown += std::count(ids.begin(), ids.end(), unknown);
    from = end;
  }
  return done;
}

/// All that decides the bytes of the corpus files, by the names that users know.
ordered_json settings_of(const BuildOptions& o, const Survey& survey,
                         const tokenizer::Vocabulary& vocabulary) {
  const SamplerOptions& s = o.sampler;
  const auto range = [](int64_t low, int64_t high) { return concat(low, "-", high); };
  auto fastas = ordered_json::array();
  for (const auto& path : o.fastas) fastas.push_back(io::md5_of_file(path));
  const auto digest = [](const genome::IntervalSet& set) {
    return io::md5_of_bytes(genome::to_json(set).dump());
  };
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
  const auto share = [](int64_t a, int64_t b) {
    return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
  };
  json["n_fraction"] = share(counts.n, counts.bases);
  json["unknown_fraction"] = share(counts.unknown, counts.tokens);
  json["bases_per_token"] = share(counts.bases, counts.tokens);
  return json;
}

/// The vocabulary's copy in the folder, so that a corpus needs nothing else: dna.model, or tokenizer.json
/// where the former cannot hold it. Returns its name.
std::string save_vocabulary(const tokenizer::Vocabulary& vocabulary, const std::string& folder) {
  const bool plain = vocabulary.fits_sentencepiece();
  const std::string name = plain ? "dna.model" : "tokenizer.json", path = folder + "/" + name;
  if (plain)
    vocabulary.save_model(path);
  else
    vocabulary.save_tokenizer_json(path);
  if (tokenizer::Vocabulary::load(path).hash() != vocabulary.hash())
    fail(path, ": cannot hold this vocabulary");
  return name;
}

/// "550 k documents, 4.6 G tokens of 6.5 bp, N 0.31 %".
std::string in_words(const Counts& counts) {
  const auto json = counts_of(counts);
  std::ostringstream out;
  out << std::setprecision(3) << counts.documents << " documents, "
      << log::human(static_cast<double>(counts.tokens)) << "tokens of "
      << json["bases_per_token"].get<double>() << " bp, N " << 100 * json["n_fraction"].get<double>() << " %";
  if (counts.unknown > 0)
    out << ", [UNK] " << 100 * json["unknown_fraction"].get<double>() << " % of the tokens";
  return out.str();
}

/// True where an earlier run has finished this very corpus.
bool is_complete(const std::string& folder, const ordered_json& settings) {
  const std::string path = folder + "/" + io::manifest_name("corpus");
  if (!fs::exists(path)) return false;
  const auto manifest = io::Manifest::load(path, "corpus");
  require_same_settings(folder, manifest.details.value("settings", ordered_json()), settings);
  try {
    manifest.verify_files(folder, false);
    return true;
  } catch (const Error& error) {
    log::warn(error.what(), "; what is missing is built again");
    io::write_file(folder + "/" + io::kUnfinishedMarker, "corpus\n");
    fs::remove(path);
    return false;
  }
}
}  // namespace

void build_corpus(const BuildOptions& given, const tokenizer::Encoder& encoder) {
  const auto& vocabulary = encoder.vocabulary();
  if (vocabulary.size() > int64_t{1} << 16)
    fail("--vocab: ", vocabulary.size(), " pieces; a corpus holds ids of 16 bits, 65536 pieces at most");
  if (given.file_size < 1) throw UsageError("--file-size: at least 1 byte");
  if (given.fastas.empty()) throw UsageError("a corpus needs a genome");
  std::error_code ignored;  // refused at once, not after the genome is read
  if (given.existing == io::Existing::refuse && fs::exists(given.output) &&
      !fs::is_empty(given.output, ignored))
    io::prepare_output_folder({given.output, "corpus"});

  const std::vector<Spool> spools = spool_what_cannot_be_read_twice(given.fastas, given.invalid_bases);
  BuildOptions options = given;
  for (size_t i = 0; i < spools.size(); ++i) options.fastas[i] = spools[i].path();
  const Survey survey = corpus::survey(options);
  genome::say_left_out(options.contigs, survey.left_out, survey.left_out.size() + survey.contigs.size());
  const ordered_json settings = settings_of(options, survey, vocabulary);
  auto inputs = given.fastas;
  for (const std::string& path : {options.regions, options.exclude, options.hold_out}) inputs.push_back(path);
  io::prepare_output_folder({options.output, "corpus", options.existing, inputs});
  if (is_complete(options.output, settings)) return log::info(options.output, ": is complete already");

  const std::string vocabulary_file = save_vocabulary(vocabulary, options.output);
  PartWriter training(options.output, "training", settings, options.file_size),
      validation(options.output, "validation", settings, options.file_size);
  training.resume();
  validation.resume();
  if (const size_t kept = training.files().size() + validation.files().size())
    log::info(kept, " corpus files are complete already");
  Planner planner(options, survey, training.counts().documents, validation.counts().documents);
  log::Progress progress(
      "corpus",
      static_cast<uint64_t>(options.sampler.passes * survey.training.total() + survey.validation.total()),
      "bp");
  auto bases = static_cast<uint64_t>(training.counts().bases + validation.counts().bases);
  ordered_pipeline(
      options.threads, [&] { return planner.next(); },
      [&](Work&& work) {
        std::vector<Done> documents;
        for (const Planned& planned : work) documents.push_back(tokenise(planned, encoder));
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
    fs::remove_all(options.output);
    fail("no document to train on: ", survey.n == survey.bases
                                     ? "the genome is all N"
                                     : "--contigs, -R, --exclude or --max-n-fraction leave nothing");
  }
  if (training.counts().documents == 0) log::warn("no document to train on: all is held out");
  io::Manifest manifest;
  manifest.kind = "corpus";
  manifest.seed = options.sampler.seed;
  for (const auto& path : given.fastas) manifest.add_input(path);
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
  details["genome"] = {{"contigs", survey.contigs.size()},
                       {"bases", survey.bases},
                       {"n", survey.n},
                       {"left_out", survey.left_out}};
  details["contigs"] = ordered_json::array();
  for (const auto& contig : survey.contigs)
    details["contigs"].push_back({{"name", contig.name}, {"length", contig.length}});
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
