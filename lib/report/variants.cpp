#include "variants/vcf_reader.h"

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/error.h"
#include "base/number.h"
#include "report/readers.h"
#include "variants/bcf_record.h"
#include "variants/info_lines.h"
#include "variants/vcf_text.h"

namespace bigdna::report {

namespace {
constexpr size_t kMostAlleles = 3000;  // in the picture and its table: those with the largest effects

constexpr size_t kNone = std::string::npos;

/// One output of the model, and where the file has its numbers: columns of a table, or places among the keys of INFO.
struct Output {
  std::string name;
  std::map<std::string, size_t> effects, percentiles;  // by effect: DIFF, LOGIT ...
};

/// What numbers a file has, as its names are read one by one.
struct Layout {
  std::vector<std::string> effects;  // in the order of the file
  std::vector<std::pair<std::string, Output>> outputs;

  /// `key`: what the names of all numbers of an output have in common. `name`: "" if it is not known from this one.
  void add(const std::string& effect, bool percentile, const std::string& key, const std::string& name, size_t place) {
    auto output = std::ranges::find(outputs, key, &std::pair<std::string, Output>::first);
    if (output == outputs.end()) output = outputs.insert(output, {key, Output{name, {}, {}}});
    if (output->second.name.empty()) output->second.name = name;
    (percentile ? output->second.percentiles : output->second.effects)[effect] = place;
    if (!percentile && std::ranges::find(effects, effect) == effects.end()) effects.push_back(effect);
  }
  /// The effect that is drawn: the first that is a change.
  std::string drawn() const {
    const auto change =
        std::ranges::find_if(effects, [](const auto& name) { return !name.starts_with("P_") && name != "SPREAD"; });
    return change == effects.end() ? effects.front() : *change;
  }
};

struct Allele {
  std::string chrom, name, ref, alt;
  int64_t position = 0;
  std::string seen = ".";  // in training: 1 or 0, . if that is not known
};

/// The pictures of alleles, whatever file they come from.
class Alleles {
 public:
  /// `last_models`: what gave the reasons for which alleles have no score; "" if nothing else gave scores.
  explicit Alleles(const Layout& layout, std::string last_models = "")
      : effect_(layout.drawn()), others_(layout.effects), last_models_(std::move(last_models)) {
    std::erase(others_, effect_);
    const auto place = [](const std::map<std::string, size_t>& places, const std::string& effect) {
      const auto found = places.find(effect);
      return found == places.end() ? kNone : found->second;
    };
    for (const auto& [key, output] : layout.outputs) {
      if (!output.effects.contains(effect_)) continue;
      outputs_.push_back({output.name, place(output.effects, effect_), place(output.percentiles, effect_), {}});
      for (const auto& other : others_) outputs_.back().others.push_back(place(output.effects, other));
    }
  }

  /// `reason`: why the last model gave it no score, "." if it did. `value`: the number at a place of the layout, NaN
  /// where the allele has none: a score is where a number is, whichever model gave it.
  template <class Value>
  void add(Allele allele, std::string_view reason, Value value) {
    const auto at = [&](size_t place) { return place == kNone ? NAN : value(place); };
    const Of* strongest = nullptr;
    double largest = NAN;
    size_t present = 0;
    for (auto& output : outputs_) {
      const double effect = at(output.effect), size = std::abs(effect), percentile = at(output.percentile);
      if (std::isnan(size)) continue;
      ++present;
      ++output.alleles;
      output.sum += size;
      output.most = std::max(output.most, size);
      output.ranked += !std::isnan(percentile);
      output.high += percentile >= 99;
      if (strongest && size <= std::abs(largest)) continue;
      strongest = &output;
      largest = effect;
    }
    if (reason != ".")
      ++skipped_[std::string(reason)];
    else if (!strongest)
      ++skipped_["no score"];
    if (!strongest) return;
    ++scored_;
    seen_ += allele.seen == "1";
    seen_known_ += allele.seen != ".";
    skipped_by_last_ += reason != ".";
    fewest_ = std::min(fewest_, present);
    most_ = std::max(most_, present);
    std::vector<double> numbers{largest, at(strongest->percentile)};
    has_percentiles_ = has_percentiles_ || !std::isnan(numbers.back());
    for (const size_t place : strongest->others) numbers.push_back(at(place));
    kept_.push_back({std::move(allele), static_cast<size_t>(strongest - outputs_.data()), std::move(numbers)});
    if (kept_.size() >= 4 * kMostAlleles) keep_strongest();
  }

