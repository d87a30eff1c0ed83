#include "coverage/records.h"

#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "coverage/record_readers.h"
#include "genome/bigwig_values.h"

namespace bigdna::coverage {

namespace {
constexpr std::array<std::string_view, 7> kKinds{
    "alignments (BAM, CRAM or SAM)",          "reads in BED",       "pairs in BEDPE",      "fragments with barcodes",
    "fragments (intervals without a strand)", "a signal in bigWig", "a signal in bedGraph"};
}  // namespace

std::string_view kind_name(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

void read_records(const std::string& path, const Contigs& contigs, int threads, Records& to) {
  hts_set_log_level(HTS_LOG_OFF);  // bigdna reports every failure itself
  auto input = io::open_any_input(path);
  const std::string name = path == "-" ? "stdin" : path;
  char start[4];
  const ssize_t got = hpeek(input.get(), start, sizeof start);
  if (genome::begins_bigwig({start, got < 0 ? 0 : static_cast<size_t>(got)})) {
    input.reset();
    read_bigwig(path, contigs, to);
    return;
  }
  htsFormat format{};
  errno = 0;
  if (hts_detect_format2(input.get(), path.c_str(), &format) < 0)
    fail(name, ": ", errno ? errno_text(errno) : "cannot be read");
  if (format.format == empty_format) fail(name, ": is empty");
  if (format.format == bam || format.format == cram || format.format == sam)
    read_alignments(std::move(input), path, contigs, threads, to);
  else
    read_text(std::move(input), path, contigs, threads, to);
}

void read_bigwig(const std::string& path, const Contigs& contigs, Records& to) {
  const genome::BigWigValues values(path);
  const auto numbers = contigs.numbers_of(values.contigs(), path);
  to.begin(Kind::bigwig);
  values.each([&](const genome::BigWigValue& value) {
    if (const auto number = numbers[value.contig]) to.value(*number, value.start, value.end, value.value);
  });
}

}  // namespace bigdna::coverage
