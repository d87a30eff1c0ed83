#include <filesystem>

#include "apps/data/page.h"
#include "apps/options/info.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/paths.h"
#include "model_folder/architecture.h"
#include "model_folder/model_folder.h"
#include "model_folder/named_models.h"

namespace bigdna::apps {
namespace {

std::string kind_of(const model_folder::ModelFolder& model) {
  if (model.network)
    return concat(model.network->networks > 0 ? concat(counted(model.network->networks, "network"), " on bases, ")
                                              : std::string("k-mers, no network, "),
                  counted(model.network->labels, "label"), " of ",
                  model.network->pooled ? "whole sequences" : concat(model.network->bin(), "-bp bins"));
  const auto& config = model.config;
  return concat(model_folder::architecture(config).title, " encoder of ", counted(config.layers, "layer"),
                config.has_task() ? ", fine-tuned: " + config.head : "");
}

}  // namespace

void list_models() {
  Page page;
  if (model_folder::named_models().empty())
    log::warn(
        "there are no models in the folders that BIGDNA_MODELS names, nor in share/bigdna/models next to the program");
  for (const auto& [name, path] : model_folder::named_models()) {
    page.title(name);
    try {
      const auto model = model_folder::ModelFolder::open_any(path);
      page.row("kind", kind_of(model));
      page.row("weights", bytes_text(io::extent_of(model.weights_path()).bytes));
    } catch (const Error& error) {
      page.row("damaged", error.what());
    }
    page.row("folder", path);
  }
  page.print();
}

}  // namespace bigdna::apps
