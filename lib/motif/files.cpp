#include "motif/files.h"

#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "io/lines.h"

namespace bigdna::motif {
namespace {

std::vector<std::string_view> fields(std::string_view line) {
  constexpr std::string_view kBlanks = " \t[]";
  std::vector<std::string_view> all;
  for (size_t at = line.find_first_not_of(kBlanks); at < line.size(); at = line.find_first_not_of(kBlanks, at)) {
    const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end;
  }
  return all;
}

std::optional<double> number_of(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

class MotifFile {
 public:
  explicit MotifFile(const std::string& path) : lines_(path) {}

  std::vector<Motif> read() {
    while (const auto line = lines_.next()) {
      const auto words = fields(*line);
      if (words.empty()) continue;
      if (words[0] == "MOTIF") {
        begin(words.size() > 1 ? words[1] : "", words.size() > 2 ? words[2] : "");
        meme_ = true;
      } else if (words[0].starts_with('>')) {
        begin(words[0].size() > 1 ? words[0].substr(1) : "", words.size() > 1 ? words[1] : "");
        meme_ = false;
      } else if (!motifs_.empty() && !meme_) {
        count_row(words);
      } else if (!motifs_.empty() && words[0] == "letter-probability") {
        matrix(words);
      } else if (words[0] == "ALPHABET=" && words.size() > 1 && words[1] != "ACGT") {
        wrong("the alphabet is ", words[1], ", not ACGT");
      }
    }
    finish();
    if (motifs_.empty()) fail(lines_.path(), ": has no motif: neither MEME's MOTIF lines nor JASPAR's > lines");
    return std::move(motifs_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... parts) {
    fail(lines_.path(), ":", lines_.line(), ": ", parts...);
  }

  void begin(std::string_view name, std::string_view other) {
    finish();
    if (name.empty()) wrong("a motif without a name");
    motifs_.push_back({std::string(name), std::string(other)});
    rows_.clear();
    letters_ = false;
  }

  /// The motif that is complete where the next one begins.
  void finish() {
    if (motifs_.empty()) return;
    Motif& motif = motifs_.back();
    if (!meme_) {
      if (rows_.size() != 4)
        wrong(motif.name, " has ", rows_.size(), " lines of counts, not one for each of A, C, G and T");
      if (rows_are_positions())
        wrong(motif.name,
              " has four lines of four numbers, and each line adds up to 1: lines of positions, as HOMER "
              "writes them, where JASPAR has a line for each of A, C, G and T");
      for (size_t i = 0; i < rows_[0].size(); ++i)
        motif.columns.push_back(column_of({rows_[0][i], rows_[1][i], rows_[2][i], rows_[3][i]}));
      for (const auto& row : rows_) motif.sites += row.empty() ? 0 : row[0];
    }
    if (motif.columns.empty()) wrong(motif.name, " has no matrix");
  }

  /// Whether four lines without letters are probabilities of A, C, G and T at four positions, not the other way round.
  bool rows_are_positions() const {
    const auto is_one = [](double sum) { return std::abs(sum - 1) < 0.02; };
    bool rows = !letters_, columns = true;
    for (size_t i = 0; i < 4; ++i) {
      if (rows_[i].size() != 4) return false;
      rows = rows && is_one(std::accumulate(rows_[i].begin(), rows_[i].end(), 0.0));
      columns = columns && is_one(rows_[0][i] + rows_[1][i] + rows_[2][i] + rows_[3][i]);
    }
    return rows && !columns;
  }

  /// "A [ 3 5 ... ]", or the numbers alone.
  void count_row(const std::vector<std::string_view>& words) {
    const bool letter = words[0].size() == 1 && std::string_view("ACGTU").find(words[0]) != std::string_view::npos;
    if (rows_.size() == 4) wrong(motifs_.back().name, " has more than four lines of counts");
    letters_ = letters_ || letter;
    if (letter && words[0] != std::string_view("ACGT").substr(rows_.size(), 1) && words[0] != "U")
      wrong("counts of ", words[0], " where those of ", "ACGT"[rows_.size()], " belong");
    rows_.push_back(numbers(words, letter ? 1 : 0));
    if (rows_.back().size() != rows_.front().size())
      wrong(rows_.back().size(), " counts, and ", rows_.front().size(), " of A");
  }

  std::vector<double> numbers(const std::vector<std::string_view>& words, size_t first) {
    std::vector<double> all;
    for (size_t i = first; i < words.size(); ++i) {
      const auto value = number_of(words[i]);
      if (!value || *value < 0) wrong("'", words[i], "' is not a number of 0 or more");
      all.push_back(*value);
    }
    return all;
  }

  /// "letter-probability matrix: alength= 4 w= 12 nsites= 20 E= 0", then as many lines of four numbers; without w=,
  /// until an empty line.
  void matrix(const std::vector<std::string_view>& words) {
    Motif& motif = motifs_.back();
    std::optional<double> width;
    for (size_t i = 0; i < words.size(); ++i) {  // "w= 12" or "w=12"
      const auto value_of = [&](std::string_view key) -> std::optional<double> {
        if (words[i] == key) return i + 1 < words.size() ? number_of(words[i + 1]) : std::nullopt;
        return words[i].starts_with(key) ? number_of(words[i].substr(key.size())) : std::nullopt;
      };
      if (const auto value = value_of("w=")) width = value;
      if (const auto value = value_of("nsites=")) motif.sites = *value;
    }
    if (!motif.columns.empty()) wrong(motif.name, " has a second matrix");
    while (!width || static_cast<double>(motif.columns.size()) < *width) {
      const auto line = lines_.next();
      const auto row = line ? fields(*line) : std::vector<std::string_view>();
      if (row.empty() && !width) break;
      const auto values = numbers(row, 0);
      if (values.size() != 4)
        wrong("a line of ", values.size(), " numbers where ", motif.name, " has those of A, C, G and T");
      const double sum = std::accumulate(values.begin(), values.end(), 0.);
      if (std::abs(sum - 1) > 0.01) wrong("the probabilities add up to ", sum, ", not to 1");
      motif.columns.push_back(column_of({values[0], values[1], values[2], values[3]}));
    }
  }

  io::LineReader lines_;
  std::vector<Motif> motifs_;
  bool meme_ = true;
  std::vector<std::vector<double>> rows_;  // of counts
  bool letters_ = false;                   // whether one of them begins with its base
};

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::vector<Motif> read_motifs(const std::string& path) { return MotifFile(path).read(); }

std::string meme_text(const std::vector<Motif>& motifs, const Column& background) {
  std::string text = "MEME version 4\n\nALPHABET= ACGT\n\nstrands: + -\n\nBackground letter frequencies\n";
  for (size_t base = 0; base < 4; ++base) text += concat("ACGT"[base], formatted(" %.4f ", background[base]));
  text.back() = '\n';
  for (const auto& motif : motifs) {
    text += concat("\nMOTIF ", motif.name, motif.other_name.empty() ? "" : " ", motif.other_name,
                   "\nletter-probability matrix: alength= 4 w= ", motif.columns.size(), " nsites= ", motif.sites,
                   " E= 0\n");
    for (const auto& column : motif.columns) {
      for (const double p : column) text += formatted("%.6f ", p);
      text.back() = '\n';
    }
  }
  return text;
}

}  // namespace bigdna::motif
