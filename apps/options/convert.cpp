#include "apps/options/convert.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

void ConvertOptions::visit(OptionList& visit) {
  visit(input, "input",
        "A BigBird, ModernBERT or ModernBertDecoder folder of transformers or bigdna, or its weights file "
        "(.safetensors) next to config.json; a ChromBPNet (.h5) or a file of bpnet-lite (.torch, .pt, .pth); or a "
        "model of bigdna train, for which only --weights can be changed")
      .model()
      .required();
  folder.visit(visit, "The model folder to write").required();
  visit(vocabulary, "--vocab", "A .model file, a tokenizer.json or a model folder (default: the input's)")
      .type("VOCAB")
      .path_or_name()
      .input(model_folder::vocabulary_files_of);
  visit(head, "--head",
        "Keep only these heads: pretraining (MLM and NSP; BigBirdForPreTraining), mlm (BigBirdForMaskedLM, "
        "ModernBertForMaskedLM) or none (BigBirdModel, ModernBertModel); default: the input's heads")
      .one_of({"pretraining", "mlm", "none"});
  visit(pattern, "--pattern", "Attention pattern to use from now on, with the same weights (default: the input's)")
      .one_of(pattern_names())
      .type("PATTERN");
  visit(attention, "--attention",
        "Attention of some or all heads from now on, with its settings: NAME:SETTING=VALUE,... (bigdna info "
        "--attentions describes each); only those whose own weights, if there are any, do not begin at random: "
        "longformer's begin as copies of the layer's (default: the input's)")
      .type("ATTENTION");
  visit(max_length, "--max-length",
        "Longest input from now on; only for models of --architecture modern, which have no learned position "
        "embeddings (default: the input's)")
      .check(between(3, 1 << 24))
      .type("TOKENS");
  visit(random_blocks, "--random-blocks",
        "How to draw random blocks from now on (default: the input's; huggingface for models of transformers)")
      .one_of({"uniform", "original", "huggingface"});
  visit.choice<io::Dtype>(weights, "--weights",
                          {{"fp32", io::Dtype::f32}, {"fp16", io::Dtype::f16}, {"bf16", io::Dtype::bf16}},
                          "Type of the numbers in model.safetensors; every command computes with them as fp32 or as "
                          "--precision says");
  common.visit(visit);
}

std::string ConvertOptions::details() {
  return R"(The output loads in Python with AutoTokenizer.from_pretrained(DIR) and the class that config.json's
"architectures" names: transformers.BigBirdForPreTraining.from_pretrained(DIR), BigBirdForMaskedLM or
BigBirdForSequenceClassification; for --architecture modern, ModernBertForMaskedLM or
ModernBertForSequenceClassification; for causal models with pattern full, ModernBertDecoderForCausalLM.)";
}

}  // namespace bigdna::apps
