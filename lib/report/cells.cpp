#include <algorithm>
#include <string>

#include "report/readers.h"

namespace bigdna::report {

void add_cells(Item& item, Table& table) {
  const auto text = [&](const char* name) { return std::string(table.text(*table.find(name))); };
  Section section{"table",
                  "Where cells differ",
                  "Labels: AUROC of an output's deviation from the mean over cells, among the bins whose labels differ "
                  "between cells. Counts: Pearson's correlation of both deviations. A model that gives all cells the "
                  "same has 0.5, or 0. Chance: the same with labels shuffled among the cells of each bin.",
                  {"output", "cell", "method", "metric", "value", "low", "high", "chance", "bins"}};
  while (table.next()) {
    const bool all = text("cell") == ".";  // the medians
    if (text("index") == "." && text("method").find('-') != std::string::npos) continue;
    Json row{all ? "median of " + text("n") + " outputs" : text("name"), all ? "" : text("cell"), text("method"),
             text("metric")};
    for (const char* name : {"value", "low", "high", "chance"}) row.push_back(number(table.number(*table.find(name))));
    row.push_back(all ? Json() : number(table.number(*table.find("n"))));
    section.rows.push_back(std::move(row));
  }
  // the medians first
  std::ranges::stable_partition(section.rows, [](const Json& row) { return row[1] == ""; });
  item.add(std::move(section));
}

}  // namespace bigdna::report
