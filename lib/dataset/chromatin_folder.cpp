#include "dataset/chromatin_folder.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/dataset_genome.h"
#include "dataset/folder_manifest.h"
#include "genome/bed.h"
#include "genome/contigs.h"
#include "io/output.h"
#include "io/safetensors.h"

namespace bigdna::dataset {

void write_chromatin_folder(const ChromatinOptions& options, const std::vector<genome::Contig>& contigs,
                            const std::vector<Feature>& features, const std::vector<LabelledBin>& bins,
                            std::span<const uint8_t> labels, const TrackValues& values, io::Manifest manifest) {
  const auto count = std::ssize(of_kind(features, FeatureKind::binary)), bytes = (count + 7) / 8;
  const int64_t tracks = std::ssize(features) - count;
  std::array<std::vector<int64_t>, kSplits.size()> positives;
  for (auto& split : positives) split.assign(static_cast<size_t>(count), 0);
  std::array<int64_t, kSplits.size()> rows{};
  std::set<std::string> used;
  io::Output regions(options.output + "/regions.bed.gz");
  regions << "#chrom\tstart\tend\tname\tscore\tstrand\tsplit\n";
  for (size_t i = 0; i < bins.size(); ++i) {
    const auto& bin = bins[i];
    const auto split = static_cast<size_t>(bin.split);
    const auto row = labels.subspan(i * static_cast<size_t>(bytes), static_cast<size_t>(bytes));
    int64_t score = 0;
    for (int64_t f = 0; f < count; ++f)
      if (label_at(row, f)) {
        ++score;
        ++positives[split][static_cast<size_t>(f)];
      }
    ++rows[split];
    used.insert(contigs[bin.contig].name);
    regions << concat(contigs[bin.contig].name, '\t', bin.start, '\t', bin.start + options.bin, '\t',
                      bin_name(static_cast<int64_t>(i)), '\t', score, "\t.\t", split_name(bin.split), '\n');
  }
  regions.commit();
  std::vector arrays{io::array<uint8_t>("labels", labels, {std::ssize(bins), bytes})};
  if (tracks > 0) {
    arrays.push_back(io::array<float>("counts", values.counts, {std::ssize(bins), tracks}));
    arrays.push_back(io::array<float>("halves", values.halves, {std::ssize(bins), tracks}));
  }
  io::write_safetensors(options.output + "/labels.safetensors", arrays);
  write_features(options.output + "/features.tsv", features);
  for (const Split split : kSplits) {
    const auto total = rows[static_cast<size_t>(split)];
    const auto& ones = positives[static_cast<size_t>(split)];
    const auto empty = std::count_if(ones.begin(), ones.end(), [&](int64_t one) { return one == 0 || one == total; });
    log::info(split_name(split), ": ", counted(total, "bin"),
              empty ? concat("; ", empty, " of ", counted(count, "feature"), empty == 1 ? " has" : " have",
                             " only one class there")
                    : "");
    if (total > 0 && count > 0 && empty == count)
      log::warn("the ", split_name(split),
                " split has no feature with both classes: nothing can be learned or scored there (--negatives and "
                "--keep all add bins without labels)");
  }

  manifest.kind = "dataset";
  manifest.add_input(options.genome);
  auto& details = manifest.details;
  details["task"] = "chromatin";
  record_genome(options.genome, options.invalid_bases, details);
  details["bin"] = options.bin;
  details["upstream"] = options.upstream;
  details["downstream"] = options.downstream;
  details["features"] = features.size();
  details["contigs"] = genome::to_json(genome::contigs_named(contigs, used));
  for (const Split split : kSplits) details["rows"][std::string(split_name(split))] = rows[static_cast<size_t>(split)];
  for (const char* name : {"regions.bed.gz", "labels.safetensors", "features.tsv"})
    manifest.add_file(options.output, name);
  manifest.save(manifest_path(options.output));
}

ChromatinDataset ChromatinDataset::open(const std::string& folder) try {
  ChromatinDataset dataset;
  dataset.folder = folder;
  dataset.manifest = open_manifest(folder, "chromatin");
  const auto& details = dataset.manifest.details;
  dataset.bin = recorded_bases(folder, dataset.manifest, "bin");
  if (!find_bin_width(dataset.bin)) fail(folder, "/dataset.json: has bins of ", dataset.bin, " bp");
  dataset.upstream = recorded_bases(folder, dataset.manifest, "upstream");
  dataset.downstream = recorded_bases(folder, dataset.manifest, "downstream");
  dataset.keep = details.at("keep");
  dataset.invalid_bases = recorded_invalid_bases(details);
  const auto features = read_features(folder + "/features.tsv");
  dataset.features = of_kind(features, FeatureKind::binary);
  dataset.tracks = of_kind(features, FeatureKind::counts);
  const std::string path = folder + "/regions.bed.gz";
  genome::BedReader bed(path);
  while (auto record = bed.next()) {
    const auto split = record->extra.empty() ? std::nullopt : split_of_name(record->extra[0]);
    if (!split) fail(path, ":", record->line, ": column 7 is not a split");
    dataset.rows.push_back({record->region, *split});
  }
  dataset.manifest.verify_file(folder, "regions.bed.gz");  // rows in another order would have each other's labels
  dataset.file_ = std::make_shared<io::SafetensorsFile>(folder + "/labels.safetensors");
  const auto& labels = dataset.file_->at("labels");
  dataset.bytes_ = (static_cast<int64_t>(dataset.features.size()) + 7) / 8;
  dataset.labels_ = labels.as<uint8_t>(folder + "/labels.safetensors: labels");
  if (labels.shape != std::vector<int64_t>{static_cast<int64_t>(dataset.rows.size()), dataset.bytes_})
    fail(folder, "/labels.safetensors: labels are not of ", dataset.rows.size(), " rows and ", dataset.features.size(),
         " features");
  if (!dataset.tracks.empty()) {
    const auto of_tracks = [&](const std::string& name) {
      const auto& array = dataset.file_->at(name);
      if (array.shape != std::vector<int64_t>{std::ssize(dataset.rows), std::ssize(dataset.tracks)})
        fail(folder, "/labels.safetensors: ", name, " are not of ", dataset.rows.size(), " rows and ",
             dataset.tracks.size(), " tracks");
      return array.as<float>(folder + "/labels.safetensors: " + name);
    };
    dataset.counts_ = of_tracks("counts");
    dataset.halves_ = of_tracks("halves");
  }
  return dataset;
} catch (const nlohmann::json::exception& error) {
  fail(manifest_path(folder), ": damaged: ", error.what());
}

genome::Region with_context(const genome::Region& bin, int64_t upstream, int64_t downstream) {
  return {bin.contig, bin.start - upstream, bin.end + downstream, bin.strand};
}

}  // namespace bigdna::dataset
