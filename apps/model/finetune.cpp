#include "classification/finetune.h"

#include "apps/options/finetune.h"
#include "apps/options/run_options.h"
#include "io/output.h"

namespace bigdna::apps {

void run(const FinetuneCommandOptions& options) {
  auto settings = options.finetune;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.seed = options.common.seed;
  settings.baseline = !options.no_baseline;
  settings.kmers = !options.no_kmers;
  settings.kernel = !options.no_kernel;
  settings.run = run_options(options.common, options.run);
  io::Output out("-");
  out << classification::finetune(settings);
  out.commit();
}

}  // namespace bigdna::apps
