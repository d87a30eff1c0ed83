#include "genome/fasta_index.h"

#include <htslib/bgzf.h>
#include <htslib/faidx.h>
#include <htslib/hts_log.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "genome/fasta.h"
#include "io/lines.h"
#include "io/manifest.h"

namespace bigdna::genome {

namespace fs = std::filesystem;

namespace {
/// bgzf_compression() of the file: 0 plain, 1 gzip, 2 BGZF; every reason why it is no FASTA is an Error.
int check_fasta(const std::string& path) {
  if (!fs::is_regular_file(path) && fs::exists(path) && !fs::is_directory(path))
    fail(path, ": is no regular file, and random access needs one");
  FastaReader reader(path);  // missing, empty, not FASTA, no BGZF end marker
  std::unique_ptr<BGZF, int (*)(BGZF*)> file(bgzf_open(path.c_str(), "r"), bgzf_close);
  if (!file) fail(path, ": cannot be read");
  const int compression = bgzf_compression(file.get());
  if (compression == 1)
    fail(path, ": is plain gzip, and random access needs BGZF: gunzip -c ", path, " | bgzip > FILE.gz");
  return compression;
}

bool is_current(const fs::path& index, const fs::path& fasta) {
  std::error_code error;
  const auto written = fs::last_write_time(index, error);
  return !error && written >= fs::last_write_time(fasta);
}

/// The file's place in the cache: its name carries path, size and time, so that another file never finds it.
fs::path cached_base(const fs::path& fasta) {
  const char* own = std::getenv("BIGDNA_CACHE");
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path cache;
  if (own && *own)
    cache = own;
  else if (xdg && *xdg)
    cache = fs::path(xdg) / "bigdna";
  else if (home && *home)
    cache = fs::path(home) / ".cache/bigdna";
  else
    cache = fs::temp_directory_path() / concat("bigdna-", getuid());
  const std::string key = concat(fs::canonical(fasta).string(), '\n', fs::file_size(fasta), '\n',
                                 fs::last_write_time(fasta).time_since_epoch().count());
  return cache / "fai" / (io::md5_of_bytes(key) + "." + fasta.filename().string());
}

/// Builds the index under temporary names and renames it, .gzi first; several processes may do so at once.
void build(const std::string& path, const FastaIndex& index) {
  const auto temporary = [](const std::string& name) { return concat(name, ".", getpid(), ".partial"); };
  const std::string fai = temporary(index.fai), gzi = index.gzi.empty() ? "" : temporary(index.gzi);
  const int failed = fai_build3(path.c_str(), fai.c_str(), gzi.empty() ? nullptr : gzi.c_str());
  std::error_code error;
  if (failed == 0) {
    if (!gzi.empty()) fs::rename(gzi, index.gzi, error);
    if (!error) fs::rename(fai, index.fai, error);
  }
  if (failed || error) {
    std::error_code ignored;
    fs::remove(fai, ignored);
    if (!gzi.empty()) fs::remove(gzi, ignored);
  }
  if (error) fail(index.fai, ": ", error.message());
  if (!failed) return;
  FastaReader reader(path);  // htslib does not say why: see whether reading all of it does
  while (reader.next()) {
  }
  fail(path, ": cannot be indexed for random access: lines of a sequence differ in length, or a line has no name");
}
}  // namespace

FastaIndex find_or_build_index(const std::string& path) {
  hts_set_log_level(HTS_LOG_OFF);
  const bool bgzf = check_fasta(path) == 2;
  const auto names = [&](const std::string& base) { return FastaIndex{base + ".fai", bgzf ? base + ".gzi" : ""}; };
  const auto usable = [&](const FastaIndex& index) {
    return is_current(index.fai, path) && (!bgzf || is_current(index.gzi, path));
  };
  const FastaIndex beside = names(path);
  if (usable(beside)) return beside;
  const fs::path base = cached_base(path);
  const FastaIndex cached = names(base.string());
  if (usable(cached)) return cached;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK) == 0) {
    log::verbose(path, ": building its index beside it");
    build(path, beside);
    return beside;
  }
  log::verbose(path, ": building its index in ", base.parent_path().string());
  std::error_code error;
  if (fs::create_directories(base.parent_path(), error); error) fail(base.parent_path().string(), ": ", error.message());
  build(path, cached);
  return cached;
}

}  // namespace bigdna::genome
