#include "attribution/motif_tables.h"

#include <span>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "dataset/features.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "motif/files.h"
#include "plot/svg.h"

namespace bigdna::attribution {

std::vector<std::vector<motif::Match>> matches_of(const std::vector<motif::Motif>& motifs,
                                                  const std::vector<motif::Motif>& known, int threads) {
  std::vector<std::vector<motif::Match>> matches(motifs.size());
  parallel_for(std::ssize(motifs), threads, [&](int64_t m) {
    matches[static_cast<size_t>(m)] = motif::matches(motifs[static_cast<size_t>(m)], known);
  });
  return matches;
}

void write_matches(const MotifOptions& options, const std::vector<motif::Motif>& motifs,
                   const std::vector<motif::Motif>& known, const std::vector<std::vector<motif::Match>>& matches,
                   const io::Provenance& provenance, const std::pair<std::string, std::string>& resemble) {
  const auto writer = io::make_row_writer(options.matches, io::Format::tsv,
                                          {.name = "matches",
                                           .columns = {{"motif"},
                                                       {"known"},
                                                       {"known_name"},
                                                       {"strand"},
                                                       {"offset"},
                                                       {"overlap"},
                                                       {"distance", {}, io::Digits::six},
                                                       {"correlation", {}, io::Digits::six},
                                                       {"p", {}, io::Digits::six},
                                                       {"e", {}, io::Digits::six}},
                                           .provenance = provenance});
  int64_t matched = 0;
  for (size_t m = 0; m < motifs.size(); ++m) {
    if (motifs[m].sites == 0) continue;  // a matrix of nothing
    matched += matches[m].front().e <= kLargestE;
    for (const auto& match : matches[m]) {
      if (match.e > kLargestE) break;
      const auto& of = known[match.known];
      const float numbers[] = {static_cast<float>(match.distance), static_cast<float>(match.correlation),
                               static_cast<float>(match.p), static_cast<float>(match.e)};
      const auto number = [&](size_t i) { return std::span<const float>(&numbers[i], 1); };
      const io::Cell cells[] = {std::string_view(motifs[m].name),
                                std::string_view(of.name),
                                std::string_view(of.other_name.empty() ? "." : of.other_name),
                                std::string_view(&match.strand, 1),
                                match.offset,
                                match.overlap,
                                number(0),
                                number(1),
                                number(2),
                                number(3)};
      writer->row(cells);
    }
  }
  writer->commit();
  log::info(counted(matched, resemble.first, resemble.second), " a motif of ", options.known, " (E <= ", kLargestE,
            ")");
}

void write_logos(const std::string& folder, const std::vector<motif::Motif>& motifs) {
  if (folder.empty()) return;
  io::make_folder(folder);
  std::vector<std::string> names;
  for (const auto& motif : motifs) names.push_back(motif.name);
  names = dataset::file_names(names);
  for (size_t m = 0; m < motifs.size(); ++m)
    io::write_file(concat(folder, "/", names[m], ".svg"), plot::svg(motif::logo(motifs[m])));
}

void write_meme(const std::string& path, const std::vector<motif::Motif>& motifs,
                const motif::BaseProbabilities& background) {
  io::Output meme(path);
  meme << motif::meme_text(motifs, background);
  meme.commit();
}

}  // namespace bigdna::attribution