  void add_to(Item& item) {
    keep_strongest();
    item.facts.emplace_back("Alleles with a score", std::to_string(scored_));
    if (seen_ > 0)
      item.warnings.push_back(concat(seen_, " of ", counted(scored_, "allele"), " with a score ",
                                     seen_ == 1 ? "lies" : "lie",
                                     " in sequence that the model has read in training (column: seen in training)."));
    item.add(largest_effects());
    item.add(of_each_feature());
    Section skipped{"bars", "Alleles without a score", "", {"reason", "kind", "alleles"}};
    skipped.options = {{"y", "reason"}, {"x", "alleles"}};
    for (const auto& [reason, count] : skipped_) skipped.add(reason, "skipped", count);
    if (skipped_by_last_ > 0)
      skipped.note =
          concat("The reasons come from the last model that annotated the file, ", last_models_, "; ", skipped_by_last_,
                 " of these alleles ", skipped_by_last_ == 1 ? "has" : "have", " a score of another model.");
    item.add(std::move(skipped));
  }

 private:
  /// An output, and what is counted of the alleles that have its effect in the file.
  struct Of {
    std::string name;
    size_t effect, percentile;
    std::vector<size_t> others;  // in the order of others_
    int64_t alleles = 0, ranked = 0, high = 0;
    double sum = 0, most = 0;
  };
  struct Kept {
    Allele allele;
    size_t output;
    std::vector<double> numbers;  // effect, percentile, others
  };

  void keep_strongest() {
    std::ranges::stable_sort(
        kept_, [](const Kept& a, const Kept& b) { return std::abs(a.numbers[0]) > std::abs(b.numbers[0]); });
    if (kept_.size() > kMostAlleles) kept_.resize(kMostAlleles);
  }

  static Json seen_in_training(const Allele& allele) {
    return allele.seen == "." ? Json() : Json(allele.seen == "1" ? "yes" : "no");
  }

  /// What the file leaves out, as with --top; "" if it has all effects.
  std::string of_missing() const {
    if (fewest_ == outputs_.size()) return "";
    if (fewest_ < most_) return "Not every allele has an effect on every feature in the file.";
    return concat("With --top ", most_, ": of each allele only ",
                  most_ == 1 ? "the feature with the largest effect is"
                             : concat("the ", most_, " features with the largest effects are"),
                  " in the file.");
  }

  Section largest_effects() const {
    Section section{"volcano",
                    "Alleles with the largest effects",
                    concat("Of each allele the feature in which its ", effect_, " is largest."),
                    {"contig", "position", "name", "ref", "alt", "feature", effect_, "percentile"}};
    if (seen_known_ > 0) section.columns.emplace_back("seen in training");
    section.columns.insert(section.columns.end(), others_.begin(), others_.end());
    section.options = {{"effect", effect_},
                       {"open", true},
                       {"first_columns", {"name", effect_, "percentile", "seen in training", "feature"}}};
    if (has_percentiles_)
      section.options["height"] =
          concat("rarity", outputs_.size() == 1 ? "" : " on this feature", " (2: one in 100 is larger)");
    if (scored_ > static_cast<int64_t>(kept_.size())) {
      section.note += concat(" The ", kept_.size(), " alleles with the largest of ", scored_, " are here.");
      section.cut(static_cast<size_t>(scored_));
    }
    if (!has_percentiles_)
      section.note +=
          " bigdna variants --null adds percentiles in a background of random variants, which say how unusual "
          "an effect is.";
    else if (outputs_.size() == 1)
      section.note +=
          " Its height shows the share of random variants with a larger effect: at 2 these are one in a hundred.";
    else
      section.note += concat(
          " Its height shows the share of random variants with a larger effect on that one feature: at 2 these are one "
          "in "
          "a hundred. As the feature is chosen among ",
          outputs_.size(),
          ", more than one in a hundred random variants would stand above 2 here; the height is no p-value of "
          "the allele.");
    if (const auto missing = of_missing(); !missing.empty()) section.note += " " + missing;
    for (const auto& [allele, output, numbers] : kept_) {
      Json row{allele.chrom, allele.position, allele.name, allele.ref, allele.alt, outputs_[output].name};
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (i == 2 && seen_known_ > 0) row.push_back(seen_in_training(allele));
        row.push_back(number(numbers[i]));
      }
      if (numbers.size() == 2 && seen_known_ > 0) row.push_back(seen_in_training(allele));
      section.rows.push_back(std::move(row));
    }
    return section;
  }

