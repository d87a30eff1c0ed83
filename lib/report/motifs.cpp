// Tables of motifs, designed sequences and haplotypes, as sections.
#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "io/output.h"
#include "report/readers.h"

namespace bigdna::report {

namespace {
constexpr size_t kMostBars = 24;         // of a picture
constexpr size_t kMostDesigns = 4;       // sequences, each with its chance level
constexpr size_t kMostTableRows = 3000;  // of a table

/// The texts of a row: "." is missing, and numbers are numbers.
Json values_of(const Table& table) {
  Json row = Json::array();
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const auto text = table.text(i);
    const auto value = number_of(text);
    row.push_back(text == "." ? Json() : value && std::isfinite(*value) ? number(*value) : Json(std::string(text)));
  }
  return row;
}

/// The rows with the largest `size` first, and of more than kMostTableRows only these.
void keep_largest(Section& section, std::vector<std::pair<double, Json>>& rows) {
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (rows.size() > kMostTableRows) {
    section.note += concat(" The first ", kMostTableRows, " of ", rows.size(), " rows are here.");
    section.cut(rows.size());
    rows.resize(kMostTableRows);
  }
  for (auto& [size, row] : rows) section.rows.push_back(std::move(row));
}

/// "CTCF", or "CTCF (-)" for its reverse complement.
std::string arrangement(std::string motif, const std::string& strand) {
  if (strand == "-") motif += " (-)";
  return motif;
}
}  // namespace

void add_motifs(Item& item, Table& table) {
  const auto column = [&](const char* name) { return *table.find(name); };
  const std::vector<size_t> known{column("motif"), column("consensus"), column("serves"), column("sites"),
                                  column("information")};
  Section all{"table",
              "Motifs by effect",
              "The effect is on the feature that the filter serves: the logit minus the logit with the filter's output "
              "replaced by its mean.",
              {"motif", "consensus", "serves", "effect", "sites", "information"}};
  std::vector<size_t> features;
  for (size_t i = 0; i < table.columns().size(); ++i)
    if (std::ranges::find(known, i) == known.end()) features.push_back(i);
  if (features.size() > 1)  // of one, the effect says it
    for (const size_t i : features) all.columns.push_back(table.columns()[i]);
  std::vector<std::pair<double, Json>> rows;
  while (table.next()) {
    const Json values = values_of(table);
    const std::string served(table.text(known[2])), name(table.text(known[0]));
    const auto of = table.find(served);
    const double effect = of ? table.number(*of) : NAN;
    Json row{values[known[0]], values[known[1]], values[known[2]], number(effect), values[known[3]], values[known[4]]};
    if (features.size() > 1)
      for (const size_t i : features) row.push_back(values[i]);
    rows.emplace_back(std::isnan(effect) ? -1 : std::abs(effect), std::move(row));
    if (!std::isnan(effect)) item.motifs[name] = {effect, served};
  }
  item.facts.emplace_back("Motifs", std::to_string(rows.size()));
  keep_largest(all, rows);
  Section strongest{"bars", "Motifs with the largest effects", "", {"motif", "serves", "effect"}};
  strongest.options = {{"y", "motif"}, {"x", "effect"}, {"colour", "serves"}};
  for (size_t i = 0; i < std::min(kMostBars, all.rows.size()); ++i)
    if (const auto& row = all.rows[i]; !row[3].is_null())
      strongest.add(row[0].get<std::string>() + " " + row[1].get<std::string>(), row[2], row[3]);
  strongest.note = "Bars to the right raise the logit of the feature that the filter serves.";
  if (strongest.rows.size() < all.rows.size())
    strongest.note += concat(" The first ", strongest.rows.size(), " of ", all.rows.size(), " motifs.");
  item.add(std::move(strongest));
  item.add(std::move(all));
}

