#include "report/measured.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "genome/bed.h"
#include "genome/bigwig_values.h"
#include "genome/region.h"
#include "genome/signals.h"

namespace bigdna::report {

namespace {
/// The bars of a section, found by contig and position.
class Bars {
 public:
  explicit Bars(const Section& section) {
    for (size_t row = 0; row < section.rows.size(); ++row) {
      const auto& bar = section.rows[row];
      auto& bars = contigs_[bar[0].get<std::string>()];
      const auto end = bar[2].get<int64_t>();
      bars.push_back({bar[1].get<int64_t>(), end, std::max(end, bars.empty() ? 0 : bars.back().reach), row});
    }
  }
  /// Whether the contig has bars, by either spelling.
  bool has(const std::string& contig) const { return of(contig) != nullptr; }
  /// Calls `take` with the row of each bar that overlaps [start, end).
  template <class Take>
  void overlapping(const std::string& contig, int64_t start, int64_t end, Take take) const {
    const auto* bars = of(contig);
    if (!bars) return;
    for (auto bar = std::ranges::upper_bound(*bars, start, {}, &Bar::reach); bar != bars->end() && bar->start < end;
         ++bar)
      if (bar->end > start) take(bar->row);
  }

 private:
  struct Bar {
    int64_t start, end;
    int64_t reach;  // the largest end of this bar and those before it
    size_t row;
  };
  const std::vector<Bar>* of(const std::string& contig) const {
    auto found = contigs_.find(contig);
    if (found == contigs_.end()) found = contigs_.find(genome::other_spelling(contig));
    return found == contigs_.end() ? nullptr : &found->second;
  }

  std::map<std::string, std::vector<Bar>> contigs_;  // bars are sorted by start
};

/// What a file adds to each bar; a null is no value.
class Measured {
 public:
  Measured(const Bars& bars, size_t rows) : bars_(bars), values_(rows, NAN) {}

  void read(const std::string& path) {
    if (genome::is_bigwig(path))
      read_signal(path);
    else
      read_peaks(path);
    if (!found_) fail(path, ": has nothing on the contigs of the predictions");
    if (values_.size() > 1 && std::ranges::all_of(values_, [](double value) { return value == 1; }))
      log::warn(path, ": its peaks cover every bar of the predictions");
  }
  double of(size_t row) const { return values_[row]; }

 private:
  void read_signal(const std::string& path) {
    const genome::BigWigValues values(path);
    values.each([&](const genome::BigWigValue& value) {
      const auto& contig = values.contigs()[value.contig].name;
      found_ = found_ || bars_.has(contig);
      bars_.overlapping(contig, value.start, value.end, [&](size_t row) {
        if (!(std::abs(values_[row]) >= std::abs(value.value))) values_[row] = value.value;
      });
    });
  }
  void read_peaks(const std::string& path) {
    std::ranges::fill(values_, 0);
    genome::BedReader bed(path, genome::StrandColumn::ignored);
    bool values = true;
    while (const auto record = bed.next()) {
      const auto& [contig, start, end, strand] = record->region;
      values = values && record->columns == 4 && parse_number<double>(record->name);
      found_ = found_ || bars_.has(contig);
      bars_.overlapping(contig, start, end, [&](size_t row) { values_[row] = 1; });
    }
    if (found_ && values)
      fail(path, ": column 4 is a number in every line, as in bedGraph: give a signal as bigWig, peaks with 3 columns");
  }

  const Bars& bars_;
  std::vector<double> values_;
  bool found_ = false;
};

/// A name that no column has yet: the one that was given, the file's, or its path.
std::string name_of(const std::string& given, const std::string& path, const std::vector<std::string>& columns) {
  const std::string name =
      given == path ? std::filesystem::path(path).filename().string() : genome::named_file(given).name;
  return std::ranges::find(columns, name) == columns.end() ? name : path;
}
}  // namespace

void add_measured(std::vector<Item>& items, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  bool has_tracks = false;
  for (auto& item : items)
    for (auto& section : item.sections) {
      if (section.kind != "tracks") continue;
      has_tracks = true;
      const Bars bars(section);
      auto& measured = section.options["measured"] = Json::array();
      for (const auto& given : paths) {
        const std::string path = genome::path_of_named(given);
        Measured file(bars, section.rows.size());
        file.read(path);
        section.columns.push_back(name_of(given, path, section.columns));
        measured.push_back(section.columns.back());
        for (size_t row = 0; row < section.rows.size(); ++row) section.rows[row].push_back(number(file.of(row)));
      }
      section.note += " The last tracks were measured: peaks are 1, of a signal the value farthest from 0 is drawn.";
    }
  if (!has_tracks) fail("--measured: there are no predictions along a genome that it could be drawn below");
}

}  // namespace bigdna::report
