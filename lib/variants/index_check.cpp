#include "variants/index_check.h"

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "variants/hts_file.h"

namespace bigdna::variants {

namespace {
constexpr uintmax_t kReadWhole = 32 << 20;  // bytes of a file, a second of reading

struct CloseBgzf {
  void operator()(BGZF* file) const { bgzf_close(file); }
};
using Bgzf = std::unique_ptr<BGZF, CloseBgzf>;

/// Where a record lies: the offset of its BGZF block in the file, and its own in the block (htslib's virtual offset).
using Offset = uint64_t;
struct Chunk {
  Offset begin = 0, end = 0;
};
struct IndexedContig {
  std::map<uint32_t, std::vector<Chunk>> bins;
  std::optional<uint64_t> records;  // older programs do not write it
};

/// The numbers of a .tbi or .csi, which htslib keeps to itself.
class IndexReader {
 public:
  explicit IndexReader(const std::string& path) {
    const Bgzf file(bgzf_open(path.c_str(), "r"));
    char part[1 << 16];
    for (ssize_t got = 0; file && (got = bgzf_read(file.get(), part, sizeof part)) > 0;) bytes_.append(part, got);
  }

  /// False if the file is not of this form.
  bool read() {
    const auto magic = bytes_.substr(0, 4);
    at_ = 4;
    const bool csi = magic == std::string("CSI\1", 4);
    if (!csi && magic != std::string("TBI\1", 4)) return false;
    uint32_t contigs = 0;
    if (csi) {
      min_shift = number<int32_t>();
      depth = number<int32_t>();
      skip(number<uint32_t>());
      contigs = number<uint32_t>();
    } else {
      contigs = number<uint32_t>();
      skip(6 * sizeof(int32_t));
      skip(number<uint32_t>());
    }
    if (min_shift < 0 || min_shift > 30 || depth < 0 || depth > 9) return false;  // bins have 32 bits
    const uint32_t counts_bin = ((uint32_t{1} << (3 * depth + 3)) - 1) / 7 + 1;
    for (uint32_t i = 0; good_ && i < contigs; ++i) read_contig(csi, counts_bin);
    return good_;
  }

  int min_shift = 14, depth = 5;  // of .tbi
  std::vector<IndexedContig> contigs;

 private:
  void read_contig(bool csi, uint32_t counts_bin) {
    IndexedContig& contig = contigs.emplace_back();
    for (auto bins = number<uint32_t>(); good_ && bins > 0; --bins) {
      const auto bin = number<uint32_t>();
      if (csi) skip(sizeof(uint64_t));
      const auto count = number<uint32_t>();
      std::vector<Chunk> chunks;
      for (uint32_t i = 0; good_ && i < count; ++i) {
        const auto begin = number<uint64_t>(), end = number<uint64_t>();
        chunks.push_back({begin, end});
      }
      if (bin != counts_bin)
        contig.bins[bin] = std::move(chunks);
      else if (chunks.size() == 2)
        contig.records = chunks[1].begin + chunks[1].end;
    }
    if (!csi) skip(uint64_t{number<uint32_t>()} * sizeof(uint64_t));  // the linear index
  }

  template <class T>
  T number() {
    T value{};
    if (bytes_.size() - at_ < sizeof value) {
      good_ = false;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);  // little-endian, as the machine
    at_ += sizeof value;
    return value;
  }
  void skip(uint64_t bytes) {
    if (bytes_.size() - at_ < bytes) good_ = false;
    at_ = good_ ? at_ + bytes : bytes_.size();
  }