void add_matches(Item& item, Table& table) {
  Section section{"table", "Known motifs that these motifs resemble", "The smallest e comes first.", table.columns()};
  std::vector<std::pair<double, Json>> rows;
  while (table.next()) rows.emplace_back(-table.number(*table.find("e")), values_of(table));
  keep_largest(section, rows);
  item.add(std::move(section));
}

void add_de_novo(Item& item, Table& table) {
  const auto text = [&](const char* name) { return std::string(table.text(*table.find(name))); };
  Section bars{"bars", "Seqlets of each motif", "", {"motif", "feature", "seqlets"}};
  bars.options = {{"y", "motif"}, {"x", "seqlets"}, {"colour", "feature"}};
  Section all{"table", "Motifs in contributions",
              "Motifs named pos raise their feature, motifs named neg lower it. A seqlet is a short window with high "
              "contributions.",
              table.columns()};
  std::vector<std::pair<double, Json>> rows;
  while (table.next()) {
    rows.emplace_back(table.number(*table.find("seqlets")), values_of(table));
    item.motifs[io::as_file_name(text("motif"))] = {table.number(*table.find("contribution")), text("feature")};
  }
  item.facts.emplace_back("Motifs", std::to_string(rows.size()));
  const auto at = [&](const Json& row, const char* name) { return row[*table.find(name)]; };
  keep_largest(all, rows);
  for (size_t i = 0; i < std::min(kMostBars, all.rows.size()); ++i) {
    const Json& row = all.rows[i];
    bars.add(at(row, "motif").get<std::string>() + " " + at(row, "consensus").get<std::string>(), at(row, "feature"),
             at(row, "seqlets"));
  }
  if (bars.rows.size() < rows.size())
    bars.note = concat("The ", bars.rows.size(), " motifs with the most seqlets of ", rows.size(), " are drawn.");
  item.add(std::move(bars));
  item.add(std::move(all));
}

void add_hits(Item& item, Table& table) {
  Section bars{"bars",
               "Hits of each motif",
               "By their q-value: the false-discovery rate from shuffled sequence.",
               {"motif", "q", "hits"}};
  bars.options = {{"y", "motif"}, {"x", "hits"}, {"colour", "q"}};
  Section all{"table", "Hits", "The smallest q comes first.", table.columns()};
  std::vector<std::pair<double, Json>> rows;
  std::map<std::string, std::array<int64_t, 2>> counts;  // of each motif: with a q-value up to 0.1, and larger ones
  while (table.next()) {
    const double q = table.number(*table.find("q"));
    ++counts[std::string(table.text(*table.find("name")))][q > 0.1];
    rows.emplace_back(-q, values_of(table));
  }
  item.facts.emplace_back("Hits", std::to_string(rows.size()));
  for (const auto& [motif, count] : counts) {
    if (count[0] > 0) bars.add(motif, "up to 0.1", count[0]);
    if (count[1] > 0) bars.add(motif, "above 0.1", count[1]);
  }
  keep_largest(all, rows);
  item.add(std::move(bars));
  item.add(std::move(all));
}

