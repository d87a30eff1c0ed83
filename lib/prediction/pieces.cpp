#include "prediction/pieces.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/lines.h"

namespace bigdna::prediction {

uint64_t expected_bases(const SequenceInput& input) {
  if (io::reads_once(input.regions.empty() ? input.fasta : input.regions)) return 0;
  int64_t total = 0;
  try {
    if (input.regions.empty()) {
      genome::FastaReader reader(input.fasta, input.invalid_bases);
      while (const auto record = reader.next()) total += static_cast<int64_t>(record->bases.size());
    } else {
      genome::BedReader reader(input.regions);
      while (const auto record = reader.next()) total += record->region.length();
    }
  } catch (const Error&) {
    return 0;
  }
  return static_cast<uint64_t>(total);
}

void for_each_sequence(const SequenceInput& input, const std::function<void(std::string_view)>& read) {
  if (input.regions.empty()) {
    genome::FastaReader reader(input.fasta, input.invalid_bases);
    while (const auto record = reader.next()) read(record->bases);
    return;
  }
  const genome::Genome genome(input.genome, input.invalid_bases);
  genome::BedReader reader(input.regions);
  while (const auto record = reader.next()) {
    genome::Region region = record->region;
    region.contig = genome.require(region, concat(input.regions, ":", record->line));
    read(genome.fetch(region));
  }
}

corpus::Example RecordPiece::example(const tokenizer::SpecialTokens& special) const {
  corpus::Example example;
  const auto ids = record->encoding.ids.begin() + first;
  example.ids.push_back(special.cls);
  example.ids.insert(example.ids.end(), ids - before, ids + count + after);
  example.ids.push_back(special.sep);
  example.token_types.assign(example.ids.size(), 0);
  return example;
}

Pieces::Pieces(const SequenceInput& input, const tokenizer::Encoder& encoder, int64_t longest, Cut cut,
               PieceContext context)
    : encoder_(encoder), how_(cut), context_(context), longest_(longest), strict_(input.strict) {
  if (input.regions.empty()) {
    fasta_.emplace(input.fasta, input.invalid_bases);
  } else {
    genome_.emplace(input.genome, input.invalid_bases);
    bed_.emplace(input.regions);
  }
}

std::optional<RecordPiece> Pieces::next() {
  while (!record_ || next_ >= static_cast<int64_t>(record_->encoding.size())) {
    std::string name, bases, where;
    std::optional<genome::Region> region;
    if (!read(name, bases, where, region)) return std::nullopt;
    if (bases.empty()) {
      const char* cause = bed_ ? genome::kEmptyInterval : "has no bases";
      if (strict_) fail(where, ": ", cause);
      log::warn(where, ": ", cause, " and gets no row");
      ++number_;
      ++without_bases_;
      passed_over_.push_back(std::move(name));
      continue;
    }
    record_ = std::make_shared<const Record>(Record{name, number_++, static_cast<int64_t>(bases.size()),
                                                    take_passed_over(), encoder_.encode(bases), region});
    next_ = 0;
    const auto tokens = static_cast<int64_t>(record_->encoding.size());
    const auto whole_blocks = [&](int64_t size) { return size / context_.block * context_.block; };
    const int64_t most = tokens <= longest_ ? longest_ : whole_blocks(longest_ - context_.before - context_.after);
    const int64_t pieces = (tokens + most - 1) / most, even = (tokens + pieces - 1) / pieces;
    size_ = how_ == Cut::longest ? most : whole_blocks(even + context_.block - 1);
    cut_ += pieces > 1;
  }
  const int64_t tokens = static_cast<int64_t>(record_->encoding.size()), first = next_;
  next_ = std::min(tokens, first + size_);
  return RecordPiece{.record = record_,
                     .first = first,
                     .count = next_ - first,
                     .last = next_ == tokens,
                     .before = std::min(context_.before, first),
                     .after = std::min(context_.after, tokens - next_)};
}

std::vector<RecordPiece> Pieces::next(int64_t tokens) {
  std::vector<RecordPiece> together;
  for (int64_t size = 0; size < tokens;) {
    auto piece = next();
    if (!piece) break;
    size += piece->count;
    together.push_back(std::move(*piece));
  }
  return together;
}

std::vector<std::string> Pieces::take_passed_over() { return std::exchange(passed_over_, {}); }

bool Pieces::read(std::string& name, std::string& bases, std::string& where, std::optional<genome::Region>& place) {
  if (fasta_) {
    auto record = fasta_->next_named();
    if (!record) return false;
    where = fasta_->where(*record);
    name = std::move(record->name), bases = std::move(record->bases);
    return true;
  }
  const auto record = bed_->next();
  if (!record) return std::exchange(strands_, {}).warn(bed_->path()), false;
  strands_.add(*record, /*decides=*/false);
  genome::Region region = record->region;
  where = concat(bed_->path(), ":", record->line);
  const std::string contig = genome_->require(region, where);
  name = record->name.empty() || record->name == "." ? genome::to_string(region) : record->name;
  region.contig = contig;
  bases = genome_->fetch(region);
  place = std::move(region);
  return true;
}

}  // namespace bigdna::prediction
