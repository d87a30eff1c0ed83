#include "variants/vcf_output.h"

#include <htslib/vcf.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/error.h"
#include "io/output.h"
#include "variants/hts_file.h"
#include "variants/writer.h"

namespace bigdna::variants {

namespace {
/// A BCF file under its temporary name.
class BcfFile {
 public:
  BcfFile(const std::string& path, std::string header, int threads)
      : target_(path), header_(bcf_hdr_init("r"), bcf_hdr_destroy) {
    if (bcf_hdr_parse(header_.get(), header.data()) < 0) fail(path, ": its header cannot be created");
    file_.reset(hts_open(target_.temporary().c_str(), "wb"));
    if (!file_) fail(path, ": ", errno_text(errno));
    if (threads > 1) hts_set_threads(file_.get(), threads);
    check(bcf_hdr_write(file_.get(), header_.get()));
  }
  void write(const VcfRecord& record) {
    check(bcf_write(file_.get(), header_.get(), bcf_of(header_.get(), record).get()));
  }
  void commit() {
    errno = 0;
    check(hts_close(file_.release()));
    target_.commit();
  }

 private:
  void check(int status) {
    if (status < 0) io::fail_writing(target_.path(), errno);
  }

  io::AtomicFile target_;
  std::unique_ptr<bcf_hdr_t, decltype(&bcf_hdr_destroy)> header_;
  HtsFile file_;
};
}  // namespace

struct VcfOutput::State {
  std::string path;
  std::optional<io::Output> text;
  std::optional<BcfFile> bcf;
};

VcfOutput::VcfOutput(const std::string& path, io::Format format, const std::string& header, int threads)
    : state_(new State{path, {}, {}}) {
  if (format == io::Format::bcf)
    state_->bcf.emplace(path, header, threads);
  else
    state_->text.emplace(path, threads) << header;
}
VcfOutput::~VcfOutput() = default;
VcfOutput::VcfOutput(VcfOutput&&) noexcept = default;

void VcfOutput::write(const VcfRecord& record) {
  if (state_->bcf) return state_->bcf->write(record);
  *state_->text << record.line << "\n";
}

void VcfOutput::commit() {
  state_->bcf ? state_->bcf->commit() : state_->text->commit();
  remove_indexes(state_->path);
}

}  // namespace bigdna::variants
