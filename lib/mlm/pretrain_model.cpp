/// What a finished pretraining run leaves: the model folder, run.json, and a warning where it has learned too little.
#include <iomanip>

#include "base/log.h"
#include "io/manifest.h"
#include "mlm/pretrain.h"
#include "model/model_weights.h"
#include "model_folder/model_folder.h"

namespace bigdna::mlm {

void warn_without_context(const std::map<std::string, double>& metrics) {
  if (!metrics.contains("held_out_bpc")) return;
  constexpr double kLeast = 0.005;  // bits per base
  const double bpc = metrics.at("held_out_bpc"),
               without = std::min(metrics.at("held_out_bpc_shuffled"), metrics.at("unigram_bpc"));
  if (!(bpc < without - kLeast))
    log::warn("the model predicts tokens no better from their context (", std::setprecision(4), bpc,
              " bits per base) than without it (", without, "): it needs more steps, or --init counts");
}

void write_pretrained(const PretrainOptions& options, const PretrainSetup& setup,
                      const tokenizer::Vocabulary& vocabulary, const corpus::Corpus& corpus,
                      const train::RunResult& result, const nlohmann::ordered_json& ngrams, genome::IntervalSet seen) {
  const std::string folder = options.output + "/model";
  io::prepare_output_folder({folder, "model", io::Existing::resume});
  model::save_model_weights(setup.config, result.parameters, folder + "/model.safetensors");
  io::Manifest manifest;
  manifest.kind = "model";
  manifest.seed = options.train.seed;
  manifest.inputs = corpus.manifest().inputs;
  if (!options.init_from.empty()) manifest.add_input(options.init_from + "/model.safetensors");
  const auto held_out = genome::without(corpus.held_out_intervals(), seen);
  seen.add(corpus.training_intervals());
  nlohmann::ordered_json metrics;
  for (const auto& [name, value] : result.metrics) metrics[name] = value;
  manifest.details = {{"task", "pretrain"},
                      {"objective", corpus::to_string(options.objective)},
                      {"gaps", options.gaps},
                      {"steps", result.steps},
                      {"batch", setup.train.batch},
                      {"init", !options.init_from.empty()     ? "model"
                               : options.init == Init::counts ? "counts"
                                                              : "random"},
                      {"ngrams", ngrams},
                      {"held_out", metrics},
                      {model_folder::kTrainingIntervals, genome::to_json(seen)},
                      {model_folder::kHeldOutIntervals, genome::to_json(held_out)}};
  model_folder::write_model_folder(folder, setup.config, vocabulary, manifest);
  manifest.kind = "run";
  manifest.details.erase(model_folder::kTrainingIntervals);
  manifest.details.erase(model_folder::kHeldOutIntervals);
  manifest.save(options.output + "/" + io::manifest_name("run"));
  log::info("model: ", folder);
}

}  // namespace bigdna::mlm
