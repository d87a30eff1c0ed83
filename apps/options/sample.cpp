#include "apps/options/sample.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"

namespace bigdna::apps {

void SampleOptions::visit(OptionList& visit) {
  auto& o = sample;
  visit(o.model, "model", "Model of bigdna pretrain --objective next, or a ModernBertDecoder of transformers")
      .model()
      .required();
  visit(o.output, "-o,--output", "Output file (FASTA); compressed (BGZF) if the name ends in .gz; - is stdout")
      .type("FILE");
  visit(o.count, "-n,--count", "Number of sequences to draw, for each prompt").check(positive()).type("COUNT");
  visit(o.length, "--length", "Length of each sequence, without its prompt").check(positive()).type("BP");
  visit(o.prompt, "--prompt",
        "Continue each of these records, which are not written themselves; - is stdin (default: begin with the start "
        "of a sequence)")
      .type("FASTA")
      .input();
  visit(o.temperature, "--temperature",
        "Number that divides the logits: below 1, likely tokens become more likely; above 1, less likely")
      .check(between(0.01, 100.0));
  visit(o.top, "--top-k", "Draw only from the K most likely tokens (0: from all)").check(not_negative()).type("K");
  visit_invalid_bases(visit, o.invalid_bases);
  visit_device(visit, o.run);
  common.visit_with_seed(visit);
}

std::string SampleOptions::details() {
  return R"(Sequences are named sample_1, sample_2 ... or, with a prompt, after it. The header has tokens=, the
number of drawn tokens, and bits=, the sum of their -log2 p without temperature and --top-k. Special tokens
and tokens with N are never drawn. The last token is cut at --length.)";
}

}  // namespace bigdna::apps
