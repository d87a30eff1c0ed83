#include <functional>
#include <string>
#include <unordered_set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "io/lines.h"

namespace bigdna::genome {

namespace {
/// Names that several records have, which outputs would not tell apart. Of more than kMost names the first are known.
class RepeatedNames {
 public:
  void add(const std::string& name) {
    constexpr size_t kMost = 1'000'000;
    const auto hash = std::hash<std::string>()(name);
    if (seen_.size() >= kMost ? !seen_.contains(hash) : seen_.insert(hash).second) return;
    if (repeated_.insert(hash).second && repeated_.size() == 1) first_ = name;
  }
  /// Once.
  void warn(const std::string& path) {
    if (!repeated_.empty())
      log::warn(path, ": ", counted(repeated_.size(), "name is used", "names are used"),
                " by several records, which cannot be distinguished in the output (the first: ", first_, ")");
    repeated_.clear();
  }

 private:
  std::unordered_set<size_t> seen_, repeated_;  // hashes
  std::string first_;
};
}  // namespace

struct FastaReader::State {
  io::LineReader lines;
  InvalidBases invalid;
  std::optional<std::string> header;  // of the next record
  RepeatedNames names;                // of next_named()
};

namespace {
constexpr std::string_view kBlanks = " \t\v\f\r";

std::string name_of(std::string_view header) {
  header.remove_prefix(1);
  header.remove_prefix(std::min(header.size(), header.find_first_not_of(kBlanks)));
  return std::string(header.substr(0, header.find_first_of(kBlanks)));
}
}  // namespace

FastaReader::FastaReader(const std::string& path, InvalidBases invalid, int threads)
    : FastaReader(io::LineReader(path, threads), "", invalid) {}

FastaReader::FastaReader(io::LineReader reader, std::string first, InvalidBases invalid)
    : state_(new State{std::move(reader), invalid, {}, {}}) {
  io::LineReader& lines = state_->lines;
  for (std::optional<std::string_view> line = first; line; line = lines.next()) {
    if (line->find_first_not_of(kBlanks) == std::string_view::npos) continue;
    if (line->front() != '>')
      fail(lines.path(), ":", lines.line(), ": not FASTA: a line before the first '>'",
           line->front() == '@'    ? " (it looks like FASTQ)"
           : looks_like_bed(*line) ? " (it looks like BED)"
                                   : "");
    state_->header = name_of(*line);
    return;
  }
  fail(lines.path(), ": is empty (a FASTA record was expected)");
}

FastaReader::~FastaReader() = default;
FastaReader::FastaReader(FastaReader&&) noexcept = default;

std::optional<FastaRecord> FastaReader::next() {
  State& s = *state_;
  if (!s.header) return std::nullopt;
  FastaRecord record{std::move(*s.header), {}};
  s.header.reset();
  while (auto line = s.lines.next()) {
    if (line->starts_with('>')) {
      s.header = name_of(*line);
      break;
    }
    record.bases.append(line->substr(0, line->find_last_not_of(kBlanks) + 1));
  }
  normalise(record.bases, s.invalid, s.lines.path(), record.name);
  return record;
}

std::optional<FastaRecord> FastaReader::next_named() {
  auto record = next();
  if (record && record->name.empty()) fail(where(*record), "has no name, which the output needs");
  record ? state_->names.add(record->name) : state_->names.warn(state_->lines.path());
  return record;
}

std::string FastaReader::where(const FastaRecord& record) const {
  return concat(state_->lines.path(), ": sequence ", record.name);
}

IntervalSet soft_masked(const std::string& path) {
  IntervalSet set;
  io::LineReader lines(path);
  std::string name;
  int64_t at = 0, since = -1;  // position in the record; where a run of lower case began
  const auto end_run = [&] {
    if (since >= 0) set.add(name, since, at);
    since = -1;
  };
  while (const auto line = lines.next()) {
    if (line->starts_with('>')) {
      end_run();
      name = name_of(*line);
      at = 0;
      continue;
    }
    for (const char base : line->substr(0, line->find_last_not_of(kBlanks) + 1)) {
      const bool lower = base >= 'a' && base <= 'z';
      if (lower && since < 0) since = at;
      if (!lower) end_run();
      ++at;
    }
  }
  end_run();
  return set;
}

}  // namespace bigdna::genome
