/// Commands whose options lib/ reads as they are.
#include "apps/options/embed.h"
#include "apps/options/explain.h"
#include "apps/options/fill.h"
#include "apps/options/finetune.h"
#include "apps/options/likelihood.h"
#include "apps/options/motifs.h"
#include "apps/options/predict.h"
#include "apps/options/pretrain.h"
#include "apps/options/profile.h"
#include "apps/options/run_options.h"
#include "apps/options/sample.h"
#include "apps/options/design.h"
#include "apps/options/haplotypes.h"
#include "apps/options/marginalize.h"
#include "apps/options/train.h"
#include "apps/options/variants.h"
#include "evaluation/verdict.h"
#include "training/finetune.h"
#include "io/output.h"
#include "mlm/pretrain.h"
#include "attribution/attributions.h"
#include "prediction/embed.h"
#include "prediction/fill.h"
#include "prediction/likelihood.h"
#include "attribution/motifs.h"
#include "prediction/predict.h"
#include "prediction/sample.h"
#include "profile/predict.h"
#include "profile_training/train_profile.h"
#include "variant_effects/haplotypes.h"
#include "variant_effects/predict_variants.h"
#include "attribution/design.h"
#include "attribution/marginalize.h"
#include "training/train_network.h"

namespace bigdna::apps {
namespace {

/// Runs a training, prints its table, and says what it means.
template <class Settings>
void print(std::string (*train)(const Settings&), const Settings& settings) {
  io::Output out("-");
  const std::string table = train(settings);
  out << table;
  out.commit();
  evaluation::log_verdicts(table);
}

}  // namespace

void run(const PretrainOptions& options) {
  auto settings = settings_of(options, options.task);
  settings.train.threads = settings.run.threads;
  settings.train.seed = options.common.seed;
  mlm::pretrain(settings);
}

void run(const FinetuneOptions& options) {
  auto settings = settings_of(options, options.finetune);
  print(training::finetune, settings);
}

void run(const TrainOptions& options) {
  const bool profiles = dataset::task_of(options.train.task).profiles;
  print(profiles ? profile_training::train_profile : training::train, settings_of(options, options.train));
}
void run(const PredictPromoterOptions& options) { prediction::predict_promoter(settings_of(options, options.predict)); }
void run(const ChromatinOptions& options) { prediction::predict_outputs(settings_of(options, options.predict)); }
void run(const PredictOptions& options) { prediction::predict_outputs(settings_of(options, options.predict)); }
void run(const ProfileOptions& options) { profile::predict(settings_of(options, options.profile)); }
void run(const VariantsOptions& options) { variant_effects::predict_variants(settings_of(options, options.predict)); }
void run(const ExplainOptions& options) { attribution::explain(settings_of(options, options.explain)); }
void run(const MotifsOptions& options) { attribution::motifs(settings_of(options, options.motifs)); }
void run(const MarginalizeOptions& options) { attribution::marginalize(settings_of(options, options.marginalize)); }
void run(const HaplotypesOptions& options) { variant_effects::haplotypes(options.haplotypes); }
void run(const DesignOptions& options) { attribution::design(settings_of(options, options.design)); }
void run(const LikelihoodOptions& options) { prediction::likelihood(settings_of(options, options.likelihood)); }
void run(const SampleOptions& options) { prediction::sample(settings_of(options, options.sample)); }
void run(const FillOptions& options) { prediction::fill(settings_of(options, options.fill)); }
void run(const EmbedOptions& options) { prediction::embed(settings_of(options, options.embed)); }

}  // namespace bigdna::apps
