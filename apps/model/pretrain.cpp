#include "apps/options/pretrain.h"
#include "mlm/pretrain.h"

namespace bigdna::apps {

void run(const PretrainOptions& options) {
  mlm::PretrainOptions task = options.task;
  task.output = options.folder.output;
  task.existing = options.folder.existing();
  task.device = options.device.device;
  task.precision = options.device.precision;
  task.backend = options.device.backend;
  task.train.threads = options.common.threads;
  task.train.seed = options.common.seed;
  mlm::pretrain(task);
}

}  // namespace bigdna::apps
