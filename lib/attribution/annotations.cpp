#include "attribution/annotations.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "genome/bed.h"
#include "genome/gff.h"
#include "io/lines.h"

namespace bigdna::attribution {
namespace {

/// "peaks.1" of "folder/peaks.1.narrowPeak.gz".
std::string short_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name.replace_extension();
  return name.stem();
}

}  // namespace

Annotations::Annotations(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    File file{.name = short_name(path), .items = {}, .path = path};
    const auto add = [&](genome::Region region, std::string name, bool thin) {
      auto& items = file.items[region.contig];
      items.push_back({std::move(region), std::move(name), thin});
    };
    io::LineReader lines(path);
    auto line = lines.next();
    while (line && genome::is_bed_comment(*line)) line = lines.next();
    if (!line) fail(lines.path(), ": has no intervals");
    if (!genome::is_gff(*line)) {
      genome::BedReader bed(std::move(lines), std::string(*line), genome::StrandColumn::ignored);
      while (auto record = bed.next()) add(record->region, record->name == "." ? "" : record->name, false);
    } else {
      for (; line && !line->starts_with('>'); line = lines.next()) {
        if (genome::is_bed_comment(*line)) continue;
        try {
          auto record = genome::gff_record(*line);
          if (record.type == "exon") add(std::move(record.region), "", false);
          if (record.is_transcript()) add(std::move(record.region), std::move(record.name), true);
        } catch (const Error& error) {
          fail(lines.path(), ":", lines.line(), ": ", error.what());
        }
      }
    }
    for (auto& [contig, items] : file.items)
      std::ranges::stable_sort(items, {}, [](const Item& item) { return item.region.start; });
    if (file.items.empty()) fail(path, ": has no transcripts or exons");
    files_.push_back(std::move(file));
  }
}

std::vector<plot::Track> Annotations::around(const Site& site) {
  std::vector<plot::Track> tracks;
  const int64_t start = site.position(0), end = start + site.count;
  for (File& file : files_) {
    plot::Track track{file.name, {}};
    for (const std::string& contig : {site.own_contig, genome::other_spelling(site.own_contig)}) {
      const auto found = file.items.find(contig);
      if (found == file.items.end()) continue;
      file.has_contig = true;
      for (const Item& item : found->second) {
        if (item.region.start >= end) break;
        if (item.region.end > start)
          track.boxes.push_back({static_cast<double>(item.region.start - start),
                                 static_cast<double>(item.region.end - start), item.name, item.thin});
      }
    }
    tracks.push_back(std::move(track));
  }
  return tracks;
}

void Annotations::warn_of_other_contigs() const {
  for (const File& file : files_)
    if (!file.has_contig)
      log::warn(file.path, ": has nothing on the contigs that are explained, so pictures show nothing of it (it has ",
                file.items.begin()->first, file.items.size() > 1 ? " and others" : "", ")");
}

}  // namespace bigdna::attribution
