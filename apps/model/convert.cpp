#include "model/convert.h"

#include "apps/options/convert.h"
#include "base/error.h"

namespace bigdna::apps {

void run(const ConvertOptions& options) {
  if (options.output.resume) throw UsageError("convert has nothing to resume; --force replaces what is in -o");
  model::convert({.input = options.input,
                  .output = options.output.output,
                  .vocabulary = options.vocabulary,
                  .head = options.head,
                  .pattern = options.pattern,
                  .random_blocks = options.random_blocks,
                  .existing = options.output.existing()});
}

}  // namespace bigdna::apps
