#include "apps/options/info.h"

namespace bigdna::apps {

void InfoOptions::define(CLI::App& app) {
  app.add_option("path", path, "A model, corpus, dataset, vocabulary or run folder, or a vocabulary file")->required();
  app.add_flag("--verify", verify, "Read every byte and compare the checksums");
  common.define(app);
}

}  // namespace bigdna::apps
