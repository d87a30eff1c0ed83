#include "variant_effects/haplotypes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "attribution/explain_sites.h"
#include "attribution/insertion_model.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "model_folder/model_folder.h"
#include "session/stream.h"
#include "variants/haplotypes.h"

namespace bigdna::variant_effects {
namespace {

using attribution::Site;

/// A region, the haplotypes there, and what the model says of them.
struct HaplotypesThere {
  Site site;
  std::vector<variants::Haplotype> haplotypes = {};  // of each sample both
  std::vector<size_t> sequence = {};                 // of each haplotype, among `edited`
  std::vector<std::string> edited = {};              // sequences that differ
  std::vector<float> changes = {};                   // [edited, outputs]
};

genome::Region window_of(const Site& site, const attribution::SiteTiling& tiling) {
  return {site.own_contig, site.window_start, site.window_start + tiling.length(), '.'};
}

/// All sites of the input, without their bases: variants are read for all of them first.
std::vector<Site> sites_of(const HaplotypeOptions& options, const attribution::SiteTiling& tiling) {
  attribution::Sites sites(options.input, 0, tiling);
  std::vector<Site> all;
  while (auto site = sites.next()) {
    site->window.clear();
    all.push_back(std::move(*site));
  }
  if (all.empty()) fail(options.input.regions, ": has no region to predict");
  if (sites.cut())
    log::warn(counted(sites.cut(), "region"), " reached past the ", sites.window(),
              " bp that the model reads; start and end are of the bases that it reads");
  return all;
}

class HaplotypeTable {
 public:
  HaplotypeTable(const HaplotypeOptions& options, const attribution::InsertionModel& model) {
    io::OutputTable table;
    table.name = "haplotypes";
    table.provenance = io::Provenance().add("model", model_folder::name_and_md5(model.path()));
    for (const char* name : {"name", "contig", "start", "end", "sample", "haplotype", "alleles", "skipped", "unphased"})
      table.columns.push_back({name});
    std::vector<std::string> changes;
    for (const auto& name : model.outputs().names) changes.push_back(concat("change:", name));
    none_.resize(changes.size());
    table.columns.push_back({"change:FEATURE", std::move(changes), io::Digits::six});
    writer_ = io::make_row_writer(options.output, io::Format::tsv, std::move(table));
  }
  void add(const HaplotypesThere& there, const std::vector<std::string>& samples) {
    for (size_t i = 0; i < there.haplotypes.size(); ++i) {
      const auto& of = there.haplotypes[i];
      const std::vector<io::Cell> cells{std::string_view(there.site.name),
                                        std::string_view(there.site.contig),
                                        there.site.position(0),
                                        there.site.position(0) + there.site.count,
                                        std::string_view(samples[i / 2]),
                                        static_cast<int64_t>(i % 2 + 1),
                                        of.applied,
                                        of.skipped,
                                        of.unphased,
                                        changes_of(there, i)};
      writer_->row(cells);
    }
  }
  void commit() { writer_->commit(); }

 private:
  /// Exactly 0 for the reference, which an edited sequence computes with other roundings.
  std::span<const float> changes_of(const HaplotypesThere& there, size_t haplotype) const {
    if (there.haplotypes[haplotype].applied == 0) return none_;
    return std::span(there.changes).subspan(there.sequence[haplotype] * none_.size(), none_.size());
  }
  std::vector<float> none_;  // zeros
  std::unique_ptr<io::RowWriter> writer_;
};

}  // namespace

void haplotypes(const HaplotypeOptions& options) {
  const auto model = attribution::open_insertion_model(options.model, options.features, options.part, options.run);
  io::refuse_shared_files({options.output}, {options.variants, options.input.regions, options.input.genome});
  io::refuse_outputs_in({options.output}, {model->path()});
  const auto tiling = model->tiling();
  const genome::Genome genome(options.input.genome, options.input.invalid_bases);
  const auto sites = sites_of(options, tiling);
  std::vector<genome::Region> windows;
  for (const auto& site : sites) windows.push_back(window_of(site, tiling));
  const variants::PhasedVariants phased(options.variants, std::move(windows), options.samples, genome,
                                        options.max_allele);
  const session::Placement placement(options.run);
  model->load(placement);

  const auto& samples = phased.samples();
  variants::GenomeWindow window(genome);
  HaplotypeTable table(options, *model);
  log::Progress progress("haplotypes", sites.size(), "regions");
  size_t next = 0;
  int64_t done = 0, skipped = 0, differ = 0;
  std::set<std::pair<size_t, int64_t>> genotypes;  // without phase, by sample and record: both haplotypes have them
  session::stream(
      placement.streams(),
      [&]() -> std::optional<HaplotypesThere> {
        if (next == sites.size()) return std::nullopt;
        HaplotypesThere there{.site = sites[next++]};
        const auto reading = window_of(there.site, tiling);
        there.site.window = window.fetch(reading.contig, reading.start, reading.end);
        const int64_t centre = there.site.window_start + tiling.before();
        for (size_t sample = 0; sample < samples.size(); ++sample)
          for (const int which : {0, 1}) {
            auto of =
                phased.around(there.site.own_contig, centre, tiling.before(), tiling.after(), sample, which, window);
            const auto known = std::ranges::find(there.edited, of.bases);
            there.sequence.push_back(static_cast<size_t>(known - there.edited.begin()));
            if (known == there.edited.end()) there.edited.push_back(of.bases);
            of.bases.clear();
            there.haplotypes.push_back(std::move(of));
          }
        return there;
      },
      [&](HaplotypesThere&& there) {
        there.changes = model->changes(there.site.window, there.edited);
        return std::move(there);
      },
      [&](HaplotypesThere&& there) {
        table.add(there, samples);
        for (size_t i = 0; i < there.haplotypes.size(); ++i) {
          const auto& of = there.haplotypes[i];
          skipped += of.skipped;
          differ += of.applied > 0;
          for (const int64_t record : of.unphased_records) genotypes.emplace(i / 2, record);
        }
        progress.update(static_cast<uint64_t>(++done));
      });
  const auto unphased = std::ssize(genotypes);
  if (options.input.strict && skipped + unphased > 0)
    fail(options.variants, ": ", counted(unphased, "genotype"), " without phase, and ", counted(skipped, "allele"),
         " skipped (--strict)");
  table.commit();
  if (unphased)
    log::warn(
        counted(unphased, "heterozygous genotype"),
        " without phase: the haplotypes have the reference there (column unphased; bcftools or WhatsHap can phase "
        "reads)");
  if (skipped)
    log::warn(counted(skipped, "allele is", "alleles are"),
              " left out, because they overlap another one of the haplotype or cannot be read (column skipped)");
  log::info(counted(done, "region"), ", ", counted(std::ssize(samples), "sample"), ", ", differ, " of ",
            done * 2 * std::ssize(samples), " haplotypes differ from the reference");
}

}  // namespace bigdna::variant_effects
