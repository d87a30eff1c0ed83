#include "io/manifest.h"
namespace bigdna::io {
namespace { std::string typed; }
void set_command_line(int argc, const char* const* argv) { typed.clear(); for (int i = 0; i < argc; ++i) typed += std::string(i ? " " : "") + argv[i]; }
const std::string& command_line() { return typed; }
}
