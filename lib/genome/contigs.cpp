#include "genome/contigs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <re2/re2.h>
#include <unordered_map>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/bed.h"
#include "genome/interval_set.h"
#include "io/lines.h"

namespace bigdna::genome {

struct ContigFilter::State {
  State(const std::string& text, const re2::RE2::Options& options) : expression(text, options) {}
  re2::RE2 expression;
};

namespace {
bool is_primary(std::string_view name) {
  return !(name.ends_with("_alt") || name.ends_with("_random") || name.ends_with("_fix") || name.starts_with("chrUn") ||
           name.starts_with("HLA") || name == "hs37d5" || name.find("decoy") != std::string_view::npos);
}

/// Contigs by name, and by the other spelling ("chr20", "20").
class ContigNames {
 public:
  explicit ContigNames(const std::vector<Contig>& contigs) {
    for (const Contig& contig : contigs) by_name_.emplace(contig.name, &contig);
    // exact names come first
    for (const Contig& contig : contigs) by_name_.emplace(other_spelling(contig.name), &contig);
  }
  /// nullptr if there is none.
  const Contig* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string, const Contig*> by_name_;
};

IntervalSet held_out_fraction(double fraction, const std::vector<Contig>& contigs, uint64_t seed) {
  constexpr int64_t kBlock = 1'000'000, kLeastBlocks = 40;
  int64_t total = 0;
  for (const Contig& contig : contigs) total += contig.length;
  const int64_t block = std::clamp<int64_t>(total / kLeastBlocks, 1, kBlock);
  std::vector<Region> blocks;
  for (const Contig& contig : contigs)
    for (int64_t start = 0; start < contig.length; start += block)
      blocks.push_back({contig.name, start, std::min(start + block, contig.length)});
  Rng(mix({seed, kHeldOutBlocks})).shuffle(blocks);
  IntervalSet set;
  const double wanted = fraction * static_cast<double>(total);
  int64_t held = 0;
  for (const Region& region : blocks) {  // as near to the fraction as whole blocks come, and at least one
    if (held > 0 && static_cast<double>(held) + static_cast<double>(region.length()) / 2 > wanted) break;
    set.add(region);
    held += region.length();
  }
  return set;
}
}  // namespace

ContigFilter::ContigFilter(std::string choice) : choice_(std::move(choice)) {
  if (choice_ == "primary" || choice_ == "all") return;
  plain_ = std::ranges::all_of(choice_, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-|").find(static_cast<char>(c)) != std::string::npos;
  });
  re2::RE2::Options options(re2::RE2::Latin1);  // names are bytes
  options.set_log_errors(false);
  expression_ = std::make_shared<State>(choice_, options);
  if (const auto& expression = expression_->expression; !expression.ok())
    throw UsageError(concat("--contigs ", choice_.substr(0, 100), ": is not primary, all or a regular expression (",
                            expression.error().substr(0, 100), ")"));
}

ContigFilter::ContigFilter(std::string choice, const std::vector<Contig>& contigs) : ContigFilter(std::move(choice)) {
  exact_ = std::ranges::any_of(contigs, [&](const Contig& contig) { return is_name(contig.name); });
}

bool ContigFilter::operator()(const std::string& name) const {
  if (name == choice_) return true;  // it may hold characters that mean something in an expression
  if (exact_) return false;
  const auto matches = [&](const std::string& spelling) {
    return re2::RE2::FullMatch(spelling, expression_->expression);
  };
  if (expression_) return matches(name) || (plain_ && matches(other_spelling(name)));
  return choice_ == "all" || is_primary(name);
}

void log_left_out(const std::string& choice, const std::vector<std::string>& left_out, size_t total) {
  if (left_out.empty()) return;
  log::info("--contigs ", choice, " leaves out ", left_out.size(), " of ", total, " sequences: ", left_out.front(),
            left_out.size() > 1 ? " ... " + left_out.back() : "");
}

ChosenContigs chosen_contigs(const Genome& genome, const std::string& choice) {
  const ContigFilter filter(choice, genome.contigs());
  ChosenContigs chosen;
  for (const Contig& contig : genome.contigs()) {
    if (filter(contig.name))
      chosen.contigs.push_back(contig);
    else
      chosen.left_out.push_back(contig.name);
  }
  if (chosen.contigs.empty()) fail(genome.path(), ": --contigs ", choice, " leaves no contig");
  return chosen;
}

std::vector<Contig> contigs_named(const std::vector<Contig>& contigs, const std::set<std::string>& names) {
  std::vector<Contig> named;
  for (const Contig& contig : contigs)
    if (names.contains(contig.name)) named.push_back(contig);
  return named;
}

nlohmann::ordered_json to_json(const std::vector<Contig>& contigs) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [name, length] : contigs) json.push_back({{"name", name}, {"length", length}});
  return json;
}

std::vector<Contig> recorded_contigs(const nlohmann::ordered_json& details) try {
  std::vector<Contig> contigs;
  if (const auto found = details.find("contigs"); found != details.end())
    for (const auto& contig : *found) contigs.push_back({contig.at("name"), contig.at("length")});
  return contigs;
} catch (const nlohmann::json::exception&) {
  fail("contigs are not of the form [{\"name\", \"length\"}, ...]");
}

