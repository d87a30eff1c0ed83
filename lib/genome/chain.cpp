#include "genome/chain.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/error.h"
#include "base/number.h"
#include "genome/assemblies.h"
#include "genome/region.h"
#include "io/lines.h"

namespace bigdna::genome {

namespace {
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t from; (from = std::min(line.size(), line.find_first_not_of(" \t"))) < line.size();) {
    line.remove_prefix(from);
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
  return words;
}

/// The first block that ends past a position.
std::vector<Chain::Block>::const_iterator first_block(const Chain& chain, int64_t position) {
  return std::lower_bound(
      chain.blocks.begin(), chain.blocks.end(), position,
      [](const Chain::Block& block, int64_t start) { return block.target + block.length <= start; });
}
}  // namespace

const char* to_string(Unlifted reason) {
  switch (reason) {
    case Unlifted::none:
      return "Lifted";
    case Unlifted::deleted:
      return "Deleted in new";
    case Unlifted::partial:
      return "Partially deleted in new";
    case Unlifted::split:
      return "Split in new";
    case Unlifted::duplicated:
      return "Duplicated in new";
    case Unlifted::block:
      return "Block deleted in new";
    case Unlifted::empty:
      return "Empty region";
  }
  return "";
}

Chains::Chains(const std::string& path) {
  io::LineReader lines(path);
  path_ = lines.path();
  const auto bad = [&](const auto&... cause) { fail(lines.path(), ":", lines.line(), ": ", cause...); };
  const auto number = [&](std::string_view text) {
    const auto value = parse_number<int64_t>(text);
    if (!value || *value < 0) bad("'", text, "' is not a length or position");
    if (*value > kMostPosition) bad(text, " is longer than any contig");
    return *value;
  };
  while (auto line = lines.next()) {
    if (line->starts_with('#')) continue;
    const auto header = words(*line);
    if (header.empty()) continue;
    if (header[0] != "chain" || header.size() < 12) bad("not a chain file: expected a line 'chain SCORE TARGET ...'");
    if (header[4] != "+") bad("the target's strand is '", header[4], "', which must be +");
    if (header[9] != "+" && header[9] != "-") bad("the query's strand is '", header[9], "'");
    Chain chain{number(header[5]), number(header[6]), std::string(header[7]), number(header[8]), header[9][0], {}};
    const std::string target(header[2]);
    const auto add_length = [&](Lengths& lengths, const std::string& contig, int64_t length) {
      const int64_t known = lengths.emplace(contig, length).first->second;
      if (known != length) bad(contig, " has ", length, " bp here, and ", known, " in a chain before");
    };
    add_length(targets_, target, number(header[3]));
    add_length(queries_, chain.query, chain.query_length);
    const int64_t query_end = number(header[11]);
    if (chain.end > number(header[3]) || query_end > chain.query_length)
      bad("the chain reaches past the end of its sequence");
    int64_t at = chain.start, query = number(header[10]);
    for (bool last = false; !last;) {
      if (!(line = lines.next())) bad("truncated: the chain's last block is missing");
      const auto block = words(*line);
      if (block.size() != 1 && block.size() != 3) bad("a block has 1 or 3 numbers, this line has ", block.size());
      chain.blocks.push_back({at, query, number(block[0])});
      last = block.size() == 1;
      at += number(block[0]) + (last ? 0 : number(block[1]));
      query += number(block[0]) + (last ? 0 : number(block[2]));
    }
    if (at != chain.end || query != query_end) bad("the chain's blocks do not end where its header says");
    chains_[target].push_back(std::move(chain));
    ++count_;
  }
  if (count_ == 0) fail(lines.path(), ": has no chains");
  for (auto& [target, chains] : chains_)
    std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) { return a.start < b.start; });
}

std::optional<int64_t> Chains::length_of(const Lengths& lengths, const std::string& contig) {
  auto found = lengths.find(contig);
  if (found == lengths.end()) found = lengths.find(other_spelling(contig));
  return found == lengths.end() ? std::nullopt : std::optional(found->second);
}

void Chains::refuse_past_end(const Region& region, const std::string& where) const {
  const auto length = target_length(region.contig);
  if (length && region.end > *length)
    fail(where, ": position ", region.end, " is past the end of ", contig_and_length(region.contig, *length),
         " in the assembly that ", path_, " leads from");
}

Lifted Chains::lift(const Region& region, double least) const {
  const auto failed = [&](Unlifted reason) { return Lifted{region, reason}; };
  if (region.length() <= 0) return failed(Unlifted::empty);
  auto found = chains_.find(region.contig);
  const bool alias = found == chains_.end();
  if (alias) found = chains_.find(other_spelling(region.contig));
  if (found == chains_.end()) return failed(Unlifted::deleted);

  const Chain* hit = nullptr;
  int hits = 0, parts = 0;
  for (const Chain& chain : found->second) {
    if (chain.start >= region.end) break;
    if (chain.end <= region.start) continue;
    int64_t aligned = 0;
    for (auto block = first_block(chain, region.start); block != chain.blocks.end() && block->target < region.end;
         ++block)
      aligned += std::min(region.end, block->target + block->length) - std::max(region.start, block->target);
    if (aligned > 0 && static_cast<double>(aligned) >= least * static_cast<double>(region.length())) {
      ++hits;
      hit = &chain;
    } else if (aligned > 0) {
      ++parts;
    }
  }
  if (hits > 1) return failed(Unlifted::duplicated);
  if (hits == 0) return failed(parts == 0 ? Unlifted::deleted : parts == 1 ? Unlifted::partial : Unlifted::split);

  Lifted lifted{region, Unlifted::none, hit};
  if (alias && hit->query.starts_with("chr") != region.contig.starts_with("chr"))
    lifted.region.contig = other_spelling(hit->query);
  else
    lifted.region.contig = hit->query;
  if (hit->strand == '-' && region.strand != '.') lifted.region.strand = region.strand == '+' ? '-' : '+';
  lifted.region = lifted.part(region.start, region.end).value();
  return lifted;
}

std::optional<Region> Lifted::part(int64_t from, int64_t to) const {
  const auto first = first_block(*chain, from);
  const auto past = std::lower_bound(first, chain->blocks.end(), to,
                                     [](const Chain::Block& block, int64_t end) { return block.target < end; });
  if (from >= to || first == past) return std::nullopt;
  const auto& last = *(past - 1);
  int64_t start = first->query + std::max<int64_t>(0, from - first->target);
  int64_t end = last.query + std::min(last.length, to - last.target);
  if (chain->strand == '-') std::tie(start, end) = std::pair(chain->query_length - end, chain->query_length - start);
  return Region{region.contig, start, end, region.strand};
}

}  // namespace bigdna::genome
