#include <htslib/vcf.h>

#include <cerrno>
#include <memory>

#include "base/error.h"
#include "io/lines.h"
#include "io/output.h"
#include "merge/joiners.h"
#include "variants/hts_file.h"

namespace bigdna::merge {

namespace {
using File = variants::HtsFile;
using Header = std::unique_ptr<bcf_hdr_t, decltype(&bcf_hdr_destroy)>;

/// The header without the lines that say what made the file: parts may have read the same inputs under other names.
std::string dictionary_of(const bcf_hdr_t* header) {
  kstring_t text = KS_INITIALIZE;
  bcf_hdr_format(header, 0, &text);
  std::string kept;
  for (const auto line : io::split(std::string_view(text.s ? text.s : "", text.l), '\n'))
    if (!line.starts_with("##bigdna_")) kept.append(line).push_back('\n');
  ks_free(&text);
  return kept;
}
}  // namespace

void join_bcf(const Paths& parts, const std::string& output, int threads) {
  io::AtomicFile target(output);
  File out(hts_open(target.temporary().c_str(), "wb"));
  if (!out) fail(output, ": ", errno_text(errno));
  if (threads > 1) hts_set_threads(out.get(), threads);
  const auto check = [&](int status) {
    if (status < 0) io::fail_writing(output, errno);
  };
  const std::unique_ptr<bcf1_t, decltype(&bcf_destroy)> record(bcf_init(), bcf_destroy);
  std::string first;  // part's header
  for (const auto& part : parts) {
    const File in(hts_open(part.c_str(), "rb"));
    if (!in) fail(part, ": ", errno_text(errno));
    const Header header(bcf_hdr_read(in.get()), bcf_hdr_destroy);
    if (!header) fail(part, ": its header is damaged");
    const std::string dictionary = dictionary_of(header.get());
    if (first.empty()) {
      first = dictionary;
      check(bcf_hdr_write(out.get(), header.get()));
    } else if (dictionary != first) {
      fail(part, ": its header is not that of ", parts.front());
    }
    int status = 0;
    while ((status = bcf_read(in.get(), header.get(), record.get())) == 0)
      check(bcf_write(out.get(), header.get(), record.get()));
    if (status < -1) fail(part, ": is damaged");
  }
  errno = 0;
  if (hts_close(out.release()) < 0) io::fail_writing(output, errno);
  target.commit();
}

}  // namespace bigdna::merge
