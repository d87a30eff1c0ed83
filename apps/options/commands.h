/// The one table of commands: a type list. A command is an Options struct (its name, summary, options and checks,
/// apps/options/NAME.h) and a function run(const Options&) in apps/data or apps/model.
#pragma once

#include <tuple>

#include "apps/options/info.h"

namespace bigdna::apps {

using Commands = std::tuple<InfoOptions>;

}  // namespace bigdna::apps
