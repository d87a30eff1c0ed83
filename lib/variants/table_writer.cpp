#include <algorithm>

#include "dataset/features.h"
#include "io/row_writer.h"
#include "variants/vcf_writer.h"
#include "variants/writer.h"

namespace bigdna::variants {

namespace {
/// A row for each allele: Selene's first eight columns, then bigdna's, one block for each effect.
class AlleleTable : public VariantWriter {
 public:
  explicit AlleleTable(const WriterOptions& options) : strand_(options.strand) {
    std::vector<io::Column> columns{{"chrom"},  {"pos"},       {"name"},         {"ref"},    {"alt"},
                                    {"strand"}, {"ref_match"}, {"contains_unk"}, {"skipped"}};
    const auto& effects = options.columns;
    std::vector<io::ColumnArray> about;
    for (size_t begin = 0, end = 0; begin < effects.size(); begin = end) {
      while (end < effects.size() && effects[end].effect == effects[begin].effect) ++end;
      const bool ranked = options.percentiles && has_percentile(effects[begin].effect);
      blocks_.push_back({begin, end - begin, ranked});
      const auto of_effect = std::span(effects).subspan(begin, end - begin);
      const std::string name = effect_name(of_effect.front().effect);
      const char* const by_feature = of_effect.front().feature < 0 ? "" : ":FEATURE";
      const auto add = [&](const std::string& block, std::string EffectColumn::*column_name) {
        columns.push_back({.name = block + by_feature, .block = {}, .array = block});
        for (const EffectColumn& column : of_effect) columns.back().block.push_back(column.*column_name);
      };
      add(name, &EffectColumn::name);
      if (ranked) add(name + "_percentile", &EffectColumn::percentile_name);
      if (!about.empty() || of_effect.front().feature < 0) continue;
      std::vector<int64_t> chosen;
      for (const EffectColumn& column : of_effect) chosen.push_back(column.feature);
      about = dataset::feature_arrays(options.features, chosen);
    }
    columns.push_back({"seen"});
    if (!options.tracks.empty()) columns.push_back({.name = "track:NAME", .block = {}, .array = "tracks"});
    std::vector<std::string> names;
    for (const auto& track : options.tracks) {
      columns.back().block.push_back("track:" + track.name);
      names.push_back(track.name);
    }
    if (!names.empty()) about.push_back({"track_name", std::move(names)});
    writer_ = io::make_row_writer(options.path, options.format,
                                  {.name = "variants",
                                   .columns = std::move(columns),
                                   .provenance = options.provenance,
                                   .about = std::move(about),
                                   .header = options.header,
                                   .threads = options.threads});
  }

  void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) override {
    for (size_t i = 0; i < alleles.size(); ++i) {
      const auto& each = alleles[i];
      const std::string_view skipped = each.allele.skip == Skip::none ? "." : skip_name(each.allele.skip);
      cells_ = {std::string_view(record.contig),
                record.position + 1,
                std::string_view(record.id),
                std::string_view(record.ref),
                std::string_view(record.alts[i]),
                std::string_view(&strand_, 1),
                int64_t{each.allele.ref_matches},
                int64_t{each.contains_n},
                skipped};
      for (const auto& [first, count, ranked] : blocks_) {
        cells_.emplace_back(each.effects.subspan(first, count));
        if (ranked) cells_.emplace_back(each.percentiles.subspan(first, count));
      }
      cells_.emplace_back(each.seen ? int64_t{*each.seen} : int64_t{-1});
      if (!each.tracks.empty()) cells_.emplace_back(each.tracks);
      writer_->row(cells_);
    }
  }
  void commit() override { writer_->commit(); }

 private:
  struct Block {
    size_t first, count;  // of the columns
    bool ranked;          // percentiles follow
  };

  char strand_;
  std::vector<Block> blocks_;
  std::vector<io::Cell> cells_;
  std::unique_ptr<io::RowWriter> writer_;
};
}  // namespace

std::unique_ptr<VariantWriter> make_writer(const WriterOptions& options, const VcfHeader& header) {
  if (io::format_row(options.format).make) return std::make_unique<AlleleTable>(options);
  return make_vcf_writer(options, header);
}

}  // namespace bigdna::variants
