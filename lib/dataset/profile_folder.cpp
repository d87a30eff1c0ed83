#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "dataset/dataset_genome.h"
#include "dataset/folder_manifest.h"
#include "dataset/profile_dataset.h"
#include "genome/bed.h"
#include "genome/contigs.h"

namespace bigdna::dataset {

namespace {
std::optional<RegionKind> kind_of_name(std::string_view name) {
  const auto found = std::ranges::find(kRegionKinds, name);
  if (found == kRegionKinds.end()) return std::nullopt;
  return static_cast<RegionKind>(found - kRegionKinds.begin());
}
}  // namespace

ProfileDataset ProfileDataset::open(const std::string& folder) try {
  ProfileDataset dataset;
  dataset.folder = folder;
  dataset.manifest = open_manifest(folder, "profile");
  const auto& details = dataset.manifest.details;
  const auto bases = [&](const char* key) { return recorded_bases(folder, dataset.manifest, key); };
  dataset.window = bases("window");
  dataset.width = bases("width");
  dataset.jitter = bases("jitter");
  dataset.invalid_bases = recorded_invalid_bases(details);
  dataset.contigs = genome::recorded_contigs(details);
  dataset.tracks = read_features(folder + "/features.tsv");
  for (const auto& track : details.at("tracks")) dataset.has_halves.push_back(track.at("half").get<int64_t>() > 0);
  if (dataset.has_halves.size() != dataset.tracks.size())
    fail(folder, "/features.tsv: has other tracks than ", manifest_path(folder));
  const std::string path = folder + "/regions.bed.gz";
  genome::BedReader bed(path);
  while (auto record = bed.next()) {
    const auto& extra = record->extra;
    const auto split = extra.empty() ? std::nullopt : split_of_name(extra[0]);
    const auto kind = extra.size() < 2 ? std::nullopt : kind_of_name(extra[1]);
    if (!split || !kind || record->region.length() != dataset.width)
      fail(path, ":", record->line, ": expected a region of ", dataset.width, " bp, its split and its kind");
    const auto contig = std::ranges::find(dataset.contigs, record->region.contig, &genome::Contig::name);
    if (contig == dataset.contigs.end() || record->region.end > contig->length)
      fail(path, ":", record->line, ": ", record->region.contig, ":", record->region.start + 1, "-", record->region.end,
           " is on no contig of ", manifest_path(folder));
    dataset.rows.push_back({record->region, *split, *kind});
  }
  dataset.manifest.verify_file(folder, "regions.bed.gz");
  dataset.counts_ =
      std::make_shared<const BaseCounts>(folder + "/counts.safetensors", dataset.contigs, dataset.tracks.size());
  return dataset;
} catch (const nlohmann::json::exception& error) {
  fail(manifest_path(folder), ": damaged: ", error.what());
}

std::vector<int64_t> ProfileDataset::of(Split split, std::optional<RegionKind> kind) const {
  std::vector<int64_t> chosen;
  for (int64_t row = 0; row < std::ssize(rows); ++row)
    if (const auto& of = rows[static_cast<size_t>(row)]; of.split == split && (!kind || of.kind == *kind))
      chosen.push_back(row);
  return chosen;
}

bool ProfileDataset::has(RegionKind kind) const {
  return std::ranges::any_of(rows, [&](const auto& row) { return row.kind == kind; });
}

std::vector<float> ProfileDataset::counts(int64_t row, int64_t shift) const {
  auto region = rows[static_cast<size_t>(row)].region;
  region.start += shift, region.end += shift;
  std::vector<float> all;
  for (size_t track = 0; track < tracks.size(); ++track) {
    const auto of_track = counts_->counts(track, region);
    all.insert(all.end(), of_track.begin(), of_track.end());
  }
  return all;
}

std::vector<float> ProfileDataset::halves(int64_t row) const {
  std::vector<float> all;
  if (std::ranges::find(has_halves, false) != has_halves.end()) return all;
  for (size_t track = 0; track < tracks.size(); ++track) {
    const auto of_track = counts_->halves(track, rows[static_cast<size_t>(row)].region);
    all.insert(all.end(), of_track.begin(), of_track.end());
  }
  return all;
}

std::string ProfileDataset::name(int64_t row) const {
  return concat(kRegionKinds[static_cast<size_t>(rows[static_cast<size_t>(row)].kind)], row + 1);
}

genome::Region ProfileDataset::window_of(int64_t row, int64_t shift) const {
  const auto& region = rows[static_cast<size_t>(row)].region;
  return {region.contig, region.start - margin() + shift, region.end + margin() + shift, '+'};
}

}  // namespace bigdna::dataset
