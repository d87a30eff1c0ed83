#include "apps/options/likelihood.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "apps/options/run_options.h"
#include "apps/options/site_options.h"
#include "base/error.h"
#include "io/column_dictionary.h"
#include "io/output.h"

namespace bigdna::apps {

void LikelihoodOptions::visit(OptionList& visit) {
  using prediction::Each;
  auto& o = likelihood;
  visit(o.model, "model", "Model of bigdna pretrain or of transformers (BigBird or ModernBERT) with its language head")
      .model()
      .required();
  visit_sequences(visit, o.input);
  visit(o.output, "-o,--output",
        concat("Output file, in the format of its suffix: ", io::formats_text(prediction::kLikelihoodFormats),
               "; a bigWig (with -R) has the bits per base of each token; - is stdout (TSV)"))
      .type("FILE")
      .writes({std::begin(prediction::kLikelihoodFormats), std::end(prediction::kLikelihoodFormats)});
  common.visit_header(visit);
  visit.choice<Each>(o.each, "--each", {{"record", Each::record}, {"token", Each::token}},
                     "record: a line for each record or region; token: a line for each of its tokens");
  visit(o.mask_fraction, "--mask-fraction",
        "Fraction of the tokens that are masked at the same time. Each token is masked once, so 0.15 takes 7 passes; "
        "above 0.5 all would be masked together. "
        "Causal models mask nothing and need one pass")
      .check(between(0.001, 0.5))
      .default_is("0.15");
  visit(o.overlap, "--overlap",
        "Tokens that are read again before each piece of a record that is too long for the model (masked models: and "
        "after it), so that its ends have context; rounded up to whole attention blocks")
      .check(not_negative());
  visit(
      o.copies, "--copies",
      "Causal models: mix in copies and counts of the sequence that was read before, on either strand. Bits remain the "
      "length of a code");
  visit(o.history, "--history",
        "With --copies: sequence that is known before the input and is not scored: a FASTA or, with -R, a BED of the "
        "same genome")
      .type("FASTA|BED")
      .input()
      .needs({"--copies"});
  visit_invalid_bases(visit, o.input.invalid_bases);
  visit_strict(visit, o.input.strict, "a record or region without bases, instead of a warning");
  visit_counts(visit, o.counts);
  visit_device(visit, likelihood.run);
  common.visit(visit);
}

void LikelihoodOptions::finish(OptionList& list) {
  require_sequences(list);
  const auto format = io::format_of(likelihood.output, prediction::kLikelihoodFormats);
  const auto& input = likelihood.input;
  if (likelihood.history == "-" && (input.regions.empty() ? input.fasta : input.regions) == "-")
    throw UsageError("--history: stdin is the input already");
  if (format == io::Format::bigwig && !list.given("--regions"))
    throw UsageError("a bigWig needs -R BED and -g, which say where the sequences lie in a genome");
  if (format == io::Format::bigwig && list.given("--each")) throw UsageError("--each: a bigWig always holds tokens");
}

std::string LikelihoodOptions::details() {
  return io::columns_text("likelihood") + R"(
A masked language model has no likelihood of a whole sequence. Bits are a pseudo-likelihood: each token's
-log2 p given the tokens that are visible when it is masked. A causal model (pretrain --objective next)
gives each token's -log2 p given the tokens before it. Their sum is the likelihood of the record's tokens, or
of each piece if a record is too long for the model. A uniform guess takes two bits per base.)";
}

}  // namespace bigdna::apps
