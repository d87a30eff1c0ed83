#include "motif/files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "io/lines.h"

namespace bigdna::motif {
namespace {

/// The words between blanks; of lines of counts also between JASPAR's brackets, which elsewhere are parts of names.
std::vector<std::string_view> words_of(std::string_view line, std::string_view blanks = " \t") {
  std::vector<std::string_view> all;
  for (size_t at = line.find_first_not_of(blanks); at < line.size(); at = line.find_first_not_of(blanks, at)) {
    const size_t end = std::min(line.find_first_of(blanks, at), line.size());
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
      const auto words = words_of(*line);
      if (words.empty()) continue;
      if (words[0] == "MOTIF") {
        begin(words.size() > 1 ? words[1] : "", words.size() > 2 ? words[2] : "");
        meme_ = true;
      } else if (words[0].starts_with('>')) {
        begin(words[0].size() > 1 ? words[0].substr(1) : "", words.size() > 1 ? words[1] : "");
        meme_ = false;
      } else if (!motifs_.empty() && !meme_) {
        count_row(words_of(*line, " \t[]"));
      } else if (!motifs_.empty() && words[0] == "letter-probability") {
        matrix(words);
        continue;
      } else if (const auto alphabet = alphabet_of(words); !alphabet.empty() && alphabet != "ACGT") {
        wrong("the alphabet is ", alphabet, ", not ACGT");
      } else if (after_matrix_ && words.size() == 4 &&
                 std::ranges::all_of(words, [](auto word) { return number_of(word).has_value(); })) {
        wrong(motifs_.back().name, " has w= ", motifs_.back().columns.size(), ", but its matrix goes on");
      }
      after_matrix_ = false;
    }
    finish();
    if (motifs_.empty()) fail(lines_.path(), ": has no motif: neither MEME's MOTIF lines nor JASPAR's > lines");
    warn_of_equal_names();
    return std::move(motifs_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void wrong(const Parts&... parts) {
    fail(lines_.path(), ":", lines_.line(), ": ", parts...);
  }

  /// The letters of "ALPHABET= ACGT" or "ALPHABET=ACGT"; "" on another line.
  static std::string_view alphabet_of(const std::vector<std::string_view>& words) {
    constexpr std::string_view kKey = "ALPHABET=";
    if (!words[0].starts_with(kKey)) return "";
    return words[0].size() > kKey.size() ? words[0].substr(kKey.size()) : words.size() > 1 ? words[1] : "";
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
      refuse_positions();
      for (size_t i = 0; i < rows_[0].size(); ++i) {
        const BaseProbabilities counts{rows_[0][i], rows_[1][i], rows_[2][i], rows_[3][i]};
        if (std::ranges::all_of(counts, [](double count) { return count == 0; }))
          wrong(motif.name, " has no counts in column ", i + 1);
        motif.columns.push_back(column_of(counts));
      }
      for (const auto& row : rows_) motif.sites += row.empty() ? 0 : row[0];
    }
    if (motif.columns.empty()) wrong(motif.name, " has no matrix");
  }

  /// Error if four lines of four numbers without letters are, or may be, those of A, C, G and T at four positions: all
  /// sites have a base at each position, so their sums are nearly the same, or differ less than the sums across them.
  void refuse_positions() {
    constexpr double kNearlyTheSame = 0.02;
    if (letters_ || rows_[0].size() != 4) return;
    BaseProbabilities lines{}, columns{};
    for (size_t i = 0; i < 4; ++i)
      for (size_t k = 0; k < 4; ++k) lines[i] += rows_[i][k], columns[k] += rows_[i][k];
    const auto spread = [](const BaseProbabilities& sums) {
      const auto [least, most] = std::ranges::minmax(sums);
      return most > 0 ? (most - least) / most : 0;
    };
    const double of_lines = spread(lines), of_columns = spread(columns);
    if (of_lines >= kNearlyTheSame && of_lines >= of_columns) return;
    wrong(
        motifs_.back().name, " has four lines of four numbers. ",
        of_lines < kNearlyTheSame && of_columns < kNearlyTheSame
            ? "Each line and each column adds up to nearly the same"
            : "The sums of the lines differ less than the sums of the columns",
        ", so the lines may be positions, as HOMER and HOCOMOCO write them, where JASPAR has a line for each of A, C, "
        "G and T (JASPAR's lines may begin with A, C, G and T)");
  }

  /// "A [ 3 5 ... ]", or the numbers alone.
  void count_row(const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    const bool letter = words[0].size() == 1 && std::string_view("ACGTU").find(words[0]) != std::string_view::npos;
    if (rows_.size() == 4) wrong(motifs_.back().name, " has more than four lines of counts");
    letters_ = letters_ || letter;
    if (letter && (words[0] == "U" ? 'T' : words[0][0]) != "ACGT"[rows_.size()])
      wrong("counts of ", words[0], " where the counts of ", "ACGT"[rows_.size()], " belong");
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
    const auto width = setting(words, "w="), letters = setting(words, "alength="), sites = setting(words, "nsites=");
    if (width && (*width < 1 || *width != std::floor(*width))) wrong("w= ", *width, " is not a number of positions");
    if (letters && *letters != 4) wrong("alength= ", *letters, ", not 4: the alphabet is not ACGT");
    if (sites && *sites < 0) wrong("nsites= ", *sites, " is negative");
    motif.sites = sites.value_or(0);
    if (!motif.columns.empty()) wrong(motif.name, " has a second matrix");
    while (!width || static_cast<double>(motif.columns.size()) < *width) {
      const auto line = lines_.next();
      const auto row = line ? words_of(*line) : std::vector<std::string_view>();
      if (row.empty() && !width) break;
      const auto values = numbers(row, 0);
      if (values.size() != 4)
        wrong("a line of ", values.size(), " numbers where ", motif.name, " has a number for each of A, C, G and T");
      const double sum = std::accumulate(values.begin(), values.end(), 0.);
      if (std::abs(sum - 1) > 0.01) wrong("the probabilities add up to ", sum, ", not to 1");
      motif.columns.push_back(column_of({values[0], values[1], values[2], values[3]}));
    }
    after_matrix_ = width.has_value();
  }

  /// The value of KEY in "KEY 12" or "KEY12", KEY with its "=". Error if it is no number.
  std::optional<double> setting(const std::vector<std::string_view>& words, std::string_view key) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (!words[i].starts_with(key)) continue;
      const auto text = words[i].size() > key.size() ? words[i].substr(key.size())
                        : i + 1 < words.size()       ? words[i + 1]
                                                     : std::string_view();
      const auto value = number_of(text);
      if (!value) wrong(key, " '", text, "' is not a number");
      return value;
    }
    return std::nullopt;
  }

  void warn_of_equal_names() const {
    std::set<std::string> names, repeated;
    for (const auto& motif : motifs_)
      if (!names.insert(motif.name).second) repeated.insert(motif.name);
    if (!repeated.empty())
      log::warn(lines_.path(), ": ", counted(repeated.size(), "name is used", "names are used"),
                " by several motifs, which cannot be distinguished in the output: ", *repeated.begin(),
                repeated.size() > 1 ? " ..." : "");
  }

  io::LineReader lines_;
  std::vector<Motif> motifs_;
  bool meme_ = true;
  bool after_matrix_ = false;              // the lines before are a matrix, complete by its w=
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

std::string meme_text(const std::vector<Motif>& motifs, const BaseProbabilities& background) {
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
