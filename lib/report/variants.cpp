#include "variants/vcf_reader.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "report/readers.h"
#include "variants/vcf_text.h"

namespace bigdna::report {

namespace {
constexpr size_t kMostAlleles = 3000;  // in the picture and its table: those with the largest effects

/// The first effect that the file has (DIFF, LOGIT ...) of one output.
struct Output {
  std::string name;
  size_t effect, percentile;  // where its value is: columns, or places among the keys; npos: there is none
};
constexpr size_t kNone = std::string::npos;

struct Allele {
  std::string chrom, name, ref, alt;
  int64_t position = 0;
};

/// The pictures of alleles, whatever file they come from.
class Alleles {
 public:
  Alleles(std::string effect, std::vector<Output> outputs)
      : effect_(std::move(effect)),
        outputs_(std::move(outputs)),
        sums_(outputs_.size()),
        most_(outputs_.size()),
        high_(outputs_.size()) {}

  const std::vector<Output>& outputs() const { return outputs_; }
  void skip(const std::string& reason) { ++skipped_[reason]; }
  /// `effects` and `percentiles` by output; NaN where there is none.
  void add(Allele allele, const std::vector<double>& effects, const std::vector<double>& percentiles) {
    size_t strongest = kNone;
    for (size_t f = 0; f < effects.size(); ++f) {
      const double size = std::abs(effects[f]);
      if (std::isnan(size)) continue;
      sums_[f] += size;
      most_[f] = std::max(most_[f], size);
      high_[f] += percentiles[f] >= 99;
      if (strongest == kNone || size > std::abs(effects[strongest])) strongest = f;
    }
    if (strongest == kNone) return skip("no score");
    ++scored_;
    has_percentiles_ = has_percentiles_ || !std::isnan(percentiles[strongest]);
    kept_.push_back({std::move(allele), strongest, effects[strongest], percentiles[strongest]});
    if (kept_.size() >= 4 * kMostAlleles) keep_strongest();
  }

  void add_to(Item& item) {
    keep_strongest();
    item.facts.emplace_back("Alleles with a score", std::to_string(scored_));
    Section section{"volcano",
                    "Alleles with the largest effects",
                    concat("Of each allele the feature in which its ", effect_, " is largest."),
                    {"contig", "position", "name", "ref", "alt", "feature", effect_, "percentile"}};
    section.options = {{"effect", effect_}, {"percentiles", has_percentiles_}};
    if (scored_ > static_cast<int64_t>(kept_.size()))
      section.note += concat(" The ", kept_.size(), " alleles with the largest of ", scored_, " are here.");
    if (has_percentiles_)
      section.note +=
          " Its height is the share of random variants with a larger effect: at 2 these are one in a hundred.";
    else
      section.note +=
          " bigdna variants --null adds percentiles in a background of random variants, which say how unusual "
          "an effect is.";
    for (const auto& kept : kept_)
      section.add(kept.allele.chrom, kept.allele.position, kept.allele.name, kept.allele.ref, kept.allele.alt,
                  outputs_[kept.output].name, number(kept.effect), number(kept.percentile));
    item.add(std::move(section));
    Features features("Effects on each feature", "", {"name"});
    for (size_t f = 0; f < outputs_.size() && outputs_.size() > 1 && scored_ > 0; ++f) {
      features.add({outputs_[f].name});
      features.set("largest absolute effect", "", number(most_[f]));
      features.set("mean absolute effect", "", number(sums_[f] / static_cast<double>(scored_)));
      if (has_percentiles_) features.set("alleles from percentile 99 on", "", high_[f]);
    }
    item.add(std::move(features).section());
    Section skipped{"bars", "Alleles without a score", "", {"reason", "kind", "rows"}};
    skipped.options = {{"y", "reason"}, {"x", "rows"}};
    for (const auto& [reason, count] : skipped_) skipped.add(reason, "skipped", count);
    item.add(std::move(skipped));
  }

 private:
  struct Kept {
    Allele allele;
    size_t output;
    double effect, percentile;
  };
  void keep_strongest() {
    std::ranges::stable_sort(kept_,
                             [](const Kept& a, const Kept& b) { return std::abs(a.effect) > std::abs(b.effect); });
    if (kept_.size() > kMostAlleles) kept_.resize(kMostAlleles);
  }

