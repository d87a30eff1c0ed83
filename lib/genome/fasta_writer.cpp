#include "genome/fasta_writer.h"

namespace bigdna::genome {

void write_fasta_record(io::Output& output, std::string_view header, std::string_view bases) {
  constexpr size_t kLineWidth = 60;
  output << ">" << header << "\n";
  for (size_t at = 0; at < bases.size(); at += kLineWidth) output << bases.substr(at, kLineWidth) << "\n";
}

}  // namespace bigdna::genome
