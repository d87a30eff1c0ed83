#include "attribution/attribution_sinks.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "dataset/features.h"
#include "genome/bigwig.h"
#include "genome/interval_set.h"
#include "io/npz.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "model/network.h"
#include "motif/enriched_kmers.h"
#include "plot/svg.h"
#include "attribution/annotations.h"

namespace bigdna::attribution {
namespace {

constexpr std::string_view kLetters = "ACGT";
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::vector<int32_t> codes_of(const Site& site) {
  return model::base_codes(
      std::string_view(site.window).substr(static_cast<size_t>(site.first), static_cast<size_t>(site.count)));
}

/// Calls row(i, position, code of the base) for the explained bases that lie on the contig.
template <class Row>
void for_each_base(const Site& site, Row row) {
  const auto codes = codes_of(site);
  for (int64_t i = 0; i < site.count; ++i)
    if (const int64_t position = site.position(i); position >= 0 && position < site.length)
      row(i, position, codes[static_cast<size_t>(i)]);
}

/// One row per base, as TSV or HDF5.
class ContributionSink : public AttributionSink {
 public:
  ContributionSink(const std::string& path, io::Format format, const std::vector<std::string>& features,
                   io::OutputTable table)
      : values_(features.size()) {
    table.name = "explain";
    table.columns = {{.name = "chrom", .labels = "contigs"}, {"start"}, {"end"}, {"name"}, {"base"}};
    table.columns.push_back(
        {.name = "FEATURE", .block = features, .digits = io::Digits::six, .array = "contributions"});
    writer_ = io::make_row_writer(path, format, std::move(table));
  }
  void write(const Site& site, const Attributions& values, int64_t) override {
    for_each_base(site, [&](int64_t i, int64_t position, int64_t code) {
      for (size_t f = 0; f < values_.size(); ++f) values_[f] = values.contribution(i, code, static_cast<int64_t>(f));
      const std::string base(1, site.base(i));
      const io::Cell cells[] = {io::Label{site.contig}, position,
                                position + 1,           std::string_view(site.name),
                                std::string_view(base), std::span<const float>(values_)};
      writer_->row(cells);
    });
  }
  void commit() override { writer_->commit(); }

 private:
  std::unique_ptr<io::RowWriter> writer_;
  std::vector<float> values_;
};

/// One row per base and other base: what that change does.
class SubstitutionSink : public AttributionSink {
 public:
  SubstitutionSink(const std::string& path, const std::vector<std::string>& features, io::OutputTable table)
      : values_(features.size()) {
    table.name = "substitutions";
    table.columns = {{.name = "chrom", .labels = "contigs"}, {"start"}, {"end"}, {"name"}, {"ref"}, {"alt"}};
    table.columns.push_back({.name = "FEATURE", .block = features, .digits = io::Digits::six, .array = "changes"});
    writer_ =
        io::make_row_writer(path, io::format_of(path, std::array{io::Format::tsv, io::Format::hdf5}), std::move(table));
  }
  void write(const Site& site, const Attributions& values, int64_t) override {
    for_each_base(site, [&](int64_t i, int64_t position, int64_t code) {
      const std::string ref(1, site.base(i));
      for (int64_t b = 0; b < 4; ++b) {
        if (b == code) continue;
        for (size_t f = 0; f < values_.size(); ++f) values_[f] = values.change(i, b, code, static_cast<int64_t>(f));
        const io::Cell cells[] = {io::Label{site.contig},
                                  position,
                                  position + 1,
                                  std::string_view(site.name),
                                  std::string_view(ref),
                                  kLetters.substr(static_cast<size_t>(b), 1),
                                  std::span<const float>(values_)};
        writer_->row(cells);
      }
    });
  }
  void commit() override { writer_->commit(); }

 private:
  std::unique_ptr<io::RowWriter> writer_;
  std::vector<float> values_;
};

/// The contributions to one feature as bedGraph, which has one number a base: Error for intervals that overlap.
class BedGraphSink : public AttributionSink {
 public:
  BedGraphSink(const std::string& path, io::OutputTable table) : path_(path) {
    table.name = "contributions";
    table.columns = {{.name = "chrom", .labels = "contigs"}, {"start"}, {"end"}, {"contribution", {}, io::Digits::six}};
    writer_ = io::make_row_writer(path, io::Format::bedgraph, std::move(table));
  }
  void write(const Site& site, const Attributions& values, int64_t) override {
    const int64_t start = site.position(0), end = start + site.count;
    if (written_.overlaps(site.own_contig, start, end))
      fail(path_, ": ", site.name, " overlaps an interval before it, and bedGraph has one number a base: merge the ",
           "intervals, or write TSV or HDF5");
    written_.add(site.own_contig, start, end);
    for_each_base(site, [&](int64_t i, int64_t position, int64_t code) {
      const float value = values.contribution(i, code, 0);
      const io::Cell cells[] = {io::Label{site.contig}, position, position + 1, std::span<const float>(&value, 1)};
      if (!std::isnan(value)) writer_->row(cells);
    });
  }
  void commit() override { writer_->commit(); }