  std::string effect_;
  std::vector<Output> outputs_;
  std::vector<Kept> kept_;
  std::vector<double> sums_, most_;
  std::vector<int64_t> high_;
  int64_t scored_ = 0;
  bool has_percentiles_ = false;
  std::map<std::string, int64_t> skipped_;
};

/// The text between `before` and `after`; "" without them.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto begin = text.find(before);
  if (begin == std::string_view::npos) return "";
  const auto end = text.find(after, begin + before.size());
  return std::string(
      text.substr(begin + before.size(), end == std::string_view::npos ? end : end - begin - before.size()));
}

/// The keys of INFO that bigdna variants wrote, in the order of the header, and what the header says of them.
struct Keys {
  std::string effect;
  std::vector<std::string> names;
  std::vector<Output> outputs;
};
Keys keys_of(const std::string& meta) {
  Keys keys;
  std::map<std::string, size_t> percentiles;  // by what follows the effect in the key
  size_t begin = 0;
  for (size_t end; (end = meta.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const auto line = std::string_view(meta).substr(begin, end - begin);
    const std::string key = between(line, "##INFO=<ID=BIGDNA_", ",");
    if (key.empty() || key == "SKIPPED") continue;
    const auto bar = std::min(key.find('_'), key.size());
    if (keys.effect.empty()) keys.effect = key.substr(0, bar);
    if (key.substr(0, bar) != keys.effect) continue;
    const std::string rest = key.substr(bar);
    keys.names.push_back("BIGDNA_" + key);
    constexpr std::string_view kPercentile = "_PERCENTILE";
    if (rest.starts_with(kPercentile)) {
      percentiles[rest.substr(kPercentile.size())] = keys.names.size() - 1;
      continue;
    }
    const std::string feature = between(line, " of ", ", model");
    keys.outputs.push_back(
        {feature.empty() ? rest.empty() ? keys.effect : rest.substr(1) : feature, keys.names.size() - 1, kNone});
    percentiles.try_emplace(rest, kNone);
  }
  for (auto& output : keys.outputs) {
    const std::string rest = keys.names[output.effect].substr(std::string_view("BIGDNA_").size() + keys.effect.size());
    if (const auto found = percentiles.find(rest); found != percentiles.end()) output.percentile = found->second;
  }
  return keys;
}
}  // namespace

void add_variants(Item& item, Table& table) {
  const auto column = [&](const char* name) { return *table.find(name); };
  const size_t skipped = column("skipped");
  const auto& columns = table.columns();
  if (skipped + 1 >= columns.size()) fail(item.name, ": has no column with effects");
  const std::string effect = columns[skipped + 1].substr(0, columns[skipped + 1].find(':'));
  std::vector<Output> outputs;
  for (size_t i = skipped + 1; i < columns.size(); ++i) {
    const auto colon = columns[i].find(':');
    if (columns[i].substr(0, colon) != effect) continue;
    const std::string feature = colon == kNone ? "" : columns[i].substr(colon);
    outputs.push_back({feature.empty() ? effect : feature.substr(1), i,
                       table.find(effect + "_percentile" + feature).value_or(kNone)});
  }
  Alleles alleles(effect, outputs);
  std::vector<double> effects(outputs.size()), percentiles(outputs.size());
  while (table.next()) {
    if (table.text(skipped) != ".") {
      alleles.skip(std::string(table.text(skipped)));
      continue;
    }
    for (size_t f = 0; f < outputs.size(); ++f) {
      effects[f] = table.number(outputs[f].effect);
      percentiles[f] = outputs[f].percentile == kNone ? NAN : table.number(outputs[f].percentile);
    }
    const auto text = [&](const char* name) { return std::string(table.text(column(name))); };
    alleles.add(
        {text("chrom"), text("name"), text("ref"), text("alt"), static_cast<int64_t>(table.number(column("pos")))},
        effects, percentiles);
  }
  alleles.add_to(item);
}

void add_variants(Item& item, const std::string& vcf) {
  variants::VcfReader reader(vcf);
  const auto& header = reader.header();
  for (const auto& [key, name] :
       {std::pair{"Version", "bigdna_version"}, {"Command", "bigdna_command"}, {"Model", "model"}})
    if (const auto text = between(header.meta, concat("##bigdna_variants", key, "="), "\n"); !text.empty())
      item.facts.emplace_back(name, text);
  const auto keys = keys_of(header.meta);
  if (keys.outputs.empty()) fail(vcf, ": has no effects of bigdna variants (no INFO key begins with BIGDNA_)");
  Alleles alleles(keys.effect, keys.outputs);
  std::vector<double> effects(keys.outputs.size()), percentiles(keys.outputs.size());
  while (const auto record = reader.next()) {
    const std::string line = text_of(header, *record);
    std::map<std::string_view, std::vector<std::string_view>> info;
    for (const auto entry : io::split(variants::columns_of(line).info, ';'))
      if (const auto equals = entry.find('='); entry.starts_with("BIGDNA_") && equals != std::string_view::npos)
        info[entry.substr(0, equals)] = io::split(entry.substr(equals + 1), ',');
    const auto field = [&](const std::string& key, size_t allele) {
      const auto found = info.find(key);
      return found == info.end() || allele >= found->second.size() ? std::string_view(".") : found->second[allele];
    };
    const auto value = [&](size_t key, size_t allele) {
      if (key == kNone) return static_cast<double>(NAN);
      const auto number = number_of(field(keys.names[key], allele));
      if (!number) fail(record->where, ": ", keys.names[key], " is not a number");
      return *number;
    };
    for (size_t allele = 0; allele < record->alts.size(); ++allele) {
      if (const auto reason = field("BIGDNA_SKIPPED", allele); reason != ".") {
        alleles.skip(std::string(reason));
        continue;
      }
      for (size_t f = 0; f < keys.outputs.size(); ++f) {
        effects[f] = value(keys.outputs[f].effect, allele);
        percentiles[f] = value(keys.outputs[f].percentile, allele);
      }
      alleles.add({record->contig, record->id, record->ref, record->alts[allele], record->position + 1}, effects,
                  percentiles);
    }
  }
  alleles.add_to(item);
}

}  // namespace bigdna::report
