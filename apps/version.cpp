#include <htslib/hts.h>

#include "apps/main.h"
#include "base/error.h"
#include "bigdna_version.h"

namespace bigdna::apps {

std::string version() { return BIGDNA_VERSION; }

std::string version_text() { return concat("bigdna ", BIGDNA_VERSION, " (commit ", BIGDNA_COMMIT, ")\nhtslib ", hts_version()); }

}  // namespace bigdna::apps
