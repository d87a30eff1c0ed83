#include "variants/bcf_file.h"

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace bigdna::variants {

BcfFile::BcfFile(const std::string& path, Header header, int threads) : target_(path), header_(std::move(header)) {
  file_.reset(hts_open(target_.temporary().c_str(), "wb"));
  if (!file_) fail(path, ": ", errno_text(errno));
  if (threads > 1) hts_set_threads(file_.get(), threads);
  check(bcf_hdr_write(file_.get(), header_.get()));
}

void BcfFile::write(bcf1_t* record) { check(bcf_write(file_.get(), header_.get(), record)); }

void BcfFile::commit() {
  errno = 0;
  check(hts_close(file_.release()));
  target_.commit();
}

void BcfFile::check(int status) const {
  if (status < 0) io::fail_writing(target_.path(), errno);
}

}  // namespace bigdna::variants
