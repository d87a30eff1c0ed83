#include "apps/options/info.h"

#include <iostream>

#include "base/error.h"

namespace bigdna::apps {

void run(const InfoOptions& options) { fail(options.path, ": not a folder of bigdna's"); }

}  // namespace bigdna::apps
