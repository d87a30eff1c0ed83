#include "apps/options/merge.h"

namespace bigdna::apps {

void run(const MergeOptions& options) {
  auto merged = options.merge;
  merged.threads = options.common.threads;
  merge::merge_parts(merged);
}

}  // namespace bigdna::apps