  std::string bytes_;
  size_t at_ = 0;
  bool good_ = true;
};

/// Whether the file's records end where the index's last one does.
bool ends_there(const IndexReader& index, const std::string& path) {
  Offset last = 0;
  for (const auto& contig : index.contigs)
    for (const auto& [bin, chunks] : contig.bins)
      for (const auto& chunk : chunks) last = std::max(last, chunk.end);
  if (last == 0) return true;  // no record: nothing is known of the file's end
  if (last >> 16 > std::filesystem::file_size(path)) return false;
  const Bgzf file(bgzf_open(path.c_str(), "r"));
  char next = 0;
  return file && bgzf_seek(file.get(), static_cast<int64_t>(last), SEEK_SET) == 0 &&
         bgzf_read(file.get(), &next, 1) == 0;
}

/// The next record: its contig's number in the index and its positions (0-based, half-open).
enum class Next { record, unplaced, unknown_contig, damaged, end };
using ReadRecord = std::function<Next(int&, hts_pos_t&, hts_pos_t&)>;

bool lies_there(const IndexReader& index, int contig, hts_pos_t begin, hts_pos_t end, Offset offset) {
  if (contig < 0 || static_cast<size_t>(contig) >= index.contigs.size()) return false;
  const auto& bins = index.contigs[static_cast<size_t>(contig)].bins;
  auto bin = static_cast<uint32_t>(hts_reg2bin(begin, std::max(end, begin + 1), index.min_shift, index.depth));
  while (true) {  // htslib moves what little is in a bin to the one above it
    const auto found = bins.find(bin);
    if (found != bins.end() && std::ranges::any_of(found->second, [&](const Chunk& chunk) {
          return chunk.begin <= offset && offset < chunk.end;
        }))
      return true;
    if (bin == 0) return false;
    bin = (bin - 1) / 8;
  }
}

bool has_all(const IndexReader& index, BGZF* file, const ReadRecord& read) {
  std::vector<uint64_t> records(index.contigs.size());
  bool unplaced = false;
  while (true) {
    int contig = -1;
    hts_pos_t begin = 0, end = 0;
    const auto offset = static_cast<Offset>(bgzf_tell(file));
    const auto next = read(contig, begin, end);
    if (next == Next::end) break;
    if (next == Next::damaged) return true;  // of which the reader speaks
    if (next == Next::unplaced) {
      unplaced = true;
      continue;
    }
    if (next == Next::unknown_contig || !lies_there(index, contig, begin, end, offset)) return false;
    ++records[static_cast<size_t>(contig)];
  }
  for (size_t i = 0; !unplaced && i < records.size(); ++i)
    if (index.contigs[i].records.value_or(records[i]) != records[i]) return false;
  return true;
}

bool has_all_of_vcf(const IndexReader& index, const std::string& path, const std::string& file) {
  const std::unique_ptr<tbx_t, decltype(&tbx_destroy)> tabix(tbx_index_load3(file.c_str(), path.c_str(), 0),
                                                             &tbx_destroy);
  const Bgzf text(bgzf_open(file.c_str(), "r"));
  if (!tabix || !text) return true;  // the reader says why
  kstring_t line{0, 0, nullptr};
  const std::unique_ptr<kstring_t, decltype(&ks_free)> owner(&line, &ks_free);
  int64_t first = 0;
  do first = bgzf_tell(text.get());
  while (bgzf_getline(text.get(), '\n', &line) >= 0 && line.l > 0 && line.s[0] == '#');
  return bgzf_seek(text.get(), first, SEEK_SET) == 0 &&
         has_all(index, text.get(), [&](int& contig, hts_pos_t& begin, hts_pos_t& end) {
           const int status = tbx_readrec(text.get(), tabix.get(), &line, &contig, &begin, &end);
           if (status >= 0) return begin < 0 ? Next::unplaced : Next::record;
           if (status == -1) return Next::end;
           // not placed (POS 0, an empty line), or on a contig that the index does not have
           const std::string_view text_line(line.s ? line.s : "", line.l);
           const std::string name(text_line.substr(0, text_line.find('\t')));
           if (name.size() == text_line.size()) return Next::unplaced;
           return tbx_name2id(tabix.get(), name.c_str()) < 0 ? Next::unknown_contig : Next::unplaced;
         });
}

bool has_all_of_bcf(const IndexReader& index, htsFile* file) {
  const std::unique_ptr<bcf_hdr_t, decltype(&bcf_hdr_destroy)> header(bcf_hdr_read(file), &bcf_hdr_destroy);
  const std::unique_ptr<bcf1_t, decltype(&bcf_destroy)> record(bcf_init(), &bcf_destroy);
  if (!header) return true;
  return has_all(index, file->fp.bgzf, [&](int& contig, hts_pos_t& begin, hts_pos_t& end) {
    const int status = bcf_readrec(file->fp.bgzf, nullptr, record.get(), &contig, &begin, &end);
    return status == -1 ? Next::end : status < 0 ? Next::damaged : begin < 0 ? Next::unplaced : Next::record;
  });
}
}  // namespace

std::string fault_of_index(const std::string& index, const std::string& file) {
  IndexReader numbers(index);
  if (!numbers.read()) return "";
  bool good = ends_there(numbers, file);
  if (good && std::filesystem::file_size(file) <= kReadWhole) {
    const HtsFile opened(hts_open(file.c_str(), "r"));
    if (!opened) return "";
    good = opened->format.format == bcf ? has_all_of_bcf(numbers, opened.get()) : has_all_of_vcf(numbers, index, file);
  }
  if (good) return "";
  return concat("is the index of another file than ", file, " is now (it would lose records): bcftools index -f ", file,
                " makes a new one");
}

}  // namespace bigdna::variants
