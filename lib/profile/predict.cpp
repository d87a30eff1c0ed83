#include "profile/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/even_chunk.h"
#include "base/log.h"
#include "genome/bigwig.h"
#include "genome/fasta.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "jobs/journalled_stream.h"
#include "jobs/output_job.h"
#include "model_folder/model_folder.h"
#include "profile/network.h"
#include "profile/windows.h"

namespace bigdna::profile {
namespace {

constexpr int64_t kTogether = 8;  // windows of a chunk

int64_t count_records(const ProfileOptions& options) {
  genome::FastaReader records(options.fasta, options.invalid_bases);
  int64_t count = 0;
  while (records.next_named()) ++count;
  return count;
}

/// The windows of this part of the job: [first, second).
std::pair<int64_t, int64_t> part_of(const ProfileOptions& options, const Windows& windows) {
  if (options.shard.whole()) return {0, std::numeric_limits<int64_t>::max()};
  const auto total = options.fasta.empty() ? static_cast<int64_t>(windows.total()) : count_records(options);
  return options.shard.of(total, even_chunk(options.shard, total, kTogether));
}

/// A chunk's predictions as the journal has them: of each window its logits and the logarithm of its counts.
std::vector<float> score(const std::vector<ProfileWindow>& windows, const ProfileNetwork& network,
                         const ProfileOptions& options) {
  std::vector<float> values;
  for (const auto& window : windows) {
    const auto prediction = network.predict(window.bases, options.part, options.strands);
    values.insert(values.end(), prediction.logits.begin(), prediction.logits.end());
    values.push_back(static_cast<float>(prediction.log_counts));
  }
  return values;
}

/// Expected reads at each base, [strands, output].
std::vector<float> expected(const ProfilePrediction& prediction) {
  auto values = probabilities(prediction.logits);
  const auto counts = static_cast<float>(std::exp(prediction.log_counts));
  for (float& value : values) value *= counts;
  return values;
}

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void add(const ProfileWindow& window, const ProfilePrediction& prediction) = 0;
  virtual void commit() = 0;
};

/// Rows of counts and, where a format has room for them, profiles.
class Rows : public Sink {
 public:
  Rows(const ProfileOptions& options, io::Format format, const model_folder::ProfileConfig& config,
       io::Provenance provenance)
      : profiles_(format != io::Format::tsv) {
    io::OutputTable table{.name = "profile",
                          .columns = {{.name = "chrom", .array = "sequence", .labels = "sequences"},
                                      {"start"},
                                      {"end"},
                                      {"name"},
                                      {.name = "counts", .block = {"counts"}},
                                      {.name = "log_counts", .block = {"log_counts"}}},
                          .provenance = std::move(provenance),
                          .header = options.shard.first()};
    if (profiles_) {
      io::Column profile{.name = "profile"};
      for (int64_t i = 0; i < config.strands * config.output; ++i) profile.block.push_back(concat("base", i));
      table.columns.push_back(std::move(profile));
    }
    writer_ = io::make_row_writer(options.output, format, std::move(table));
  }
  void add(const ProfileWindow& window, const ProfilePrediction& prediction) override {
    const auto log_counts = static_cast<float>(prediction.log_counts);
    const auto counts = static_cast<float>(std::exp(prediction.log_counts));
    const auto profile = profiles_ ? expected(prediction) : std::vector<float>();
    std::vector<io::Cell> cells{io::Label{window.contig},      window.start,          window.end,
                                std::string_view(window.name), std::span(&counts, 1), std::span(&log_counts, 1)};
    if (profiles_) cells.emplace_back(std::span<const float>(profile));
    writer_->row(cells);
  }
  void commit() override { writer_->commit(); }

