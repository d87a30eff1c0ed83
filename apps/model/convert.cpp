#include "model/convert.h"

#include "apps/options/convert.h"
#include "io/manifest.h"

namespace bigdna::apps {

void run(const ConvertOptions& options) {
  if (options.folder.existing() == io::Existing::resume && io::is_complete(options.folder.output, "model")) return;
  model::convert({.input = options.input,
                  .output = options.folder.output,
                  .vocabulary = options.vocabulary,
                  .head = options.head,
                  .pattern = options.pattern,
                  .max_length = options.max_length.value_or(0),
                  .random_blocks = options.random_blocks,
                  .weights = options.weights,
                  .existing = options.folder.existing()});
}

}  // namespace bigdna::apps
