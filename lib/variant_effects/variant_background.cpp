#include "variant_effects/variant_background.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/streams.h"
#include "base/threads.h"
#include "io/manifest.h"
#include "io/user_cache.h"
#include "jobs/journalled_stream.h"
#include "motif/motif.h"

namespace bigdna::variant_effects {

namespace {
/// Draws the variants of a background, in order or not.
class Drawer {
 public:
  Drawer(const VariantOptions& options, const BackgroundModel& model, const genome::Genome& genome)
      : options_(options),
        model_(model),
        draws_(model.places, options.seed),
        handle_(genome.reopen()),
        window_(handle_) {}
  PlannedAllele draw(int64_t i) {
    PlannedAllele planned;
    const auto usable = [&](const variants::Allele& allele) {
      planned = model_.plan(allele, window_);
      return !planned.intervals.empty();
    };
    draws_.draw(i, window_, usable);
    if (options_.null_shuffled) shuffle(planned, i);
    return planned;
  }

 private:
  /// Puts the variant into shuffled sequence: the base that comes to lie there is replaced by one of the three others,
  /// as many letters further in the alphabet as before.
  void shuffle(PlannedAllele& planned, int64_t i) const {
    static constexpr std::string_view kLetters = "ACGT";
    auto& of = planned.change;
    const auto from = kLetters.find(of.ref), to = kLetters.find(of.alt);
    Rng rng(mix({options_.seed, kShuffledVariants}), static_cast<uint64_t>(i));
    planned.around = motif::dinucleotide_shuffle(planned.around, rng);
    const char base = planned.around[static_cast<size_t>(of.position - planned.around_start)];
    of.ref = base;
    of.alt = kLetters[(kLetters.find(base) + to + kLetters.size() - from) % kLetters.size()];
  }

