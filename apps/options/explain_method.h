/// The options of commands that compute contributions, which say how.
#pragma once

#include "apps/options/option.h"
#include "attribution/explain_options.h"

namespace bigdna::apps {

/// --method, --shuffles, --steps, --around, --strands and --part.
void visit_explain_method(OptionList& visit, attribution::ExplainMethod& method);
/// UsageError for options of a method that is not the chosen one.
void check_explain_method(const OptionList& list, const attribution::ExplainMethod& method);

}  // namespace bigdna::apps
