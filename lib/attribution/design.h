/// bigdna design: substitutions that raise chosen outputs of a model and lower or keep others.
#pragma once

#include "attribution/design_options.h"

namespace bigdna::attribution {

/// The command. Errors name model, file and line; models that read tokens are an Error. UsageError for a feature that
/// more than one of --raise, --lower and --keep choose.
void design(const DesignOptions& options);

}  // namespace bigdna::attribution