  const VariantOptions& options_;
  const BackgroundModel& model_;
  variants::BackgroundDraw draws_;
  genome::Genome handle_;
  variants::GenomeWindow window_;
};

constexpr int64_t kCompared = 200;  // fewer than a second's reading

/// What decides how an effect is computed, apart from the models' files and the columns.
nlohmann::ordered_json settings_of(const VariantOptions& options, const VariantScorer& scorer,
                                   const VariantPlaces& places) {
  const bool embedding = !scorer.models().task();
  return {{"strands", session::strands_name(places.strands())},
          {"sites", places.sites_md5()},
          {"reach", places.reach()},
          {"context", embedding ? options.context.value_or(VariantOptions::kContext) : 0}};
}

std::vector<std::string> names_of(const std::vector<variants::EffectColumn>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

/// Everything that decides the background's effects. The genome is identified by its contigs, its size and what is read
/// for the `first` of the variants, so that a copy counts as the same, but one with other bases or masked by N does
/// not.
nlohmann::ordered_json identity_of(const VariantOptions& options, const BackgroundModel& model,
                                   const genome::Genome& genome, const std::vector<PlannedAllele>& first) {
  auto identity = model.identity;
  auto weights = nlohmann::ordered_json::array();
  for (const auto& model : identity["models"]) weights.push_back(model["weights"]);
  identity["weights"] = weights;
  std::string contigs;
  for (const auto& contig : genome.contigs()) contigs += concat(contig.name, "\t", contig.length, "\n");
  identity["contigs"] = io::md5_of_bytes(contigs);
  identity["genome_bytes"] = std::filesystem::file_size(options.genome);
  std::string bases;
  for (const auto& variant : first)
    bases += concat(variant.allele.contig, '\t', variant.allele.position, '\t', variant.around, '\n');
  identity["bases"] = io::md5_of_bytes(bases);
  identity.update(model.settings);
  if (options.null_shuffled) identity["shuffled"] = true;
  identity["seed"] = options.seed;
  identity["variants"] = options.null;
  return identity;
}
}  // namespace

BackgroundModel background_model(const VariantOptions& options, const VariantScorer& scorer,
                                 const VariantPlaces& places) {
  auto columns = scorer.ranked_columns();
  auto identity = scorer.identity();
  identity["columns"] = names_of(columns);
  return {.places = places.background(),
          .plan = [&places](variants::Allele allele,
                            variants::GenomeWindow& window) { return plan(std::move(allele), places, window, true); },
          .score = [&scorer, &places,
                    columns](std::span<const PlannedAllele> alleles) { return scorer.score(alleles, places, columns); },
          .columns = columns.size(),
          .threads = scorer.threads(),
          .identity = std::move(identity),
          .settings = settings_of(options, scorer, places)};
}

variants::Background background_of(const VariantOptions& options, const BackgroundModel& model,
                                   const genome::Genome& genome) {
  Drawer drawer(options, model, genome);
  std::vector<PlannedAllele> first;
  while (std::ssize(first) < std::min(options.null, kCompared)) first.push_back(drawer.draw(std::ssize(first)));
  const auto identity = identity_of(options, model, genome, first);
  const auto caches = io::user_caches("backgrounds");
  const auto name = variants::Background::file_name(identity);
  for (const auto& cache : caches) {
    if (cache.refused()) continue;
    const auto path = cache.path + "/" + name;
    if (auto background = variants::Background::load(path, identity)) {
      log::info(path, ": the background of ", counted(background->size(), "variant"));
      return std::move(*background);
    }
  }
  const auto kept = std::ranges::find_if(caches, [](const auto& cache) {
    return cache.refused(/*make=*/true) == 0 && access(cache.path.c_str(), W_OK) == 0;
  });
  const auto path = kept == caches.end() ? "" : kept->path + "/" + name;  // "": it is not kept
  log::info("scoring ", counted(options.null, "background variant"), ", once for this model and genome");
  std::optional<jobs::ScoreJournal> journal;
  if (options.resume && !path.empty()) try {  // this is a long job, too
      io::Job job;
      for (const auto& [name, value] : identity.items()) job.set(name, value);
      journal.emplace(path + ".journal", job);
    } catch (const Error& error) {
      log::warn(error.what(), ": the background is scored from the start");
    }
  std::vector<variants::Background::Site> sites;
  std::vector<float> values;
  int64_t drawn = 0;
  log::Progress progress("background", static_cast<uint64_t>(options.null), "variants");
  using Alleles = std::vector<PlannedAllele>;
  const auto scores = [&](const Alleles& chunk) {
    if (!options.null_shuffled) return model.score(chunk);
    std::vector<float> all;  // one by one: alleles of one place would share its sequence as it was before
    for (const auto& allele : chunk) {
      const auto row = model.score({&allele, 1});
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  };
  jobs::JournalledStream<Alleles>{
      .threads = model.threads,
      .journal = journal ? &*journal : nullptr,
      .read = [&](int64_t, bool) -> std::optional<Alleles> {
        Alleles chunk;
        for (; drawn < options.null && std::ssize(chunk) < session::kPredictionChunk; ++drawn)
          chunk.push_back(drawn < std::ssize(first) ? std::move(first[static_cast<size_t>(drawn)])
                                                    : drawer.draw(drawn));
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      .size = [&](const Alleles& chunk) { return chunk.size() * model.columns; },
      .score = [&](const Alleles& chunk) { return scores(chunk); },
      .write =
          [&](const Alleles& chunk, const std::vector<float>& effects) {
            values.insert(values.end(), effects.begin(), effects.end());
            for (const auto& each : chunk) sites.push_back({each.allele.contig, each.allele.position, each.gc});
            return sites.size();
          }}
      .run(progress);
  variants::Background background(std::move(sites), std::move(values), model.columns);
  if (path.empty()) {
    log::warn("the background is not kept: no cache folder can be written (set BIGDNA_CACHE)");
    return background;
  }
  try {
    background.save(path, identity);
    if (journal) journal->remove();
  } catch (const Error& error) {
    log::warn(error.what(), ": the background is not saved");
  }
  return background;
}

variants::Background background_of_model(const VariantOptions& options, const VariantScorer& scorer,
                                         const VariantPlaces& places) {
  if (scorer.models().size() != 1)
    throw UsageError("--model-background: a background belongs to one model, not to an ensemble (--null N makes one)");
  auto settings = settings_of(options, scorer, places);
  settings["weights"] = {scorer.identity()["models"][0]["weights"]};
  const auto columns = names_of(scorer.ranked_columns());
  return variants::Background::of_model(concat(scorer.models().path(), "/", model_folder::kBackgroundFile), settings,
                                        columns);
}

}  // namespace bigdna::variant_effects
