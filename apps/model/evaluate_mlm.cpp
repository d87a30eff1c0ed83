#include "apps/options/evaluate_mlm.h"
#include "apps/options/run_options.h"

#include "base/log.h"
#include "io/output.h"
#include "io/provenance.h"
#include "io/side_file.h"
#include "mlm/evaluation.h"
#include "models/predictor.h"

namespace bigdna::apps {

void run(const EvaluateMlmOptions& options) {
  const std::string& data = options.paths.back();
  std::vector<model_folder::ModelFolder> models;
  for (size_t i = 0; i + 1 < options.paths.size(); ++i) {
    models.push_back(model_folder::ModelFolder::open(options.paths[i]));
    if (!models[i].config.has_mlm())
      fail(options.paths[i], ": the model has no MLM head (its head is ", models[i].config.head, ")");
    if (models[i].config.is_causal())
      fail(options.paths[i], ": is causal: it predicts no masked tokens (bigdna likelihood gives its bits per base)");
    models[i].check_reads_sequences();
  }
  const std::vector<std::string> outputs{options.output, options.differences, options.copies, options.json};
  io::refuse_shared_files(outputs, {data, options.regions, options.repeats});
  std::vector<std::string> folders{data};
  for (const auto& model : models) folders.push_back(model.path);
  io::refuse_outputs_in(outputs, folders);
  io::Output out(options.output);
  io::SideFile differences(options.differences), copies(options.copies), json(options.json);
  const session::Placement placement(run_options(options.common, options.run));
  mlm::MlmEvaluationOptions evaluation;
  auto& passages = evaluation.passages;
  passages.data = data;
  passages.regions = options.regions;
  passages.repeats = options.repeats;
  passages.contigs = options.contigs;
  passages.invalid_bases = options.invalid_bases;
  passages.tokens = options.tokens;
  passages.seed = options.common.seed;
  passages.threads = options.common.threads;
  evaluation.contexts = options.contexts;
  evaluation.mask_fraction = options.mask_fraction;
  evaluation.pairs = options.pairs;
  evaluation.block = options.block;
  evaluation.resamples = options.resamples;
  io::Provenance provenance;
  for (const auto& model : models) provenance.add("model", model_folder::name_and_md5(model.path));
  auto tables = mlm::tables(mlm::evaluate_mlm(models, placement, evaluation), evaluation);
  out << provenance.comments() << tables.scores;
  out.commit();
  differences.write(provenance.comments() + tables.differences);
  copies.write(provenance.comments() + tables.copies);
  provenance.add_to(tables.json);
  json.write(tables.json.dump(1) + "\n");
}

}  // namespace bigdna::apps
