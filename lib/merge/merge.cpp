#include "merge/merge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/formats.h"
#include "io/output.h"
#include "io/output_record.h"
#include "merge/joiners.h"
#include "merge/parts.h"
#include "variants/writer.h"

namespace bigdna::merge {

namespace fs = std::filesystem;

namespace {
struct Joiner {
  io::Format format;
  void (*join)(const Paths& parts, const std::string& output, int threads);
};
constexpr Joiner kJoiners[] = {
    {io::Format::tsv, join_text},    {io::Format::bed, join_text},  {io::Format::vcf, join_text},
    {io::Format::bcf, join_bcf},     {io::Format::hdf5, join_hdf5}, {io::Format::bigwig, join_bigwig},
    {io::Format::json, join_counts},
};

io::Format format_of_part(const std::string& path) {
  std::vector<io::Format> formats;
  for (const auto& joiner : kJoiners) formats.push_back(joiner.format);
  return io::format_of(path, formats);
}

/// The same tracks of all folders.
void join_folders(const Paths& folders, const std::string& output, int threads) {
  const auto names_in = [](const std::string& folder) {
    Paths names;
    for (const auto& track : tracks_in(folder)) names.push_back(fs::path(track).filename().string());
    return names;
  };
  const Paths names = names_in(folders.front());
  for (const auto& folder : folders)
    if (names_in(folder) != names) fail(folder, ": holds other tracks than ", folders.front());
  std::error_code error;
  if (fs::create_directories(output, error); error) fail(output, ": ", error.message());
  for (const auto& name : names) {
    Paths tracks;
    for (const auto& folder : folders) tracks.push_back(folder + "/" + name);
    join_bigwig(tracks, output + "/" + name, threads);
  }
}
}  // namespace

void merge_parts(const MergeOptions& options) {
  const bool folders = fs::is_directory(options.parts.front());
  const auto format = folders ? io::Format::bigwig : format_of_part(options.parts.front());
  for (const auto& part : options.parts)
    if (fs::is_directory(part) != folders || (!folders && format_of_part(part) != format))
      throw UsageError(concat(part, ": is of another format than ", options.parts.front()));
  if (!folders && options.output != "-" && format_of_part(options.output) != format)
    throw UsageError(
        concat(options.output, ": the parts are ", io::format_row(format).name, ", and so is what they become"));
  io::refuse_shared_files({options.output}, options.parts);
  if (folders) io::refuse_outputs_in({options.output}, options.parts);
  const Paths parts = in_order(options.parts);
  if (folders)
    join_folders(parts, options.output, options.threads);
  else
    std::ranges::find(kJoiners, format, &Joiner::format)->join(parts, options.output, options.threads);
  if (!io::is_written_directly(options.output)) io::remove_record(options.output);
  variants::remove_indexes(options.output);
  if (options.write_index) variants::write_index(options.output, options.threads);
  log::info(options.output == "-" ? "" : options.output + ": ", counted(parts.size(), "part"));
}

}  // namespace bigdna::merge
