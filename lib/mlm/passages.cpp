#include "mlm/passages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/streams.h"
#include "corpus/build.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "io/temporary_folder.h"
#include "mlm/decode.h"
#include "mlm/mlm.h"

namespace bigdna::mlm {

namespace fs = std::filesystem;

namespace {

/// Builds a corpus in `folder`: `scored` is its validation part, the first model's training intervals its training
/// part.
void build_from_fasta(const PassageOptions& options, const model_folder::ModelFolder& model,
                      const io::TemporaryFolder& folder) {
  genome::IntervalSet scored;
  if (options.regions.empty()) {
    scored = model.held_out_intervals();
    if (scored.empty()) fail(model.path, ": records no held-out intervals; name the regions to score with -R");
  }
  corpus::BuildOptions build;
  build.fastas = {options.data};
  build.output = folder / "corpus";
  build.sampler.passes = 1;
  build.sampler.start_max = 0;
  build.sampler.seed = options.seed;
  build.contigs = "all";
  build.invalid_bases = options.invalid_bases;
  build.intervals = {model.training_intervals(), scored, options.regions, options.contigs};
  build.threads = options.threads;
  corpus::build_corpus(build, tokenizer::Encoder(model.vocabulary));
}

/// A document's bases, from its tokens, sentence by sentence.
void append_text(const corpus::Document& document, const tokenizer::Vocabulary& vocabulary, Passage& text) {
  const auto base = static_cast<int64_t>(text.bases.size());
  for (size_t s = 0; s < document.sentence_starts.size(); ++s) {
    const bool last = s + 1 == document.sentence_starts.size();
    const size_t begin = document.sentence_starts[s],
                 end = last ? document.tokens.size() : document.sentence_starts[s + 1];
    const int64_t length =
        (last ? document.region.length() : document.sentence_bases[s + 1]) - document.sentence_bases[s];
    const auto bases = decode(document.tokens.subspan(begin, end - begin), length, vocabulary);
    if (!bases)
      fail("the corpus's document at ", document.region.contig, ":", document.region.start, "-", document.region.end,
           ": the tokens of a sentence of ", length, " bp do not cover as many");
    text.sentences.push_back(base + document.sentence_bases[s]);
    text.bases += *bases;
  }
}

/// Whether a document begins where a stretch ends.
bool follows(const genome::Region& document, const genome::Region& stretch) {
  return document.strand != '-' && stretch.strand == document.strand && stretch.contig == document.contig &&
         stretch.end == document.start;
}

/// The documents of the first pass, with adjacent ones joined.
std::vector<Passage> stretches(const corpus::Corpus& corpus, const tokenizer::Vocabulary& vocabulary) {
  std::vector<Passage> stretches;
  for (int64_t i = 0; i < corpus.documents(); ++i) {
    const auto document = corpus.document(i);
    if (document.pass != 0) continue;
    if (stretches.empty() || !follows(document.region, stretches.back().region))
      stretches.push_back({document.region, {}, {}});
    stretches.back().region.end = document.region.end;
    append_text(document, vocabulary, stretches.back());
  }
  return stretches;
}

/// The repeats on the contigs of the passages, under their names.
genome::IntervalSet repeats_on(const std::vector<Passage>& passages, const genome::IntervalSet& repeats) {
  genome::IntervalSet result;
  std::set<std::string> contigs;
  for (const auto& passage : passages) contigs.insert(passage.region.contig);
  for (const auto& contig : contigs)
    for (const auto& [start, end] : repeats.intervals(contig)) result.add(contig, start, end);
  return result;
}

/// Whether the FASTA has contigs of the recorded intervals, and none whose length is unknown or another.
bool as_long(const genome::IntervalSet& recorded, const std::vector<genome::Contig>& contigs) {
  bool any = false;
  for (const auto& [name, length] : contigs) {
    if (recorded.intervals(name).empty()) continue;
    if (recorded.length(name) != length) return false;
    any = true;
  }
  return any;
}

/// Intervals that the model records are of the genome that it was trained on. Warns if `scored`, the inputs of the
/// temporary corpus, hold another file; a model whose folder records no genome is compared by the lengths of contigs.
void warn_of_another_genome(const PassageOptions& options, const model_folder::ModelFolder& model,
                            const nlohmann::ordered_json& scored, const std::vector<genome::Contig>& contigs) {
  std::set<std::string> sums;
  for (const auto& input : model.manifest.inputs)
    if (!input.value("path", "").ends_with(".safetensors")) sums.insert(input.value("md5", ""));
  sums.erase("");
  if (std::ranges::any_of(scored, [&](const auto& one) { return sums.contains(one.value("md5", "")); })) return;
  auto recorded = model.training_intervals();
  recorded.add(model.held_out_intervals());
  const auto other = genome::other_genome(recorded, contigs, options.data);
  if (sums.empty() && !other) return;
  const bool same = !other && as_long(recorded, contigs);
  log::warn(options.data, same ? ": is another file than the genome that " : ": is not the genome that ", model.path,
            " was trained on (", other ? *other : concat("its MD5 differs", same ? ", its contigs are as long" : ""),
            "): the intervals ", options.regions.empty() ? "scored and those " : "",
            "that n-grams are counted on are that genome's");
}

/// Warns if intervals that the model records lie on contigs that the FASTA lacks.
void warn_of_lacking(const PassageOptions& options, const genome::IntervalSet& recorded,
                     const std::vector<genome::Contig>& contigs, const std::string& what, const std::string& use) {
  std::set<std::string> names;
  for (const auto& contig : contigs) names.insert({contig.name, genome::other_spelling(contig.name)});
  std::string first;
  size_t lacking = 0;
  for (const auto& [name, intervals] : recorded.contigs())
    if (!names.contains(name) && lacking++ == 0) first = name;
  if (lacking == 0) return;
  log::warn(options.data, ": lacks ", lacking, " of the ", counted(recorded.contigs().size(), "contig"), " of ", what,
            " (", first, lacking > 1 ? " and others" : "", "): ", use, " ",
            genome::on_contigs(recorded, contigs).total(), " of their ", recorded.total(), " bp");
}

/// `corpus`: the manifest of the temporary corpus.
void warn_of_genome(const PassageOptions& options, const model_folder::ModelFolder& model, const io::Manifest& corpus) {
  const auto contigs = genome::recorded_contigs(corpus.details);
  warn_of_another_genome(options, model, corpus.inputs, contigs);
  warn_of_lacking(options, model.training_intervals(), contigs, concat("the training intervals of ", model.path),
                  "n-grams and copies are counted on");
  if (options.regions.empty())
    warn_of_lacking(options, model.held_out_intervals(), contigs, concat("the held-out intervals of ", model.path),
                    "what is scored is drawn from");
}

}  // namespace

struct Passages::Source {
  std::optional<io::TemporaryFolder> temporary;
  std::string folder;
  std::optional<tokenizer::Vocabulary> vocabulary;  // of the corpus
  std::optional<PassageCutter> cutter;
};

Passages::~Passages() = default;

Passages::Passages(const PassageOptions& options, const std::vector<model_folder::ModelFolder>& models)
    : source_(std::make_unique<Source>()) {
  if (io::reads_once(options.data))
    throw UsageError(concat(options.data, ": is read several times, so it must be a file, not stdin or a pipe"));
  if (!io::exists(options.data)) fail(options.data, ": ", errno_text(ENOENT));
  const bool is_fasta = !io::is_folder(options.data);
  source_->folder = options.data;
  if (is_fasta) {
    source_->temporary.emplace();
    build_from_fasta(options, models.front(), *source_->temporary);
    source_->folder = *source_->temporary / "corpus";
  }
  using corpus::Corpus;
  const Corpus held_out(source_->folder, Corpus::Split::validation);
  if (is_fasta) warn_of_genome(options, models.front(), held_out.manifest());
  source_->vocabulary = tokenizer::Vocabulary::load(held_out.vocabulary_path());
  const auto whole = stretches(held_out, *source_->vocabulary);
  source_->cutter.emplace(options.readers, whole);
  std::vector<Passage> all;
  for (const auto& stretch : whole)
    for (auto& passage : source_->cutter->cut(stretch)) all.push_back(std::move(passage));
  if (all.empty())
    fail(options.data, ": nothing to score: no held-out sequence of ",
         options.regions.empty() ? is_fasta ? models.front().path : "the corpus" : options.regions, " lies on ",
         options.contigs == "all" ? "it" : concat("its contigs that --contigs ", options.contigs, " chooses"));
  const int64_t length = source_->cutter->tokens();
  const auto wanted = static_cast<size_t>(std::max<int64_t>(1, (options.tokens + length - 1) / length));
  if (wanted < all.size()) {
    const Permutation order(all.size(), mix({options.seed, kPassages}));
    std::set<uint64_t> chosen;
    for (uint64_t i = 0; i < wanted; ++i) chosen.insert(order(i));
    for (const uint64_t i : chosen) passages_.push_back(std::move(all[i]));
  } else {
    passages_ = std::move(all);
  }
  for (const auto& model : models) {
    const auto training = model.training_intervals();
    int64_t seen = 0;
    for (const auto& passage : passages_) seen += training.overlap(passage.region);
    if (seen > 0)
      log::warn(options.regions.empty() ? options.data : options.regions, ": ", model.path, " was trained on ",
                log::human(static_cast<double>(seen)), "bp of the scored sequence");
  }
  if (!options.repeats.empty()) {
    genome::IntervalSet set;
    genome::EmptyIntervals empty;
    for (const auto& record : genome::read_bed(options.repeats, genome::StrandColumn::ignored))
      if (!empty.add(record)) set.add(record.region);
    empty.warn(options.repeats);
    repeats_ = repeats_on(passages_, set);
    if (repeats_->empty()) fail(options.repeats, ": has no interval on a contig that is scored");
  } else if (is_fasta) {
    repeats_ = repeats_on(passages_, genome::soft_masked(options.data));
    if (repeats_->empty()) repeats_.reset();
  }
}

bool Passages::repetitive(const Passage& passage, int64_t begin, int64_t end) const {
  if (!repeats_) return false;
  genome::Region region = passage.region;
  region.start = passage.region.strand == '-' ? passage.region.end - end : passage.region.start + begin;
  region.end = region.start + (end - begin);
  return 2 * repeats_->overlap(region) > end - begin;
}

std::optional<CountedNgrams> Passages::train_ngrams(const tokenizer::Encoder& encoder, uint64_t seed) const {
  const corpus::Corpus training(source_->folder, corpus::Corpus::Split::training);
  if (training.documents() == 0) return std::nullopt;
  DocumentTokens tokens_of;
  if (encoder.vocabulary().hash() != source_->vocabulary->hash())
    tokens_of = [&](const corpus::Document& document) {
      Passage text{document.region, {}, {}};
      append_text(document, *source_->vocabulary, text);
      const auto ids = tokenise(text, encoder).ids;
      return std::vector<uint16_t>(ids.begin(), ids.end());
    };
  return mlm::train_ngrams(training, encoder.vocabulary().size(), seed, tokens_of);
}

std::vector<Passage> Passages::training_passages(int64_t tokens, uint64_t seed) const {
  const corpus::Corpus training(source_->folder, corpus::Corpus::Split::training);
  const auto documents = static_cast<uint64_t>(training.documents());
  if (documents == 0) return {};
  std::map<int64_t, std::vector<Passage>> chosen;  // by the first document of each
  const Permutation order(documents, mix({seed, kCopyDocuments}));
  for (uint64_t i = 0; i < documents && tokens > 0; ++i) {
    const auto first = static_cast<int64_t>(order(i));
    auto document = training.document(first);
    if (document.pass != 0) continue;
    Passage stretch{document.region, {}, {}};
    for (int64_t next = first;;) {  // as many documents as a passage needs
      append_text(document, *source_->vocabulary, stretch);
      stretch.region.end = document.region.end;
      if (++next >= training.documents() || source_->cutter->fills(stretch)) break;
      document = training.document(next);
      if (document.pass != 0 || !follows(document.region, stretch.region)) break;
    }
    for (auto& passage : source_->cutter->cut(stretch)) {
      if (tokens <= 0) break;
      tokens -= std::min(source_->cutter->tokens_of(passage), source_->cutter->tokens());
      chosen[first].push_back(std::move(passage));
    }
  }
  std::vector<Passage> passages;
  for (auto& [first, of_one] : chosen)
    for (auto& passage : of_one) passages.push_back(std::move(passage));
  return passages;
}

MaskedPassage mask_passage(const Passage& passage, const tokenizer::Encoder& encoder, const corpus::Masker& masker,
                           Rng rng) {
  auto tokenized = tokenise(passage, encoder);
  MaskedPassage masked;
  masked.tokens.ids = std::move(tokenized.ids);
  masked.tokens.region = passage.region;
  masked.begins = std::move(tokenized.begins);
  masked.sentence_tokens = std::move(tokenized.sentence_tokens);
  masker(masked.tokens, rng);
  return masked;
}

std::vector<corpus::Example> windows(const MaskedPassage& passage, int64_t context,
                                     const tokenizer::SpecialTokens& special, bool pairs) {
  if (room(context) < 2)
    throw UsageError(concat("a context of ", context, " tokens is too short: [CLS] and [SEP]s take three"));
  const auto& tokens = passage.tokens;
  const auto length = static_cast<int64_t>(tokens.ids.size());
  const int64_t count = (length + room(context) - 1) / room(context);
  std::vector<corpus::Example> windows;
  size_t mask = 0;
  for (int64_t w = 0; w < count; ++w) {
    const int64_t begin = length * w / count, end = length * (w + 1) / count;
    const size_t first_mask = mask;
    while (mask < tokens.masked.size() && tokens.masked[mask] < end) ++mask;
    if (mask == first_mask) continue;
    int64_t middle = end;
    if (pairs && end - begin > 1) {
      const int64_t wanted = (begin + end) / 2;
      middle = wanted;
      int64_t distance = end - begin;
      for (const int64_t start : passage.sentence_tokens)
        if (start > begin && start < end && std::abs(start - wanted) < distance) {
          distance = std::abs(start - wanted);
          middle = start;
        }
    }
    corpus::Example window;
    window.region = tokens.region;
    window.index = static_cast<int64_t>(windows.size());
    window.ids.push_back(special.cls);
    window.ids.insert(window.ids.end(), tokens.ids.begin() + begin, tokens.ids.begin() + middle);
    window.ids.push_back(special.sep);
    window.token_types.assign(window.ids.size(), 0);
    if (middle < end) {
      window.ids.insert(window.ids.end(), tokens.ids.begin() + middle, tokens.ids.begin() + end);
      window.ids.push_back(special.sep);
      window.token_types.resize(window.ids.size(), 1);
    }
    if (pairs) window.targets = {0};
    for (size_t i = first_mask; i < mask; ++i) {
      const int64_t at = tokens.masked[i] - begin;
      window.masked.push_back(static_cast<int32_t>(at + 1 + (tokens.masked[i] >= middle)));
      window.masked_labels.push_back(tokens.masked_labels[i]);
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace bigdna::mlm
