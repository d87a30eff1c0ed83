#include "apps/options/pretrain.h"
#include "apps/options/run_options.h"
#include "mlm/pretrain.h"

namespace bigdna::apps {

void run(const PretrainOptions& options) {
  mlm::PretrainOptions task = options.task;
  task.output = options.folder.output;
  task.existing = options.folder.existing();
  task.run = run_options(options.common, options.run);
  task.train.threads = task.run.threads;
  task.train.seed = options.common.seed;
  mlm::pretrain(task);
}

}  // namespace bigdna::apps
