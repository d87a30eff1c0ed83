#include "genome/fasta.h"

#include <htslib/faidx.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/log.h"
#include "genome/assemblies.h"
#include "genome/fasta_index.h"
#include "genome/region_string.h"
#include "io/paths.h"

namespace bigdna::genome {

namespace {
struct Shared {  // by all handles on the file
  std::string path;
  FastaIndex index;
  InvalidBases invalid{};
  std::vector<Contig> contigs;
  std::unordered_map<std::string, IndexedSequence> sequences;
  mutable std::atomic<bool> alias_said = false;
};

struct DestroyIndex {
  void operator()(faidx_t* index) const { fai_destroy(index); }
};
using Handle = std::unique_ptr<faidx_t, DestroyIndex>;

Handle open_handle(const Shared& shared) {
  const std::string gzi = io::openable(shared.index.gzi);
  errno = 0;
  Handle handle(fai_load3(io::openable(shared.path).c_str(), io::openable(shared.index.fai).c_str(),
                          gzi.empty() ? nullptr : gzi.c_str(), 0));
  if (!handle) fail(shared.index.fai, ": ", why_not_opened("cannot be read as the index of " + shared.path));
  return handle;
}
}  // namespace

struct Genome::State {
  explicit State(std::shared_ptr<Shared> of)
      : shared(std::move(of)), layout(shared->path, shared->index), handle(open_handle(*shared)) {}

  /// Called once for each sequence that is read.
  void check_layout(const std::string& name) {
    if (!checked.insert(name).second || layout.holds(shared->sequences.at(name), shared->sequences)) return;
    FastaReader reader(shared->path, shared->invalid);  // its error names the position, where it finds one
    while (reader.next()) {
    }
    fail(shared->path, ": sequence ", name, ": does not match its index ", shared->index.fai,
         ": it contains blanks or non-letters, or the index belongs to another file");
  }

  std::shared_ptr<Shared> shared;
  FastaLayout layout;
  Handle handle;
  std::unordered_set<std::string> checked;
};

Genome::Genome(const std::string& path, InvalidBases invalid) {
  if (path == "-") fail("a genome needs random access: name its file instead of -");
  auto shared = std::make_shared<Shared>();
  shared->path = path;
  shared->index = find_or_build_index(path);
  shared->invalid = invalid;
  std::vector<IndexedSequence> sequences = read_index(shared->index);
  FastaLayout layout(path, shared->index);
  for (const auto& sequence : sequences) layout.check_extent(sequence);
  layout.refuse_repeated_names(sequences);
  for (IndexedSequence& sequence : sequences) {
    shared->contigs.push_back({sequence.name, sequence.length});
    shared->sequences.emplace(sequence.name, std::move(sequence));
  }
  state_ = std::make_unique<State>(std::move(shared));
}

Genome::~Genome() = default;
Genome::Genome(Genome&&) noexcept = default;
Genome& Genome::operator=(Genome&&) noexcept = default;

Genome Genome::reopen() const { return Genome(std::make_unique<State>(state_->shared)); }
Genome::Genome(std::unique_ptr<State> state) : state_(std::move(state)) {}

const std::string& Genome::path() const { return state_->shared->path; }
const std::vector<Contig>& Genome::contigs() const { return state_->shared->contigs; }

std::optional<std::string> Genome::resolve(const std::string& contig) const {
  const Shared& shared = *state_->shared;
  if (shared.sequences.contains(contig)) return contig;
  const std::string other = other_spelling(contig);
  const auto found = shared.sequences.find(other);
  if (found == shared.sequences.end()) return std::nullopt;
  if (!shared.alias_said.exchange(true))
    log::info("contig ", contig, " is called ", other, " in ", shared.path,
              "; other contigs are matched in the same way");
  return other;
}

std::string Genome::piece_of(const std::string& contig) const {
  for (const auto& [name, length] : contigs())
    if (const auto piece = region_of_name(name, length);
        piece && (piece->contig == contig || piece->contig == other_spelling(contig)))
      return concat("; it has a piece of it, ", name, ", whose first base is position 1");
  return "";
}

int64_t Genome::length(const std::string& contig) const {
  const auto name = resolve(contig);
  if (!name) fail(path(), ": has no contig '", contig, "'");
  return state_->shared->sequences.at(*name).length;
}

std::string Genome::require(const Region& region, const std::string& where) const {
  auto name = resolve(region.contig);
  if (!name) fail(where, ": ", path(), " has no contig ", region.contig, piece_of(region.contig));
  if (const int64_t length = state_->shared->sequences.at(*name).length; region.end > length)
    fail(where, ": end ", region.end, " is past the end of ", contig_and_length(region.contig, length));
  return std::move(*name);
}

std::string Genome::fetch(const Region& region) const {
  const int64_t length = this->length(region.contig);
  if (region.length() < 0) fail("region ", to_string(region), ": its end is before its start");
  const int64_t start = std::clamp<int64_t>(region.start, 0, length), end = std::clamp<int64_t>(region.end, 0, length);
  std::string bases;
  if (start < end) {
    const std::string name = *resolve(region.contig);
    state_->check_layout(name);
    state_->layout.check_seek(state_->shared->sequences.at(name), start);
    hts_pos_t got = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        faidx_fetch_seq64(state_->handle.get(), name.c_str(), start, end - 1, &got), std::free);
    if (!text || got != end - start)
      fail(path(), ": cannot read ", to_string({name, start, end}),
           ": the file is damaged, or the index belongs to another file");
    bases.assign(text.get(), static_cast<size_t>(got));
    normalise(bases, state_->shared->invalid, path(), name, start);
  }
  if (start > region.start) bases.insert(0, static_cast<size_t>(std::min(start, region.end) - region.start), 'N');
  bases.resize(static_cast<size_t>(region.length()), 'N');
  if (region.strand == '-') reverse_complement_in_place(bases);
  return bases;
}

Region Genome::parse_region(const std::string& text) const {
  const auto length_of = [&](const std::string& name) -> std::optional<int64_t> {
    const auto found = resolve(name);
    return found ? std::optional(state_->shared->sequences.at(*found).length) : std::nullopt;
  };
  const std::string contig = text.substr(0, text.rfind(':'));
  if (const auto piece = piece_of(contig); !piece.empty() && !length_of(text) && !length_of(contig))
    fail("region '", text, "': ", path(), " has no such contig", piece);
  return genome::parse_region(text, length_of, path());
}

std::string other_spelling(const std::string& contig) {
  return contig.starts_with("chr") ? contig.substr(3) : "chr" + contig;
}

std::string to_string(const Region& region) {
  const auto grouped = [](int64_t number) {
    std::string digits = std::to_string(number);
    for (auto i = static_cast<int64_t>(digits.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3)
      digits.insert(static_cast<size_t>(i), ",");
    return digits;
  };
  return concat(region.contig, ":", grouped(region.start + 1), "-", grouped(region.end),
                region.strand == '.' ? "" : concat("(", region.strand, ")"));
}

}  // namespace bigdna::genome