void add_marginal_effects(Item& item, Table& table) {
  const auto text = [&](const char* name) { return std::string(table.text(*table.find(name))); };
  const auto value = [&](const char* name) { return number(table.number(*table.find(name))); };
  Section alone{"intervals",
                "Change by each motif",
                "Mean change of the logit where the motif is inserted. Bars are 95 % intervals over sequences. The "
                "chance level is the same motif with its columns shuffled.",
                {"method", "feature", "inserted", "value", "low", "high"}};
  alone.options = {{"filter", {"feature"}}, {"x", "change, logit"}, {"colour", "inserted"}, {"null", 0}};
  Section pairs{"lines",
                "Interaction by distance",
                "Mean change by two motifs minus the changes by each of them alone.",
                {"distance, bp", "interaction, logit", "series", "feature"}};
  pairs.options = {{"x", "distance, bp"}, {"y", "interaction, logit"}, {"series", "series"}, {"filter", {"feature"}}};
  Section all{"table", "All arrangements", "", table.columns()};
  struct Change {
    double size;
    Json motif, chance;
  };
  std::map<std::string, std::vector<Change>> changes;  // by feature
  std::vector<std::pair<double, Json>> rows;
  while (table.next()) {
    const std::string motif = arrangement(text("motif"), text("strand")), second = text("second"),
                      feature = text("feature");
    const double change = table.number(*table.find("change")), size = std::isnan(change) ? -1 : std::abs(change);
    rows.emplace_back(size, values_of(table));
    if (second != ".") {
      const Json interaction = value("interaction");
      if (!interaction.is_null())
        pairs.add(value("distance"), interaction, motif + ", " + arrangement(second, text("second_strand")), feature);
    } else if (size >= 0) {
      changes[feature].push_back(
          {size, Json{motif, feature, "motif", value("change"), value("change_low"), value("change_high")},
           Json{motif + ", shuffled", feature, "its columns shuffled", value("null"), value("null_low"),
                value("null_high")}});
    }
  }
  for (auto& [feature, of_feature] : changes) {
    std::ranges::stable_sort(of_feature, [](const Change& a, const Change& b) { return a.size > b.size; });
    if (of_feature.size() > kMostBars / 2) {
      alone.options["most"] = kMostBars / 2;
      of_feature.resize(kMostBars / 2);
    }
    for (auto& change : of_feature)
      for (Json* row : {&change.motif, &change.chance})
        if (!(*row)[3].is_null()) alone.rows.push_back(std::move(*row));
  }
  if (alone.options.contains("most"))
    alone.note += concat(" The ", kMostBars / 2, " with the largest changes are drawn.");
  keep_largest(all, rows);
  item.add(std::move(alone));
  item.add(std::move(pairs));
  item.add(std::move(all));
}

void add_design(Item& item, Table& table) {
  Section curve{"lines",
                "Value by number of edits",
                "The value is what the search raises, in units of the logit. Chance is the mean of sequences with as "
                "many random substitutions.",
                {"step", "value", "series"}};
  curve.options = {{"x", "step"}, {"y", "value"}, {"series", "series"}};
  Section all{"table", "Steps of the search", "", table.columns()};
  const auto number_in = [&](const char* name) { return number(table.number(*table.find(name))); };
  std::map<std::string, std::vector<std::pair<Json, Json>>> chance;  // by name: steps and values
  std::vector<std::string> names;
  while (table.next()) {
    const std::string name(table.text(*table.find("name")));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    all.rows.push_back(values_of(table));
    if (names.size() > kMostDesigns) continue;
    curve.add(number_in("step"), number_in("value"), name);
    chance[name].emplace_back(number_in("step"), number_in("chance"));
  }
  for (const auto& [name, points] : chance)
    for (const auto& [step, value] : points)
      if (!value.is_null()) curve.add(step, value, "chance of " + name);
  if (names.size() > kMostDesigns)
    curve.note += concat(" The first ", kMostDesigns, " of ", names.size(), " sequences are drawn.");
  item.facts.emplace_back("Sequences", std::to_string(names.size()));
  item.add(std::move(curve));
  item.add(std::move(all));
}

void add_haplotypes(Item& item, Table& table) {
  Section all{"table", "Haplotypes by their largest change",
              "A change is the logit of the haplotype minus the logit of the reference.", table.columns()};
  std::vector<std::pair<double, Json>> rows;
  std::vector<std::string> samples;
  while (table.next()) {
    double most = -1;
    for (size_t i = 0; i < table.columns().size(); ++i)
      if (table.columns()[i].starts_with("change:"))
        if (const double change = table.number(i); std::abs(change) > most) most = std::abs(change);
    const std::string sample(table.text(*table.find("sample")));
    if (std::ranges::find(samples, sample) == samples.end()) samples.push_back(sample);
    rows.emplace_back(most, values_of(table));
  }
  item.facts.emplace_back("Samples", std::to_string(samples.size()));
  keep_largest(all, rows);
  item.add(std::move(all));
}

}  // namespace bigdna::report