 private:
  std::string path_;
  genome::IntervalSet written_;
  std::unique_ptr<io::RowWriter> writer_;
};

/// The same as bigWig.
class BigWigSink : public AttributionSink {
 public:
  BigWigSink(const std::string& path, const std::vector<genome::Contig>& contigs) : writer_(path, contigs) {}
  void write(const Site& site, const Attributions& values, int64_t) override {
    for_each_base(site, [&](int64_t i, int64_t position, int64_t code) {
      const float value = values.contribution(i, code, 0);
      if (!std::isnan(value)) writer_.add(site.own_contig, position, position + 1, value, site.contig);
    });
  }
  void commit() override { writer_.commit(); }

 private:
  genome::BigWigWriter writer_;
};

/// PREFIX.sequences.npz and PREFIX.attributions.npz: what TF-MoDISco (modisco motifs -s ... -a ...) reads.
class ModiscoSink : public AttributionSink {
 public:
  explicit ModiscoSink(std::string prefix) : prefix_(std::move(prefix)) {}
  void write(const Site& site, const Attributions& values, int64_t) override {
    if (count_ > 0 && site.count != length_)
      fail("--modisco: ", site.name, " has ", site.count, " explained bases, and the intervals before it ", length_,
           ": --around makes all intervals the same length");
    length_ = site.count;
    ++count_;
    const auto codes = codes_of(site);
    for (int64_t b = 0; b < 4; ++b)
      for (int64_t i = 0; i < length_; ++i) {
        sequences_.push_back(codes[static_cast<size_t>(i)] == b ? 1 : 0);
        attributions_.push_back(values.at(i, b, 0));
      }
  }
  void commit() override {
    const std::vector<int64_t> shape{count_, 4, length_};
    io::write_npz(prefix_ + ".sequences.npz", {{"arr_0", shape, sequences_}});
    io::write_npz(prefix_ + ".attributions.npz", {{"arr_0", shape, attributions_}});
  }

 private:
  std::string prefix_;
  int64_t count_ = 0, length_ = 0;
  std::vector<float> sequences_, attributions_;
};

/// Which k-mers stand where contributions are high: a row for each feature and k-mer.
class KmerSink : public AttributionSink {
 public:
  KmerSink(const std::string& path, int length, std::vector<std::string> features, io::OutputTable table)
      : features_(std::move(features)), kmers_(features_.size(), motif::EnrichedKmers(length)) {
    table.name = "kmers";
    table.columns = {{"feature"},
                     {"kmer"},
                     {"seqlets"},
                     {"windows"},
                     {"enrichment", {}, io::Digits::six},
                     {"contribution", {}, io::Digits::six},
                     {"p", {}, io::Digits::six},
                     {"e", {}, io::Digits::six}};
    writer_ = io::make_row_writer(path, io::format_of(path, std::array{io::Format::tsv}), std::move(table));
  }
  void write(const Site& site, const Attributions& values, int64_t) override {
    std::string bases;
    std::vector<std::vector<float>> contributions(features_.size());
    for_each_base(site, [&](int64_t i, int64_t, int64_t code) {
      bases += site.base(i);
      for (size_t f = 0; f < features_.size(); ++f)
        contributions[f].push_back(values.contribution(i, code, static_cast<int64_t>(f)));
    });
    for (size_t f = 0; f < features_.size(); ++f) kmers_[f].add(bases, contributions[f]);
  }
  void commit() override {
    for (size_t f = 0; f < features_.size(); ++f)
      for (const auto& found : kmers_[f].result()) {
        const float numbers[] = {static_cast<float>(found.enrichment), static_cast<float>(found.contribution),
                                 static_cast<float>(found.p), static_cast<float>(found.e)};
        const auto number = [&](size_t i) { return std::span<const float>(&numbers[i], 1); };
        const io::Cell cells[] = {std::string_view(features_[f]),
                                  std::string_view(found.kmer),
                                  found.seqlets,
                                  found.windows,
                                  number(0),
                                  number(1),
                                  number(2),
                                  number(3)};
        writer_->row(cells);
      }
    writer_->commit();
    if (!kmers_.front().can_be_tested())
      log::warn("--kmers: one interval is too few to find enriched k-mers in, so the table has no rows");
  }

