#include "prediction/embed.h"

#include "apps/options/embed.h"
#include "apps/options/run_options.h"

namespace bigdna::apps {

void run(const EmbedOptions& options) {
  auto settings = options.embed;
  const int64_t max_length = settings.run.max_length;
  settings.run = run_options(options.common, options.device);
  settings.run.max_length = max_length;
  prediction::embed(settings);
}

}  // namespace bigdna::apps
