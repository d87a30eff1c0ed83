#include "apps/options/tokenize.h"

#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/fasta.h"
#include "io/lines.h"
#include "io/provenance.h"
#include "model_folder/model_folder.h"
#include "tokenizer/statistics.h"

namespace bigdna::apps {
namespace {

/// A sequence to be tokenised: its interval, and its bases along its strand.
struct Item {
  Item(genome::Region r, std::string n, std::string b)
      : region(std::move(r)), name(std::move(n)), bases(std::move(b)) {}
  genome::Region region;
  std::string name;
  std::string bases;
};
using Source = std::function<std::optional<Item>()>;

Source text_lines(const std::string& path) {
  auto reader = std::make_shared<io::LineReader>(path);
  return [reader]() -> std::optional<Item> {
    const auto line = reader->next();
    if (!line) return std::nullopt;
    genome::Region region{std::to_string(reader->line()), 0, static_cast<int64_t>(line->size()), '+'};
    return Item(std::move(region), ".", std::string(*line));
  };
}

Source fasta_records(const TokenizeOptions& options) {
  auto reader =
      std::make_shared<genome::FastaReader>(options.input, options.invalid_bases, std::min(options.common.threads, 2));
  return [reader]() -> std::optional<Item> {
    auto record = reader->next_named();
    if (!record) return std::nullopt;
    const auto length = static_cast<int64_t>(record->bases.size());
    genome::Region region{record->name, 0, length, '+'};
    return Item(std::move(region), std::move(record->name), std::move(record->bases));
  };
}

Source genome_regions(const TokenizeOptions& options) {
  if (options.input == "-") throw UsageError("-r and -R need a FASTA file, not stdin");
  auto genome = std::make_shared<genome::Genome>(options.input, options.invalid_bases);
  const auto item = [genome](genome::Region region, std::string name) {
    if (region.strand == '.') region.strand = '+';
    std::string bases = genome->fetch(region);
    return Item(std::move(region), name.empty() ? "." : std::move(name), std::move(bases));
  };
  if (!options.region.empty())
    return [=, &options, done = false]() mutable -> std::optional<Item> {
      if (std::exchange(done, true)) return std::nullopt;
      return item(genome->parse_region(options.region), "");
    };
  auto bed = std::make_shared<genome::BedReader>(options.regions);
  return [=, strands = genome::MissingStrands()]() mutable -> std::optional<Item> {
    auto record = bed->next();
    if (!record) return std::exchange(strands, {}).warn(bed->path()), std::nullopt;
    strands.add(*record, /*decides=*/false);
    const std::string where = concat(bed->path(), ":", record->line);
    genome->require(record->region, where);
    if (record->region.length() == 0) log::warn(where, ": ", genome::kEmptyInterval, " and has no tokens");
    return item(std::move(record->region), std::move(record->name));
  };
}

/// Collects rows for large writes.
class Rows {
 public:
  explicit Rows(io::Output& output) : output_(output) {}
  Rows& text(std::string_view text) { return buffer_ += text, *this; }
  Rows& number(int64_t value) {
    char digits[24];
    buffer_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
  void end() {
    buffer_ += '\n';
    if (buffer_.size() > (1 << 20)) flush();
  }
  void flush() {
    output_.write(buffer_);
    buffer_.clear();
  }

 private:
  io::Output& output_;
  std::string buffer_;
};

struct Tokenised {
  Item item;
  tokenizer::Encoding encoding;
};

void write_tokens(Rows& rows, const Tokenised& t, const tokenizer::Vocabulary& vocabulary) {
  const auto& [region, name, bases] = t.item;
  const char strand[] = {'\t', region.strand, 0};
  for (size_t i = 0; i < t.encoding.size(); ++i) {
    const int64_t begin = t.encoding.begins[i], end = t.encoding.begins[i + 1];
    const bool reverse = region.strand == '-';
    rows.text(region.contig).text("\t").number(reverse ? region.end - end : region.start + begin);
    rows.text("\t").number(reverse ? region.end - begin : region.start + end);
    rows.text("\t").text(vocabulary.piece(t.encoding.ids[i]).text).text("\t").number(t.encoding.ids[i]);
    rows.text(strand).end();
  }
}

void write_sequence(Rows& rows, const Tokenised& t, const tokenizer::Vocabulary& vocabulary, bool ids) {
  const auto& [region, name, bases] = t.item;
  const char strand[] = {'\t', region.strand, 0};
  rows.text(region.contig).text("\t").number(region.start).text("\t").number(region.end).text("\t").text(name);
  rows.text("\t").number(static_cast<int64_t>(t.encoding.size())).text(strand);
  const char* separator = "\t";
  if (t.encoding.ids.empty()) rows.text(separator);
  for (const auto id : t.encoding.ids) {
    rows.text(std::exchange(separator, " "));
    if (ids)
      rows.number(id);
    else
      rows.text(vocabulary.piece(id).text);
  }
  rows.end();
}

}  // namespace

void run(const TokenizeOptions& options) {
  const std::string model = model_folder::model_in(options.vocabulary);
  const tokenizer::Encoder encoder(tokenizer::Vocabulary::load(model));
  const tokenizer::Vocabulary& vocabulary = encoder.vocabulary();
  io::refuse_shared_files({options.output}, {options.input, options.regions, model});
  io::refuse_outputs_in({options.output}, {options.vocabulary});
  const bool text = options.text || io::has_suffix(options.input, {".txt", ".txt.gz", ".txt.bgz", ".txt.xz"});
  const bool regions = !options.regions.empty() || !options.region.empty();
  if (text && regions) throw UsageError("-r and -R need a FASTA file, not text");
  const Source source = text ? text_lines(options.input) : regions ? genome_regions(options) : fasta_records(options);

  io::Output output(options.output, options.common.threads);
  Rows rows(output);
  const std::string format = options.ids ? "ids" : options.format;
  rows.text(io::Provenance().add("vocabulary_hash", vocabulary.hash()).comments());
  if (!options.stats)
    rows.text(format == "tokens" ? "#chrom\tstart\tend\tname\tscore\tstrand"
                                 : "#chrom\tstart\tend\tname\tscore\tstrand\ttokens")
        .end();
  tokenizer::Statistics statistics(vocabulary);
  log::Progress progress("tokenize", 0, "bp");
  ordered_pipeline(
      options.common.threads, source,
      [&](Item&& item) {
        if (!text) {
          auto encoding = encoder.encode(item.bases, options.common.threads);
          return Tokenised{std::move(item), std::move(encoding)};
        }
        try {
          auto encoding = encoder.encode_text(item.bases, options.common.threads);
          return Tokenised{std::move(item), std::move(encoding)};
        } catch (const Error& error) {
          fail(options.input, ":", item.region.contig, ": ", error.what());
        }
      },
      [&](Tokenised&& t) {
        if (t.encoding.begins.back() != static_cast<int64_t>(t.item.bases.size()) && !t.item.bases.empty())
          fail("internal error: the tokens of ", t.item.region.contig, " do not cover it");
        statistics.add(t.encoding, t.item.bases);
        progress.update(static_cast<uint64_t>(statistics.bases));
        if (options.stats) return;
        if (format == "tokens")
          write_tokens(rows, t, vocabulary);
        else
          write_sequence(rows, t, vocabulary, format == "ids");
      });
  if (options.stats) rows.text(statistics.to_tsv(options.top));
  rows.flush();
  output.commit();
  log::info(counted(statistics.sequences, "sequence"), ", ", log::human(static_cast<double>(statistics.bases)), "bp, ",
            log::human(static_cast<double>(statistics.tokens)),
            "tokens: ", tokenizer::fixed(statistics.bases_per_token(), 2), " bp per token",
            statistics.n_tokens > 0 ? ", " + counted(statistics.n_tokens, "token") + " of N or [UNK] not counted" : "",
            " (the vocabulary's pieces: ", tokenizer::fixed(vocabulary.mean_piece_length(), 2), " bp on average)");
  if (statistics.unknown > 0)
    log::warn(counted(statistics.unknown, "token is", "tokens are"), " [UNK], ",
              counted(statistics.unknown_bases, "base"), " of characters that the vocabulary lacks");
}

}  // namespace bigdna::apps