  Section of_each_feature() const {
    Features features("Effects on each feature", "", {"name"});
    if (outputs_.size() < 2) return std::move(features).section();
    int64_t never = 0;
    for (const auto& output : outputs_) {
      if (output.alleles == 0) {
        ++never;
        continue;
      }
      features.add({output.name});
      features.set("largest absolute effect", "", number(output.most));
      features.set("mean absolute effect", "", number(output.sum / static_cast<double>(output.alleles)));
      if (output.ranked > 0) features.set("alleles from percentile 99 on", "", output.high);
      if (fewest_ < outputs_.size()) features.set("alleles in the file", "", output.alleles);
    }
    Section section = std::move(features).section();
    section.note = of_missing();
    if (!section.note.empty())
      section.note += " The numbers of a feature are of the alleles that have it there, not of all.";
    if (never > 0)
      section.note += concat(" ", counted(never, "feature"), " that no allele has there ", never == 1 ? "is" : "are",
                             " not shown.");
    return section;
  }

  std::string effect_;
  std::vector<std::string> others_;  // further effects of the file
  std::vector<Of> outputs_;
  std::vector<Kept> kept_;
  size_t fewest_ = kNone, most_ = 0;  // effects of an allele
  std::string last_models_;
  int64_t scored_ = 0, skipped_by_last_ = 0;  // the latter: scored by an earlier model
  int64_t seen_ = 0, seen_known_ = 0;         // of the scored ones
  bool has_percentiles_ = false;
  std::map<std::string, int64_t> skipped_;
};

/// What the header of an annotated VCF says: the numbers that it has, and where they come from.
struct Header {
  std::vector<std::pair<std::string, std::string>> facts;  // of each model that annotated the file, one after another
  std::vector<std::string> keys;                           // of INFO, in the order of the header
  Layout layout;                                           // of places among the keys
  std::string last_models;                                 // whose BIGDNA_SKIPPED the file has
};
Header read_header(std::string_view meta) {
  Header header;
  for (const auto line : io::split(meta, '\n')) {
    for (const auto& [key, name] :
         {std::pair{"Version", "bigdna_version"}, {"Command", "bigdna_command"}, {"Model", "model"}})
      if (const auto begin = concat("##bigdna_variants", key, "="); line.starts_with(begin))
        header.facts.emplace_back(name, line.substr(begin.size()));
    const auto info = variants::read_info_line(line);
    if (!info) continue;
    if (info->key == variants::kSkipped) header.last_models = variants::models_of(*info);
    const auto column = variants::info_column_of(*info);
    if (!column) continue;
    header.layout.add(column->effect, column->percentile, column->output,
                      column->percentile       ? ""
                      : column->output.empty() ? column->effect
                                               : column->label,
                      header.keys.size());
    header.keys.push_back(column->key);
  }
  return header;
}
}  // namespace

