/// What a report shows, before it is drawn: items (a run, a dataset, a file of predictions ...), each of them facts, a
/// headline and sections. A section is a table and the kind of picture that pictures.js draws of it.
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/provenance.h"

namespace bigdna::report {

using Json = nlohmann::ordered_json;

/// Six significant digits, so that files stay small; null for NaN and infinities.
Json number(double value);

struct Section {
  std::string kind;  // a function of the table `pictures` in pictures.js
  std::string title, note;
  std::vector<std::string> columns;
  Json rows = Json::array();      // each an array of as many values as there are columns
  Json options = Json::object();  // what the picture needs beside the table: titles of axes, reference lines

  template <class... T>
  void add(T&&... values) {
    rows.push_back(Json::array({Json(std::forward<T>(values))...}));
  }
  /// Adds a sentence to the note.
  void say(const std::string& sentence) { note += (note.empty() ? "" : " ") + sentence; }
  /// What it is made of has `all` rows, and it holds fewer: the page says so.
  void cut(size_t all) { options["of"] = all; }
};

/// How many values lie in each of `bins` bins of [0, RANGE]; what lies outside of [0, 1] counts in the first or last
/// one, NaN in none. RANGE is 1, or where all values are small 0.5, 0.2, 0.1 ... down to 0.01.
class UnitHistogram {
 public:
  explicit UnitHistogram(size_t bins) : bins_(bins), counts_(bins * kFinest) {}
  void add(double value);
  /// The smallest RANGE that holds all values.
  double range() const;
  /// A row for each bin that has values, behind the texts of `begin`: from, to, how many, and their share of `all`.
  void add_to(Section& section, const Json& begin, int64_t all, double range = 1) const;
  int64_t size() const { return size_; }

 private:
  static constexpr size_t kFinest = 100;  // parts of a bin of [0, 1]
  size_t bins_;
  std::vector<int64_t> counts_;
  int64_t size_ = 0;
};

/// A section of the kind "features": a row for each feature, and behind what describes it a column for each metric of
/// each method.
class Features {
 public:
  Features(std::string title, std::string note, std::vector<std::string> columns);
  /// `texts`: of the columns. The values of the feature follow by set().
  void add(Json texts);
  /// Of the feature that was added last.
  void set(const std::string& metric, const std::string& method, Json value);
  Section section() &&;

 private:
  Section section_;
  std::vector<std::pair<std::string, std::string>> values_;  // metric and method of each further column
};

/// A figure of an evaluation: of a method, on some of the rows.
struct Figure {
  std::string method, group, metric;
  double value = NAN, low = NAN, high = NAN;  // 95 % interval; NaN where there is none
};

struct Item {
  std::string name;                                        // told apart from the others by it: the file's or folder's
  std::string what;                                        // "a pretraining run"
  std::vector<std::pair<std::string, std::string>> facts;  // version, command line, inputs ...
  std::vector<std::string> verdicts;                       // of an evaluation: sentences
  std::vector<std::string> warnings;                       // what a reader must know beside the headline
  Json headline;                                           // null, or what headline_of() makes
  std::vector<Section> sections;
  std::vector<Figure> figures;                                   // of its metrics, for the legends of other pictures
  std::map<std::string, std::pair<double, std::string>> motifs;  // of filters: effect, and on which feature
  bool has_tracks = false;                                       // some outputs are counts: tracks.tsv

  /// Of all rows; NaN where it was not measured.
  Figure figure(const std::string& method, const std::string& metric) const;
  void add_facts(const io::Provenance& provenance);
  /// Without rows there is nothing to draw: such a section is left out.
  void add(Section section);
};

/// The figure that the first screen shows: `title` of each method beside its null, what a model that knows nothing
/// would reach (NaN: not known). A reader may add "averaged": what the figure is the mean or median of.
Json headline_of(const std::string& title, const std::vector<Figure>& methods, double null, bool lower_is_better);

Json to_json(const Item& item);

/// What the reader is told first.
struct Heading {
  std::string title;   // "": the names of the items
  std::string note;    // what was asked, by whom, when; "" for none
  std::string author;  // "" for none
  std::string date;    // of the report; "" for none
};
/// The whole report: one HTML file that needs no other, and the same bytes for the same items.
std::string html(const std::vector<Item>& items, const Heading& heading = {});

}  // namespace bigdna::report
