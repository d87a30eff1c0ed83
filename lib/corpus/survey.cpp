#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "corpus/build.h"
#include "genome/interval_set.h"
#include "io/lines.h"
#include "io/paths.h"
#include "io/read_progress.h"

namespace bigdna::corpus {

using genome::Contig;
using genome::IntervalSet;

namespace {
std::string shown(const std::string& path) { return path == "-" ? "stdin" : path; }
/// Both sets have the genome's own names.
IntervalSet remaining(const IntervalSet& set, const IntervalSet& taken) {
  return genome::without(set, taken, genome::Names::of_one_genome);
}
/// The part of the set, which has the contigs' names, on those that --contigs chooses. Error if it chooses none.
IntervalSet on_chosen(const IntervalSet& set, const std::string& choice, const std::vector<Contig>& contigs) {
  const genome::ContigFilter chosen(choice, contigs);
  std::vector<Contig> of_those;
  for (const auto& contig : contigs)
    if (chosen(contig.name)) of_those.push_back(contig);
  if (of_those.empty()) fail("--contigs ", choice, ": leaves out every sequence (", contigs.size(), ")");
  if (of_those.size() == contigs.size()) return set;
  return on_contigs(set, of_those);
}
}  // namespace

Survey survey(const BuildOptions& options, bool keep) {
  check(options.sampler);
  const genome::ContigFilter chosen(options.contigs);
  bool exact = false;  // --contigs is a sequence's name
  Survey result;
  std::unordered_map<std::string, const std::string*> file_of;
  keep = keep || std::ranges::any_of(options.fastas, io::reads_once);
  for (const std::string& path : options.fastas) {
    const bool once = io::reads_once(path);
    io::Md5 text;  // for a genome that cannot be hashed as a file
    io::ReadProgress progress(concat("reading ", shown(path)), {path});
    io::ReadProgress::File file(progress, path);
    genome::FastaReader reader(path, options.invalid_bases, options.threads);
    while (const auto record = reader.next()) {
      file.look();
      if (once)
        for (const std::string_view part :
             {std::string_view(">"), std::string_view(record->name), std::string_view("\n"),
              std::string_view(record->bases), std::string_view("\n")})
          text.update(part);
      const std::string& name = record->name;
      if (name.empty()) fail(shown(path), ": a sequence has no name");
      if (!is_utf8(name)) fail(shown(path), ": the sequence name '", name, "' is not UTF-8");
      if (const auto [other, is_new] = file_of.emplace(name, &path); !is_new)
        fail(shown(path), ": sequence ", name,
             *other->second == path ? " is in this file twice"
                                    : " is in " + shown(*other->second) + " too; names must differ");
      if (exact || !chosen(name)) {
        result.left_out.push_back(name);
        continue;
      }
      if (exact = chosen.is_name(name); exact) {  // what the expression matched before is not meant
        for (const auto& contig : result.contigs) result.left_out.push_back(contig.name);
        result.contigs.clear();
        result.kept.clear();
        result.bases = result.n = 0;
      }
      result.contigs.push_back({name, static_cast<int64_t>(record->bases.size())});
      result.bases += result.contigs.back().length;
      result.n += genome::count_n(record->bases);
      if (keep) result.kept.emplace_back(record->bases);
    }
    result.inputs.push_back(once ? io::InputFile{path, {}, text.hex()} : io::input_file(path));
  }
  if (result.contigs.empty())
    fail("--contigs ", options.contigs, ": leaves out every sequence (", result.left_out.size(), ")");
  if (options.intervals) {
    const auto& [training, held_out, held_out_bed, held_out_contigs] = *options.intervals;
    result.held_out = on_chosen(
        held_out_bed.empty() ? on_contigs(held_out, result.contigs) : intervals_of_bed(held_out_bed, result.contigs),
        held_out_contigs, result.contigs);
    result.validation = result.held_out;
    result.training = remaining(on_contigs(training, result.contigs), result.held_out);
    return result;
  }
  result.held_out = genome::held_out(options.hold_out, result.contigs, options.sampler.seed);
  const IntervalSet all = genome::all_of(result.contigs);
  IntervalSet allowed = all;
  if (!options.regions.empty()) {
    allowed = intervals_of_bed(options.regions, result.contigs);
    if (allowed.empty()) fail(options.regions, ": has no interval on a contig that is used");
  }
  if (!options.exclude.empty()) {
    const IntervalSet excluded = intervals_of_bed(options.exclude, result.contigs);
    allowed = remaining(allowed, excluded);
    result.held_out = remaining(result.held_out, excluded);
  }
  result.training = remaining(allowed, result.held_out);
  result.validation = remaining(result.held_out, remaining(all, allowed));
  if (all.empty()) fail(options.fastas.front(), ": its sequences have no bases");
  if (result.training.empty()) fail("-R, --exclude and --hold-out leave nothing to train on");
  if (result.validation.empty() && !result.held_out.empty())
    log::warn("--hold-out ", options.hold_out, ": nothing of it lies in the intervals of -R, so nothing is evaluated");
  return result;
}

void warn_of_short_contigs(const SamplerOptions& sampler, const std::vector<Contig>& contigs) {
  constexpr double kEnough = 0.8;  // of the bases, in a pass
  double all = 0, read = 0;
  for (const auto& contig : contigs) {
    const auto length = static_cast<double>(contig.length);
    all += length;
    read += length - std::min(static_cast<double>(sampler.start_max), std::max(0., length - 1)) / 2;
  }
  if (read < kEnough * all)
    log::warn("the contigs are short: a pass starts up to ", sampler.start_max, " bp into each of them, and so reads ",
              std::lround(100 * read / all), " % of their bases (bigdna corpus and vocab --start 0 read all)");
}

void warn_of_vocabulary(const std::string& vocabulary, const Survey& survey) {
  const std::string folder =
      io::is_folder(vocabulary) ? vocabulary : std::filesystem::path(vocabulary).parent_path().string();
  const std::string record = (std::filesystem::path(folder) / io::manifest_name("vocabulary")).string();
  if (vocabulary.empty() || !io::exists(record)) return;
  const auto manifest = io::Manifest::load(record, "vocabulary");
  const auto training = manifest.details.find("training_intervals");
  if (training == manifest.details.end()) return;
  const IntervalSet read = genome::intervals_from_json(*training);
  // Of several genomes with contigs of the same name it is not known how long these are, but the files are known.
  const bool same_file = std::ranges::any_of(manifest.inputs, [&](const auto& input) {
    return std::ranges::find(survey.inputs, input.value("md5", "none"), &io::InputFile::md5) != survey.inputs.end();
  });
  if (!same_file && genome::other_genome(read, survey.contigs, "the genome")) return;
  const int64_t held_out = survey.validation.total(),
                unread = remaining(survey.validation, on_contigs(read, survey.contigs)).total();
  if (unread < held_out)
    log::warn(vocabulary, ": was trained on ", held_out - unread, " of the ", held_out,
              " bp that are held out here: make it with the same --hold-out (contigs and BED files are the same for "
              "all; blocks of a fraction for the same files, in the same order, with the same --contigs and --seed)");
}

}  // namespace bigdna::corpus
