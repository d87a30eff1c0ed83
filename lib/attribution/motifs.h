/// bigdna motifs: what the filters of a network's first layer look for.
#pragma once

#include "attribution/motif_options.h"

namespace bigdna::attribution {

/// Motifs with an E-value up to this are written as matches.
inline constexpr double kLargestE = 0.1;

/// The command. Errors name model, file and line; models that read tokens are an Error.
void motifs(const MotifOptions& options);

}  // namespace bigdna::attribution
