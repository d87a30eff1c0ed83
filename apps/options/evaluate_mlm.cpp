#include "apps/options/evaluate_mlm.h"

#include <filesystem>

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "io/paths.h"

namespace bigdna::apps {

namespace {
constexpr const char* kFasta = "FASTA";  // what is scored of it
}

void EvaluateMlmOptions::visit(OptionList& visit) {
  visit(paths, "models_and_data", "Model folders, then a corpus folder (its validation part is scored) or a FASTA")
      .required()
      .at_least(2)
      .type("MODEL... CORPUS|FASTA")
      .path_or_name();
  visit(regions, "-R,--regions",
        "FASTA: score these regions (default: the regions that the first model held out of its training)")
      .type("BED")
      .tag(kFasta);
  visit(contigs, "--contigs", "FASTA: score only these contigs: primary, all, or a regular expression for whole names")
      .type("CONTIGS")
      .tag(kFasta);
  visit(repeats, "--repeats",
        "Score repeats and unique sequence separately (default: the lower-case letters of the FASTA, if it has any)")
      .type("BED");
  visit_invalid_bases(visit, invalid_bases).tag(kFasta);

  visit.group("Scoring");
  visit(contexts, "--context",
        "Context lengths to score, in tokens, including special tokens, joined by commas (512,1024). A model skips "
        "lengths above its longest input (default: its longest input)")
      .commas()
      .check(between(8, 1 << 20))
      .type("TOKENS");
  visit(tokens, "--tokens", "Score about this many tokens, masked and visible").check(positive()).type("TOKENS");
  visit(mask_fraction, "--mask-fraction", "Fraction of tokens to predict").check(between(0.01, 0.9));
  visit(
      pairs, "--pairs",
      "Number of sentence pairs for nsp_accuracy, each scored with the true and with another second sentence (0: none)")
      .check(not_negative());
  visit(block, "--bootstrap-block",
        "Size of the genome blocks that the bootstrap draws (if that makes fewer than 20, each input is a block)")
      .check(positive())
      .type("BP");
  visit(resamples, "--resamples", "Number of bootstrap resamples").check(between(10, 1000000));

  visit.group("Output");
  visit(output, "-o,--output", "Scores, TSV; - is stdout").type("FILE").writes({io::Format::tsv});
  visit(differences, "--differences", "Differences between models, contexts and baselines, TSV")
      .type("FILE")
      .writes({io::Format::tsv});
  visit(copies, "--copies", "Bits per base by the distance of the nearest copy of a masked token's surroundings, TSV")
      .type("FILE")
      .writes({io::Format::tsv});
  visit(json, "--json", "All tables as JSON").type("FILE").writes({io::Format::json});
  visit_device(visit, run);
  common.visit_with_seed(visit);
}

void EvaluateMlmOptions::finish(const OptionList& list) {
  if (io::is_folder(paths.back()))
    list.refuse_with(kFasta, concat("on the corpus folder ", paths.back(), ", whose validation part is scored"));
}

std::string EvaluateMlmOptions::details() {
  return R"(Columns of the scores: one row per model, context length and kind of sequence, then the baselines
(NA: no such value):
  model         the model folder; shuffled:MODEL (the model with the visible tokens in random order,
                without context); or a model of counts on the training sequence, scored at the same
                masked tokens:
                unigram, two_sided_bigram (sees one token on each side), two_sided_trigram (sees two on
                each side); or copies: the bases of the nearest other place of the same input with the
                same surroundings, on either strand (trigrams if there is none); copies_elsewhere looks
                for that place in another input
  context       tokens the model sees, including [CLS] and [SEP]
  sequence      all; also unique and repeats (more than half of the token), if --repeats or a soft-masked
                FASTA defines them
  windows       number of inputs scored
  masked        number of masked tokens, each of them [MASK] in the input; the same in every row of a
                vocabulary and kind of sequence
  bpc           bits per base of masked tokens without N: sum of -log2 p / sum of their lengths
  bpc_low, bpc_high   95 % interval, from a bootstrap over blocks of the genome
  bpc_all       the same for all masked tokens
  accuracy      fraction of masked tokens predicted correctly
  perplexity    per masked token
  nsp_accuracy  fraction of sentence pairs classified correctly; half of the pairs do not belong together
  bpc_bert      as bpc, but a tenth of these tokens stay visible, as in BERT's masking: for comparison with
                the paper
  bpc_paper_style   bits per token / mean length of the vocabulary's pieces, which may be the paper's
                    quantity
Columns of the differences: model, context, other, other_context, sequence, bpc_difference (negative: the
model is better than the other), low and high of its 95 % interval. The interval is paired: every resample
draws the same blocks for both.
Columns of --copies: copy (direct, inverted, none), distance (of the nearest copy within the longest context),
model, context, masked, bpc, bpc_low, bpc_high, accuracy (NA: n-grams).)";
}

}  // namespace bigdna::apps
