/// bigdna marginalize: what motifs that are put into sequences do to predictions.
#pragma once

#include "attribution/marginalize_options.h"

namespace bigdna::attribution {

/// The command. Errors name model, file and line; models that read tokens are an Error.
void marginalize(const MarginalizeOptions& options);

}  // namespace bigdna::attribution
