/// The readers behind coverage/records.h. Each is in a file of its own.
#pragma once

#include <string>

#include "coverage/records.h"
#include "io/lines.h"

namespace bigdna::coverage {

void read_alignments(io::Input input, const std::string& path, const Contigs& contigs, int threads, Records& to);
void read_text(io::Input input, const std::string& path, const Contigs& contigs, int threads, Records& to);
void read_bigwig(const std::string& path, const Contigs& contigs, Records& to);

}  // namespace bigdna::coverage
