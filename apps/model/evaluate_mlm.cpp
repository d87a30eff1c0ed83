#include "apps/options/evaluate_mlm.h"

#include "base/log.h"
#include "io/output.h"
#include "model/device.h"
#include "tasks/mlm_evaluation.h"

namespace bigdna::apps {

void run(const EvaluateMlmOptions& options) {
  const auto folder = model_folder::ModelFolder::open(options.model);
  if (!folder.config.has_mlm()) fail(options.model, ": the model has no MLM head (it is fine-tuned: ", folder.config.head, ")");
  for (const std::string* output : {&options.output, &options.json})
    if (!output->empty()) io::refuse_same_file(*output, options.data);
  tasks::MlmModel model;
  model.device = model::select_device(options.device.device);
  model.forward.compute = model::select_precision(options.device.precision, model.device);
  model.forward.backend = options.device.backend;
  model.forward.threads = options.common.threads;
  model::configure_threads(options.common.threads);
  model.config = folder.config;
  model.vocabulary = std::make_shared<tokenizer::Vocabulary>(folder.vocabulary);

  tasks::MlmDataOptions data;
  data.data = options.data;
  data.regions = options.regions;
  data.contigs = options.contigs;
  data.objective = folder.config.has_nsp() ? corpus::Objective::mlm_nsp : corpus::Objective::mlm;
  data.mask_fraction = options.mask_fraction;
  data.max_length = options.max_length;
  data.tokens = options.tokens;
  data.seed = options.common.seed;
  data.threads = options.common.threads;
  if (options.max_length > folder.config.max_length)
    throw UsageError(concat("--max-length ", options.max_length, " is more than the model's ", folder.config.max_length, " positions"));
  const auto loaded = tasks::mlm_data(data, folder);
  log::info("seed ", options.common.seed, ", ", loaded.examples.size(), " examples");

  auto parameters = model::load_weights(folder.config, folder.weights_path());
  for (auto& [name, tensor] : parameters) tensor = tensor.to(model.device);
  const auto rows = tasks::evaluate_contexts(model, parameters, loaded.examples, options.contexts, loaded.ngrams ? &*loaded.ngrams : nullptr);
  io::Output out(options.output);
  out.write(tasks::to_tsv(rows));
  out.commit();
  if (!options.json.empty()) io::write_file(options.json, tasks::to_json(rows).dump(1) + "\n");
}

}  // namespace bigdna::apps
