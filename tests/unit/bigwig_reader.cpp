#include "bigwig_reader.h"

#define NOCURL  // files on disk only, so that the header does not need curl's
#include <bigWig.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/error.h"

namespace bigdna::test {

namespace {
struct Close {
  void operator()(bigWigFile_t* file) const { bwClose(file); }
};
}  // namespace

struct BigWigReader::State {
  std::string path;
  std::unique_ptr<bigWigFile_t, Close> bigwig;
};

BigWigReader::BigWigReader(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  std::error_code error;  // libBigWig would take a URL
  if (!std::filesystem::exists(path, error)) fail(path, ": No such file or directory");
  if (!bwIsBigWig(path.c_str(), nullptr)) fail(path, ": is not a bigWig file");
  state_->bigwig.reset(bwOpen(path.c_str(), nullptr, "r"));
  if (!state_->bigwig) fail(path, ": is a damaged bigWig file");
}
BigWigReader::~BigWigReader() = default;
BigWigReader::BigWigReader(BigWigReader&&) noexcept = default;

std::vector<genome::Contig> BigWigReader::contigs() const {
  const auto* list = state_->bigwig->cl;
  std::vector<genome::Contig> contigs;
  for (int64_t i = 0; i < list->nKeys; ++i) contigs.push_back({list->chrom[i], list->len[i]});
  return contigs;
}

std::vector<BigWigReader::Interval> BigWigReader::intervals(const std::string& contig, int64_t start,
                                                            int64_t end) const {
  bigWigFile_t* file = state_->bigwig.get();
  std::vector<Interval> result;
  const uint32_t number = bwGetTid(file, contig.c_str());
  if (number == std::numeric_limits<uint32_t>::max()) return result;
  if (file->hdr->nBasesCovered == 0) return result;  // such a file has no index to search
  start = std::max<int64_t>(start, 0);
  end = std::min<int64_t>(end, file->cl->len[number]);
  if (start >= end) return result;
  auto* found =
      bwGetOverlappingIntervals(file, contig.c_str(), static_cast<uint32_t>(start), static_cast<uint32_t>(end));
  if (!found) return result;
  for (uint32_t i = 0; i < found->l; ++i) result.push_back({found->start[i], found->end[i], found->value[i]});
  bwDestroyOverlappingIntervals(found);
  return result;
}

double BigWigReader::mean(const std::string& contig, int64_t start, int64_t end) const {
  double* values = bwStats(state_->bigwig.get(), contig.c_str(), static_cast<uint32_t>(start),
                           static_cast<uint32_t>(end), 1, ::mean);
  if (!values) return std::numeric_limits<double>::quiet_NaN();
  const double result = values[0];
  std::free(values);
  return result;
}

}  // namespace bigdna::test
