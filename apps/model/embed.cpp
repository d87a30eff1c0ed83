#include "prediction/embed.h"

#include "apps/options/embed.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void run(const EmbedOptions& options) {
  auto settings = options.embed;
  settings.run = run_options(options.common, options.run);
  prediction::embed(settings);
}

}  // namespace bigdna::apps
