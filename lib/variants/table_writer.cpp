#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "io/hdf5_table.h"
#include "io/output.h"
#include "variants/vcf_writer.h"
#include "variants/writer.h"

namespace bigdna::variants {

namespace {
const char* truth(bool value) { return value ? "True" : "False"; }  // as Selene's tables, which Python writes

/// Selene's first eight columns, then bigdna's.
class TsvWriter : public VariantWriter {
 public:
  explicit TsvWriter(const WriterOptions& options) : options_(options), out_(options.path, options.threads) {
    if (!options.header) return;
    out_ << "chrom\tpos\tname\tref\talt\tstrand\tref_match\tcontains_unk\tskipped";
    for (const auto& column : options_.columns) {
      out_ << "\t" + column.name;
      if (options_.percentiles) out_ << "\t" + column.percentile_name;
    }
    out_ << "\n";
  }

  void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) override {
    for (size_t i = 0; i < alleles.size(); ++i) {
      const auto& each = alleles[i];
      text_ = concat(record.contig, '\t', record.position + 1, '\t', record.id, '\t', record.ref, '\t', record.alts[i],
                     '\t', options_.strand, '\t', truth(each.allele.ref_matches), '\t', truth(each.contains_n), '\t',
                     each.allele.skip == Skip::none ? "." : skip_name(each.allele.skip));
      for (size_t column = 0; column < options_.columns.size(); ++column) {
        text_ += '\t';
        append_number(text_, each.effects[column]);
        if (!options_.percentiles) continue;
        text_ += '\t';
        append_number(text_, each.percentiles[column]);
      }
      text_ += '\n';
      out_ << text_;
    }
  }
  void commit() override { out_.commit(); }

 private:
  WriterOptions options_;
  io::Output out_;
  std::string text_;
};

/// docs/formats.md, "Variant effects as HDF5".
class Hdf5Writer : public VariantWriter {
 public:
  explicit Hdf5Writer(const WriterOptions& options)
      : options_(options),
        target_(options.path),
        file_(io::Hdf5File::create(target_)),
        position_(file_, "pos", H5T_NATIVE_INT64),
        ref_match_(file_, "ref_match", H5T_NATIVE_UINT8),
        contains_unk_(file_, "contains_unk", H5T_NATIVE_UINT8) {
    for (const char* name : {"chrom", "name", "ref", "alt", "strand", "skipped"})
      texts_.emplace_back(file_, name, io::hdf5_string());
    const auto& columns = options_.columns;
    for (size_t begin = 0; begin < columns.size();) {
      size_t end = begin;
      while (end < columns.size() && columns[end].effect == columns[begin].effect) ++end;
      const std::string name = effect_name(columns[begin].effect);
      effects_.push_back({begin, io::Hdf5Table(file_, name, H5T_NATIVE_FLOAT, end - begin)});
      if (options_.percentiles)
        percentiles_.push_back({begin, io::Hdf5Table(file_, name + "_percentile", H5T_NATIVE_FLOAT, end - begin)});
      begin = end;
    }
    std::vector<std::string> names, cells, assays, groups;
    const auto first =
        std::find_if(columns.begin(), columns.end(), [](const Column& column) { return column.feature >= 0; });
    for (const auto& column : columns) {
      if (column.feature < 0 || column.effect != first->effect) continue;
      const auto& feature = options_.features[static_cast<size_t>(column.feature)];
      names.push_back(feature.name);
      cells.push_back(feature.cell);
      assays.push_back(feature.assay);
      groups.push_back(feature.group);
    }
    io::write_strings(file_, "feature_name", names);
    io::write_strings(file_, "feature_cell", cells);
    io::write_strings(file_, "feature_assay", assays);
    io::write_strings(file_, "feature_group", groups);
    io::write_strings(file_, "model", {options_.model});
  }

  void write(const VcfRecord& record, std::span<const ScoredAllele> alleles) override {
    for (size_t i = 0; i < alleles.size(); ++i) {
      const auto& each = alleles[i];
      const int64_t position = record.position + 1;
      const uint8_t match = each.allele.ref_matches, unknown = each.contains_n;
      position_.append(&position);
      ref_match_.append(&match);
      contains_unk_.append(&unknown);
      const std::string strand(1, options_.strand), skipped = skip_name(each.allele.skip);
      const std::string texts[] = {record.contig, record.id, record.ref, record.alts[i], strand, skipped};
      for (size_t k = 0; k < texts_.size(); ++k) texts_[k].append(std::vector<std::string>{texts[k]});
      for (auto& [begin, table] : effects_) table.append(each.effects.data() + begin);
      for (auto& [begin, table] : percentiles_) table.append(each.percentiles.data() + begin);
    }
  }

  void commit() override {
    for (auto* table : {&position_, &ref_match_, &contains_unk_}) table->close();
    for (auto& table : texts_) table.close();
    for (auto* group : {&effects_, &percentiles_})
      for (auto& [begin, table] : *group) table.close();
    file_.close();
    target_.commit();
  }

 private:
  struct Block {
    size_t begin;  // its first column
    io::Hdf5Table table;
  };
  WriterOptions options_;
  io::AtomicFile target_;
  io::Hdf5File file_;
  io::Hdf5Table position_, ref_match_, contains_unk_;
  std::vector<io::Hdf5Table> texts_;
  std::vector<Block> effects_, percentiles_;
};
}  // namespace

Format format_of(const std::string& path) {
  using io::has_suffix;
  if (path == "-" || has_suffix(path, {".vcf", ".vcf.gz"})) return Format::vcf;
  if (has_suffix(path, {".bcf"})) return Format::bcf;
  if (has_suffix(path, {".tsv", ".tsv.gz", ".txt", ".txt.gz"})) return Format::tsv;
  if (io::is_hdf5(path)) return Format::hdf5;
  throw UsageError("-o " + path + ": its suffix must be .vcf, .vcf.gz, .bcf, .tsv, .tsv.gz or .h5");
}

std::unique_ptr<VariantWriter> make_writer(const WriterOptions& options, const VcfHeader& header) {
  if (options.format == Format::tsv) return std::make_unique<TsvWriter>(options);
  if (options.format == Format::hdf5) return std::make_unique<Hdf5Writer>(options);
  return make_vcf_writer(options, header);
}

void append_number(std::string& text, float value) {
  if (std::isnan(value)) {
    text += '.';
    return;
  }
  char number[32];
  text.append(number, std::to_chars(number, number + sizeof number, value).ptr);
}

}  // namespace bigdna::variants
