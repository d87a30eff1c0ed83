#include "model/convert.h"

#include "apps/options/convert.h"
#include "base/error.h"
#include "io/manifest.h"
#include "model_folder/profile_config.h"
#include "profile/convert.h"

namespace bigdna::apps {

void run(const ConvertOptions& options) {
  if (options.folder.existing() == io::Existing::resume && io::is_complete(options.folder.output, "model")) return;
  const bool imports = profile::is_foreign(options.input);
  if (imports || model_folder::is_profile_model(options.input)) {
    if (!options.head.empty() || !options.pattern.empty() || !options.attention.empty() ||
        !options.vocabulary.empty() || options.max_length || !options.random_blocks.empty())
      throw UsageError(options.input +
                       ": a profile model has no vocabulary, head or attention: only --weights can change");
    (imports ? profile::import_model : profile::convert_profile)(options.input, options.folder.output, options.weights,
                                                                 options.folder.existing());
    return;
  }
  model::convert({.input = options.input,
                  .output = options.folder.output,
                  .vocabulary = options.vocabulary,
                  .head = options.head,
                  .pattern = options.pattern,
                  .attention = options.attention,
                  .max_length = options.max_length.value_or(0),
                  .random_blocks = options.random_blocks,
                  .weights = options.weights,
                  .existing = options.folder.existing()});
}

}  // namespace bigdna::apps
