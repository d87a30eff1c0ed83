/// Writes records as lines of VCF, compressed where the name ends in .gz, or as BCF.
#pragma once

#include <memory>
#include <string>

#include "io/formats.h"
#include "variants/vcf_reader.h"

namespace bigdna::variants {

class VcfOutput {
 public:
  /// `header`: all of its lines, each with its line end; the last one names the columns. Nothing exists under the final
  /// name before commit().
  VcfOutput(const std::string& path, io::Format format, const std::string& header, int threads);
  ~VcfOutput();
  VcfOutput(VcfOutput&&) noexcept;
  /// Writes the record's `line`. Error "WHERE: ..." for what BCF cannot hold.
  void write(const VcfRecord& record);
  /// Also removes the indexes of a file that was there before.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bigdna::variants
