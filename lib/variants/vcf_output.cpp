#include "variants/vcf_output.h"

#include <optional>

#include "base/error.h"
#include "io/output.h"
#include "variants/bcf_file.h"
#include "variants/bcf_record.h"
#include "variants/writer.h"

namespace bigdna::variants {

namespace {
BcfFile::Header header_of(const std::string& path, std::string lines) {
  BcfFile::Header header(bcf_hdr_init("r"), bcf_hdr_destroy);
  if (bcf_hdr_parse(header.get(), lines.data()) < 0) fail(path, ": its header cannot be created");
  return header;
}
}  // namespace

struct VcfOutput::State {
  std::string path;
  std::optional<io::Output> text;
  std::optional<BcfFile> bcf;
};

VcfOutput::VcfOutput(const std::string& path, io::Format format, const std::string& header, int threads)
    : state_(new State{path, {}, {}}) {
  if (format == io::Format::bcf)
    state_->bcf.emplace(path, header_of(path, header), threads);
  else
    state_->text.emplace(path, threads) << header;
}
VcfOutput::~VcfOutput() = default;
VcfOutput::VcfOutput(VcfOutput&&) noexcept = default;

void VcfOutput::write(const VcfRecord& record) {
  if (state_->bcf) return state_->bcf->write(bcf_of(state_->bcf->header(), record).get());
  *state_->text << record.line << "\n";
}

void VcfOutput::commit() {
  state_->bcf ? state_->bcf->commit() : state_->text->commit();
  remove_indexes(state_->path);
}

}  // namespace bigdna::variants
