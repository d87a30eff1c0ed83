#include "profile/predict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/bigwig.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "model_folder/model_folder.h"
#include "profile/network.h"
#include "profile/windows.h"
#include "session/stream.h"

namespace bigdna::profile {
namespace {

constexpr size_t kTogether = 8;  // windows

struct Predicted {
  std::vector<ProfileWindow> windows;
  std::vector<ProfilePrediction> predictions;
};

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
                          .provenance = std::move(provenance)};
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
  io::refuse_shared_files(files, {options.fasta, options.regions, options.genome, folder.weights_path()});
  io::refuse_outputs_in(files, {folder.path});
  Windows windows(options, config.window, config.output, track);
  const session::Placement placement(options.run);
  const ProfileNetwork network(folder, placement);
  std::unique_ptr<Sink> sink;
  if (track)
    sink = std::make_unique<Track>(files, windows.genome(), config.output);
  else
    sink = std::make_unique<Rows>(options, format, config,
                                  io::Provenance().add("model", model_folder::name_and_md5(folder.path)));
  log::Progress progress("profile", windows.total(), "windows");
  uint64_t done = 0;
  session::stream(
      placement.streams(),
      [&]() -> std::optional<Predicted> {
        Predicted group;
        while (group.windows.size() < kTogether) {
          auto window = windows.next();
          if (!window) break;
          group.windows.push_back(std::move(*window));
        }
        if (group.windows.empty()) return std::nullopt;
        return group;
      },
      [&](Predicted&& group) {
        for (const auto& window : group.windows)
          group.predictions.push_back(network.predict(window.bases, options.part, options.strands));
        return std::move(group);
      },
      [&](Predicted&& group) {
        for (size_t i = 0; i < group.windows.size(); ++i) sink->add(group.windows[i], group.predictions[i]);
        progress.update(done += group.windows.size());
      });
  sink->commit();
  log::info(counted(done, "window"), " of ", config.window, " bp");
}

}  // namespace bigdna::profile
