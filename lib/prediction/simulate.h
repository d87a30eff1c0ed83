/// bigdna simulate: what motifs that are put into sequences do to predictions.
#pragma once

#include "prediction/simulate_options.h"

namespace bigdna::prediction {

/// The command. Errors name model, file and line; models that read tokens are an Error.
void simulate(const SimulateOptions& options);

}  // namespace bigdna::prediction
