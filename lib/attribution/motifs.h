/// bigdna motifs: what the filters of a network's first layer look for; or de novo motifs (de_novo.h).
#pragma once

#include "attribution/motif_options.h"

namespace bigdna::attribution {

/// The command. Errors name model, file and line; models that read tokens are an Error, but for de novo motifs.
void motifs(const MotifOptions& options);

}  // namespace bigdna::attribution
