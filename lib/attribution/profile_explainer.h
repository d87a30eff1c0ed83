/// `bigdna explain` of a profile model, whose outputs profile_model.h has.
#pragma once

#include <memory>

#include "attribution/explainer.h"

namespace bigdna::attribution {

std::unique_ptr<Explainer> make_profile_explainer(const ExplainOptions& options);

}  // namespace bigdna::attribution