void add_variants(Item& item, Table& table) {
  const auto column = [&](const char* name) { return *table.find(name); };
  const size_t skipped = column("skipped");
  const auto& columns = table.columns();
  Layout layout;
  for (size_t i = skipped + 1; i < columns.size(); ++i) {
    if (columns[i] == "seen") continue;
    const auto colon = std::min(columns[i].find(':'), columns[i].size());
    std::string effect = columns[i].substr(0, colon);
    const std::string feature = columns[i].substr(colon);
    constexpr std::string_view kPercentile = "_percentile";
    const bool percentile = effect.ends_with(kPercentile);
    if (percentile) effect.resize(effect.size() - kPercentile.size());
    layout.add(effect, percentile, feature, feature.empty() ? effect : feature.substr(1), i);
  }
  if (layout.effects.empty()) fail(item.name, ": has no column with effects");
  Alleles alleles(layout);
  while (table.next()) {
    const auto text = [&](const char* name) { return std::string(table.text(column(name))); };
    alleles.add({text("chrom"), text("name"), text("ref"), text("alt"),
                 static_cast<int64_t>(table.number(column("pos"))), table.has("seen") ? text("seen") : "."},
                table.text(skipped), [&](size_t place) { return table.number(place); });
  }
  alleles.add_to(item);
}

void add_ranked(Item& item, Table& table) {
  Section section{"table", "Alleles by rank", "Ranked by the effect on the output where it is largest.",
                  table.columns()};
  section.options["first_columns"] = {"rank", "name", "value", "percentile", "seen", "output"};
  int64_t seen = 0, alleles = 0;
  while (table.next()) {
    Json row = Json::array();
    for (size_t i = 0; i < table.columns().size(); ++i) {
      const auto text = table.text(i);
      const auto value = number_of(text);
      row.push_back(text == "." ? Json() : value && std::isfinite(*value) ? number(*value) : Json(std::string(text)));
    }
    seen += table.text(*table.find("seen")) == "1";
    ++alleles;
    section.rows.push_back(std::move(row));
  }
  // the table holds the largest effects alone (variants --table-rows), and says of how many alleles
  const auto scored = std::ranges::find(table.facts(), "alleles", &std::pair<std::string, std::string>::first);
  const auto whole = scored == table.facts().end() ? std::nullopt : parse_number<int64_t>(scored->second);
  const bool is_cut = whole.value_or(0) > alleles;
  if (is_cut) {
    section.note += concat(" The table has the first ", alleles, " of ", *whole, " alleles (variants --table-rows).");
    section.cut(static_cast<size_t>(*whole));
  }
  if (seen > 0)
    item.warnings.push_back(concat(seen, " of the ", counted(alleles, "allele"), " in this table ",
                                   seen == 1 ? "lies" : "lie", " in sequence that the model has read in training",
                                   is_cut ? concat("; the table has ", alleles, " of ", *whole, " alleles.") : "."));
  item.add(std::move(section));
}

void add_variants(Item& item, const std::string& vcf) {
  variants::VcfReader reader(vcf);
  const auto header = read_header(reader.header().meta);
  item.facts.insert(item.facts.end(), header.facts.begin(), header.facts.end());
  if (header.layout.effects.empty()) fail(vcf, ": has no effects of bigdna variants (no INFO key begins with BIGDNA_)");
  Alleles alleles(header.layout, header.last_models);
  while (const auto record = reader.next()) {
    const std::string line = text_of(reader.header(), *record);
    std::map<std::string_view, std::vector<std::string_view>> info;
    for (const auto entry : io::split(variants::columns_of(line).info, ';'))
      if (const auto equals = entry.find('='); entry.starts_with("BIGDNA_") && equals != std::string_view::npos)
        info[entry.substr(0, equals)] = io::split(entry.substr(equals + 1), ',');
    const auto field = [&](const std::string& key, size_t allele) {
      const auto found = info.find(key);
      return found == info.end() || allele >= found->second.size() ? std::string_view(".") : found->second[allele];
    };
    const auto value = [&](size_t key, size_t allele) {
      const auto number = number_of(field(header.keys[key], allele));
      if (!number) fail(record->where, ": ", header.keys[key], " is not a number");
      return *number;
    };
    for (size_t allele = 0; allele < record->alts.size(); ++allele)
      alleles.add({record->contig, record->id, record->ref, record->alts[allele], record->position + 1,
                   std::string(field(variants::kSeen, allele))},
                  field(variants::kSkipped, allele), [&](size_t key) { return value(key, allele); });
  }
  alleles.add_to(item);
}

}  // namespace bigdna::report
