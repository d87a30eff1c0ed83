#include "apps/options/convert.h"

#include "apps/options/run_options.h"

namespace bigdna::apps {

void ConvertOptions::define(CLI::App& app) {
  app.add_option("input", input, "A BigBird folder of transformers or bigdna, or its weights file (config.json beside it): .safetensors or pytorch_model.bin")
      ->required()
      ->type_name("MODEL");
  output.define(app, "The model folder to write");
  app.add_option("--vocab", vocabulary, "A .model, a tokenizer.json or a model folder (default: of the input)")->type_name("VOCAB");
  app.add_option("--head", head, "Keep only this: pretraining (BigBirdForPreTraining), mlm (BigBirdForMaskedLM), none (BigBirdModel); default: what there is")
      ->check(CLI::IsMember({"pretraining", "mlm", "none"}));
  app.add_option("--pattern", pattern, "Attention pattern to use from now on, with the same weights (default: as the input says)")
      ->check(CLI::IsMember(pattern_names()));
  app.add_option("--random-blocks", random_blocks, "Random blocks to use from now on (default: as the input says; huggingface where transformers wrote it)")
      ->check(CLI::IsMember({"uniform", "original", "huggingface"}));
  common.define(app);
  app.footer(R"(The output loads in Python: transformers.BigBirdForPreTraining.from_pretrained(DIR) (BigBirdForMaskedLM, ForSequenceClassification
by its heads; config.json's "architectures" names the class) and AutoTokenizer.from_pretrained(DIR).)");
}

}  // namespace bigdna::apps