IntervalSet in_genome(IntervalSet set, const std::vector<Contig>& contigs) {
  for (const auto& [name, length] : contigs) set.choose(name, length);
  return set;
}

IntervalSet on_contigs(const IntervalSet& set, const std::vector<Contig>& contigs) {
  const ContigNames names(contigs);
  const IntervalSet of_genome = in_genome(set, contigs);
  IntervalSet result;
  for (const auto& [name, intervals] : of_genome.contigs())
    if (const Contig* contig = names.find(name)) {
      for (const auto& [start, end] : intervals) result.add(contig->name, start, std::min(end, contig->length));
      result.set_length(contig->name, contig->length);
    }
  return result;
}

IntervalSet all_of(const std::vector<Contig>& contigs) {
  IntervalSet set;
  for (const Contig& contig : contigs) {
    set.add(contig.name, 0, contig.length);
    set.set_length(contig.name, contig.length);
  }
  return set;
}

IntervalSet intervals_of_bed(const std::string& path, const std::vector<Contig>& contigs) {
  const ContigNames names(contigs);
  IntervalSet set;
  int64_t elsewhere = 0, renamed = 0, cut = 0;
  std::string other;  // the first contig that is not used
  EmptyIntervals empty;
  SignalCheck signal;
  BedReader bed(path, StrandColumn::ignored);
  while (const auto record = bed.next()) {
    signal.add(*record);
    if (empty.add(*record)) continue;
    const auto& region = record->region;
    const Contig* contig = names.find(region.contig);
    if (!contig) {
      if (elsewhere++ == 0) other = region.contig;
      continue;
    }
    renamed += contig->name != region.contig;
    cut += region.end > contig->length;
    set.add(contig->name, region.start, std::min(region.end, contig->length));
    set.set_length(contig->name, contig->length);
  }
  empty.warn(bed.path());
  if (signal.is_signal())
    log::warn(bed.path(),
              ": looks like bedGraph (records that touch, column 4 a number): all of its intervals count, "
              "whatever their number");
  if (elsewhere > 0 && set.empty() && !contigs.empty())
    log::warn(bed.path(), ": none of its ", counted(elsewhere, "interval"), " lies on a contig that is used: it has ",
              other, " and others, the genome ", contigs.front().name, " and others");
  else if (elsewhere > 0)
    log::info(bed.path(), ": ", counted(elsewhere, "interval lies", "intervals lie"), " on contigs that are not used");
  if (renamed > 0)
    log::info(bed.path(), ": ", counted(renamed, "interval is", "intervals are"),
              " on contigs whose names differ from the genome's by \"chr\"");
  if (cut > 0)
    log::warn(bed.path(), ": ",
              counted(cut, "interval reaches past the end of its contig and is",
                      "intervals reach past the end of their contig and are"),
              " cut there: is the file for this assembly?");
  return set;
}

std::optional<std::string> other_genome(const IntervalSet& recorded, const std::vector<Contig>& contigs,
                                        const std::string& whose) {
  const ContigNames names(contigs);
  for (const auto& [name, intervals] : recorded.contigs()) {
    const Contig* contig = names.find(name);
    if (!contig || recorded.fits(name, contig->length)) continue;
    std::string lengths;
    for (const auto& [length, own] : recorded.by_length(name))
      if (length != 0) lengths += concat(lengths.empty() ? "" : " or ", length);
    return concat(name,
                  lengths.empty() ? concat(" up to base ", intervals.back().second) : concat(" of ", lengths, " bp"),
                  ", but ", whose, " has ", contig->name, " of ", contig->length, " bp");
  }
  return std::nullopt;
}

void warn_of_other_genome(const IntervalSet& recorded, const std::string& recorder, const std::vector<Contig>& contigs,
                          const std::string& whose) {
  if (const auto other = other_genome(recorded, contigs, whose))
    log::warn(recorder, ": was trained on ", *other,
              ": that is another assembly, on which it is not known what training has seen");
}

IntervalSet held_out(const std::string& choice, const std::vector<Contig>& contigs, uint64_t seed) {
  if (choice == "none") return {};
  const auto fraction = parse_number<double>(choice);
  if (fraction && *fraction == 0) return {};
  if (fraction && *fraction > 0 && *fraction < 1)
    return on_contigs(held_out_fraction(*fraction, contigs, seed), contigs);
  IntervalSet set;
  const ContigNames names(contigs);
  std::error_code none;  // such as a list of contigs that is longer than a file's name may be
  if (!names.find(choice) &&
      (std::filesystem::exists(choice, none) || choice.ends_with(".bed") || choice.ends_with(".bed.gz"))) {
    set = intervals_of_bed(choice, contigs);
    if (set.empty()) fail(choice, ": holds out nothing, because none of its intervals is on a contig that is used");
    return set;
  }
  for (const auto part : io::split(choice, ',')) {
    const std::string name(part);
    const Contig* contig = names.find(name);
    if (!contig)
      fail("cannot hold out ", choice, ": '", name,
           "' is not a BED file, a contig that is used, or a fraction below 1");
    set.add(contig->name, 0, contig->length);
  }
  return on_contigs(set, contigs);
}

}  // namespace bigdna::genome
