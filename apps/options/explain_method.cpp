#include "apps/options/explain_method.h"

#include "apps/options/checks.h"
#include "apps/options/run_options.h"
#include "base/error.h"

namespace bigdna::apps {

using Method = attribution::ExplainMethod::Method;

void visit_explain_method(OptionList& visit, attribution::ExplainMethod& method) {
  visit.choice<Method>(
      method.method, "--method",
      {{"mutagenesis", Method::mutagenesis}, {"gradient", Method::gradient}, {"integrated", Method::integrated}},
      "mutagenesis: each base is changed to the three others; gradient: the gradient with respect to each base, which "
      "is faster and less exact; integrated: integrated gradients from shuffled bases, whose contributions add up");
  visit(method.shuffles, "--shuffles",
        "integrated: number of baselines, which are shuffles of the explained bases with the same dinucleotide counts, "
        "drawn by --seed")
      .type("N")
      .check(positive());
  visit(method.steps, "--steps", "integrated: number of steps from each baseline to the sequence")
      .type("N")
      .check(positive());
  visit(method.around, "--around",
        "Explain this many bp on either side of each interval's centre or, with a promoter model, start site (0: the "
        "whole interval)")
      .type("BP")
      .check(not_negative());
  using session::Strands;
  visit.choice<std::optional<Strands>>(
      method.strands, "--strands", {{"forward", Strands::forward}, {"average", Strands::average}},
      "forward: as given; average: the mean of both strands' logits (default: average; models of tables: forward; "
      "promoter models: each region's own strand; both of these, if trained with --reverse-complement: average)");
  visit_part(visit, method.part);
}

void check_explain_method(const OptionList& list, const attribution::ExplainMethod& method) {
  for (const char* option : {"--shuffles", "--steps"})
    if (method.method != Method::integrated && list.given(option))
      throw UsageError(concat(option, ": only for --method integrated"));
}

}  // namespace bigdna::apps