 private:
  bool profiles_;
  std::unique_ptr<io::RowWriter> writer_;
};

/// The files of a bigWig: one, or one for each strand.
std::vector<std::string> track_files(const std::string& output, int64_t strands) {
  if (strands == 1) return {output};
  const std::filesystem::path path = output;
  const auto of = [&](const char* strand) {
    return (path.parent_path() / (path.stem().string() + strand + path.extension().string())).string();
  };
  return {of(".plus"), of(".minus")};
}

/// Windows that come in the order of the genome. Where profiles overlap, each base has the value of the window whose
/// centre is nearer.
class Track : public Sink {
 public:
  Track(const std::vector<std::string>& files, const genome::Genome& genome, int64_t output) : output_(output) {
    for (const auto& contig : genome.contigs()) lengths_[contig.name] = contig.length;
    for (const auto& file : files) writers_.emplace_back(file, genome.contigs());
  }
  void add(const ProfileWindow& window, const ProfilePrediction& prediction) override {
    const bool touches = !values_.empty() && window.genome_contig == held_.genome_contig && window.start < held_.end;
    const int64_t until = touches ? (held_.start + window.start + output_ + 1) / 2 : held_.end;
    flush(until);
    from_ = touches ? until : window.start;
    held_ = window;
    values_ = expected(prediction);
  }
  void commit() override {
    flush(held_.end);
    for (auto& writer : writers_) writer.commit();
  }

 private:
  /// Writes the window that is held, up to a base.
  void flush(int64_t until) {
    if (values_.empty()) return;
    const int64_t first = std::max<int64_t>(0, from_), last = std::min(until, lengths_.at(held_.genome_contig));
    for (size_t strand = 0; strand < writers_.size(); ++strand)
      for (int64_t at = first; at < last; ++at)
        writers_[strand].add(held_.genome_contig, at, at + 1,
                             values_[strand * static_cast<size_t>(output_) + static_cast<size_t>(at - held_.start)],
                             held_.contig);
  }

  int64_t output_, from_ = 0;
  std::map<std::string, int64_t> lengths_;
  std::vector<genome::BigWigWriter> writers_;
  ProfileWindow held_;
  std::vector<float> values_;  // of the window that is held
};

}  // namespace

void predict(const ProfileOptions& options) {
  const auto format = io::format_of(options.output, kProfileFormats);
  const auto folder = model_folder::ProfileFolder::open(options.model);
  const auto& config = folder.config;
  check_part(options.part, folder);
  const bool track = format == io::Format::bigwig;
  const auto files = track ? track_files(options.output, config.strands) : std::vector{options.output};
  const std::vector<std::string> inputs{options.fasta, options.regions, options.genome, folder.weights_path()};
  io::refuse_shared_files(files, inputs);
  io::refuse_outputs_in(files, {folder.path});
  jobs::OutputJob job(options.resume, files, files, model_folder::identity_of(folder.path));
  if (job.is_finished(inputs)) return;
  Windows windows(options, config.window, config.output, track);
  const auto [first, last] = part_of(options, windows);
  windows.skip(first);
  jobs::ScoreJournal* const journal = job.open_journal("windows", kTogether);
  const session::Placement placement(options.run);
  const ProfileNetwork network(folder, placement);
  std::unique_ptr<Sink> sink;
  if (track)
    sink = std::make_unique<Track>(files, windows.genome(), config.output);
  else
    sink = std::make_unique<Rows>(options, format, config,
                                  io::Provenance().add("model", model_folder::name_and_md5(folder.path)));
  log::Progress progress("profile", options.shard.whole() ? windows.total() : static_cast<uint64_t>(last - first),
                         "windows");
  const auto size = static_cast<size_t>(config.strands * config.output + 1);
  uint64_t done = 0;
  jobs::JournalledStream<std::vector<ProfileWindow>>{
      .threads = placement.streams(),
      .journal = journal,
      .first = first / kTogether,
      .read = [&, left = last - first](int64_t, bool recorded) mutable -> std::optional<std::vector<ProfileWindow>> {
        std::vector<ProfileWindow> chunk;
        for (; std::ssize(chunk) < kTogether && left > 0; --left) {
          auto window = windows.next(/*with_bases=*/!recorded);
          if (!window) break;
          chunk.push_back(std::move(*window));
        }
        if (chunk.empty()) return std::nullopt;
        return chunk;
      },
      .size = [&](const auto& chunk) { return size * chunk.size(); },
      .score = [&](const auto& chunk) { return score(chunk, network, options); },
      .write =
          [&](const auto& chunk, const std::vector<float>& values) {
            for (auto from = values.begin(); const auto& window : chunk) {
              const auto end = from + static_cast<int64_t>(size) - 1;
              sink->add(window, {{from, end}, *end});
              from = end + 1;
            }
            return done += chunk.size();
          }}
      .run(progress);
  sink->commit();
  job.finish();
  log::info(counted(done, "window"), " of ", config.window, " bp");
}

}  // namespace bigdna::profile
