/// The one table of commands: a type list. A command is an Options struct (its name, summary, options and checks,
/// apps/options/NAME.h) and a function run(const Options&) in apps/data or apps/model.
#pragma once

#include <tuple>

#include "apps/options/info.h"
#include "apps/options/tokenize.h"
#include "apps/options/vocab.h"

namespace bigdna::apps {

using Commands = std::tuple<VocabOptions, TokenizeOptions, InfoOptions>;

}  // namespace bigdna::apps