 private:
  std::vector<std::string> features_;
  std::vector<motif::EnrichedKmers> kmers_;
  std::unique_ptr<io::RowWriter> writer_;
};

/// FOLDER/N_NAME_FEATURE.svg for each interval and feature.
class PictureSink : public AttributionSink {
 public:
  PictureSink(const ExplainOptions& options, std::vector<std::string> features, const Explainer& explainer)
      : explainer_(explainer),
        folder_(options.pictures),
        changes_(options.method == ExplainOptions::Method::mutagenesis),
        features_(std::move(features)),
        file_names_(dataset::file_names(features_)),
        annotations_(options.beside) {
    io::make_folder(folder_);
  }
  void write(const Site& site, const Attributions& values, int64_t number) override {
    const auto codes = codes_of(site);
    const auto tracks = annotations_.around(site);
    const auto around = explainer_.surroundings(site);
    for (size_t f = 0; f < features_.size(); ++f) {
      plot::Logo logo{.title = concat(features_[f], ", ", site.name), .y_label = "contribution, logit"};
      for (int64_t i = 0; i < site.count; ++i) {
        const int64_t own = codes[static_cast<size_t>(i)];
        std::array<double, 4> heights{}, changes{};
        if (own < 4) heights[static_cast<size_t>(own)] = values.contribution(i, own, static_cast<int64_t>(f));
        logo.heights.push_back(heights);
        if (i % 10 == 0) logo.x_labels.push_back(concat(site.position(i) + 1));
        if (!changes_) continue;
        for (int64_t b = 0; b < 4; ++b)
          changes[static_cast<size_t>(b)] = b == own ? kMissing : values.change(i, b, own, static_cast<int64_t>(f));
        logo.changes.push_back(changes);
      }
      logo.tracks = tracks;
      if (around) logo.overview = overview(*around, site, f);
      io::write_file(concat(folder_, "/", number + 1, "_", io::as_file_name(site.name), "_", file_names_[f], ".svg"),
                     plot::svg(logo));
    }
  }
  void commit() override { annotations_.warn_of_other_contigs(); }

 private:
  plot::Overview overview(const Surroundings& around, const Site& site, size_t feature) const {
    plot::Overview of;
    for (size_t i = feature; i < around.values.size(); i += features_.size()) of.values.push_back(around.values[i]);
    of.most = std::ranges::max(of.values);
    const auto place = [&](int64_t position) {
      return static_cast<double>(position - around.start) / static_cast<double>(around.bin);
    };
    of.first = place(site.position(0)), of.last = place(site.position(site.count));
    of.title = concat("predicted probability of ", features_[feature], " in bins of ", around.bin,
                      " bp; the orange line: the bases above");
    of.from = concat(around.start + 1);
    of.to = concat(around.start + std::ssize(of.values) * around.bin);
    return of;
  }

  const Explainer& explainer_;
  std::string folder_;
  bool changes_;
  std::vector<std::string> features_, file_names_;
  Annotations annotations_;
};

}  // namespace

std::vector<std::string> refuse_outputs(const ExplainOptions& options, io::Format format,
                                        const std::vector<std::string>& features, const std::string& model) {
  const auto one_feature = [&](const std::string& what) {
    if (features.size() != 1)
      throw UsageError(concat(what, " holds one feature, and ", features.size(), " are chosen (--features)"));
  };
  if (format == io::Format::bedgraph || format == io::Format::bigwig) one_feature("-o " + options.output);
  if (format == io::Format::bigwig && !options.input.fasta.empty())
    throw UsageError("-o " + options.output + ": a bigWig needs -g, because it lists a genome's contigs");
  if (!options.modisco.empty()) one_feature("--modisco");
  std::vector<std::string> outputs{options.output};
  for (const auto& output : {options.substitutions, options.kmers})
    if (!output.empty()) outputs.push_back(output);
  if (!options.modisco.empty())
    outputs.insert(outputs.end(), {options.modisco + ".sequences.npz", options.modisco + ".attributions.npz"});
  io::refuse_shared_files(outputs, {options.input.fasta, options.input.regions, options.input.genome});
  io::refuse_outputs_in(outputs, {model});
  io::refuse_outputs_in({options.pictures}, {model});
  return outputs;
}

std::vector<std::unique_ptr<AttributionSink>> attribution_sinks(const ExplainOptions& options, io::Format format,
                                                                const std::vector<std::string>& features,
                                                                const std::vector<genome::Contig>& contigs,
                                                                const io::Provenance& provenance,
                                                                const Explainer& explainer) {
  io::OutputTable plain;
  plain.provenance = provenance;
  plain.about = explainer.outputs().arrays;
  plain.header = options.shard.first();
  std::vector<std::unique_ptr<AttributionSink>> sinks;
  if (format == io::Format::bigwig)
    sinks.push_back(std::make_unique<BigWigSink>(options.output, contigs));
  else if (format == io::Format::bedgraph)
    sinks.push_back(std::make_unique<BedGraphSink>(options.output, plain));
  else
    sinks.push_back(std::make_unique<ContributionSink>(options.output, format, features, plain));
  if (!options.substitutions.empty())
    sinks.push_back(std::make_unique<SubstitutionSink>(options.substitutions, features, plain));
  if (!options.modisco.empty()) sinks.push_back(std::make_unique<ModiscoSink>(options.modisco));
  if (!options.kmers.empty())
    sinks.push_back(std::make_unique<KmerSink>(options.kmers, options.kmer_length, features, plain));
  if (!options.pictures.empty()) sinks.push_back(std::make_unique<PictureSink>(options, features, explainer));
  return sinks;
}

}  // namespace bigdna::attribution
