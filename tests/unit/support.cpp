/// The one file compiled with the checkout's path, so that a clone's tests come from the compiler cache.
#include "support.h"

#include <cstdlib>

namespace bigdna::test {

std::string source_folder() { return BIGDNA_SOURCE_DIR; }

std::string data_folder() {
  const char* folder = std::getenv("BIGDNA_DATA");
  return folder ? folder : source_folder() + "/../shared/data";
}

}  // namespace bigdna::test
