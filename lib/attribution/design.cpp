#include "attribution/design.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "attribution/design_search.h"
#include "attribution/explain_sites.h"
#include "attribution/insertion_model.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "genome/alphabet.h"
#include "genome/fasta_writer.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "model_folder/model_folder.h"
#include "plot/svg.h"
#include "session/stream.h"

namespace bigdna::attribution {
namespace {

constexpr int64_t kEditedTogether = 64;  // sequences of one call, whatever the number of threads

/// The goal in terms of the model's outputs, which are all that it has.
DesignGoal goal_of(const DesignOptions& options, const InsertionModel& model) {
  DesignGoal goal{.keep_weight = options.keep_weight};
  const struct {
    const char* option;
    const std::string& patterns;
    std::vector<size_t>& outputs;
  } groups[] = {{"--raise", options.raise, goal.raised},
                {"--lower", options.lower, goal.lowered},
                {"--keep", options.keep, goal.kept}};
  std::vector<const char*> owner(model.outputs().labels.size());
  for (const auto& [option, patterns, outputs] : groups) {
    if (patterns.empty()) continue;
    for (const int64_t label : model.choose(patterns, option)) {
      const auto output = static_cast<size_t>(label);
      if (owner[output])
        throw UsageError(
            concat(model.outputs().names[output], ": ", owner[output], " and ", option, " both choose it"));
      owner[output] = option;
      outputs.push_back(output);
    }
  }
  return goal;
}

/// Positions of a site that may be edited.
DesignSpace space_of(const Site& site) {
  DesignSpace space{site.window, {}};
  for (int64_t i = 0; i < site.count; ++i)
    if (genome::base_code(site.base(i)) >= 0) space.positions.push_back(site.first + i);
  return space;
}

/// "G1234A,C1240T": 1-based positions of the contig or record.
std::string text_of(const Site& site, const Substitutions& substitutions) {
  std::string text;
  for (const auto& [position, base] : substitutions)
    text += concat(text.empty() ? "" : ",", site.window[static_cast<size_t>(position)],
                   site.window_start + position + 1, base);
  return text.empty() ? "." : text;
}

/// A site's search: its steps, and the chance level of each.
struct Trajectory {
  std::vector<DesignStep> steps;
  std::vector<double> chance;
};

Trajectory trajectory_of(const DesignOptions& options, const DesignSearch& search, const DesignSpace& space,
                         uint64_t number) {
  Rng rng(options.seed, 2 * number);
  const int64_t most = std::min(options.edits, std::ssize(space.positions));
  Trajectory found{options.evolve ? search.evolve(space, most, options.population, options.generations, rng)
                                  : search.greedy(space, most),
                   {}};
  // Steps with the same number of substitutions have the same chance level.
  std::map<int64_t, double> by_count{{0, 0.}};
  for (const auto& step : found.steps) {
    const auto count = std::ssize(step.substitutions);
    if (!by_count.contains(count)) {
      Rng drawn(mix({options.seed, number}), static_cast<uint64_t>(2 * count + 1));
      by_count[count] = search.chance(space, count, options.random, drawn);
    }
    found.chance.push_back(by_count[count]);
  }
  return found;
}

/// The table of steps.
class Steps {
 public:
  Steps(const DesignOptions& options, const InsertionModel& model, const DesignGoal& goal) {
    for (const auto* outputs : {&goal.raised, &goal.lowered, &goal.kept})
      shown_.insert(shown_.end(), outputs->begin(), outputs->end());
    std::ranges::sort(shown_);
    io::OutputTable table;
    table.name = "design";
    table.provenance = io::Provenance().add("model", model_folder::name_and_md5(model.path()));
    for (const char* name : {"name", "contig", "step", "edits", "substitutions"}) table.columns.push_back({name});
    for (const char* name : {"value", "chance"}) table.columns.push_back({name, {}, io::Digits::six});
    std::vector<std::string> changes;
    for (const size_t output : shown_) changes.push_back(concat("change:", model.outputs().names[output]));
    table.columns.push_back({"change:FEATURE", std::move(changes), io::Digits::six});
    writer_ = io::make_row_writer(options.table, io::Format::tsv, std::move(table));
  }
  void add(const Site& site, const Trajectory& found) {
    for (size_t i = 0; i < found.steps.size(); ++i) {
      const auto& step = found.steps[i];
      const std::string text = text_of(site, step.substitutions);
      std::vector<float> changes;
      for (const size_t output : shown_) changes.push_back(step.changes[output]);
      const float value = static_cast<float>(step.value), chance = static_cast<float>(found.chance[i]);
      const std::vector<io::Cell> cells{
          std::string_view(site.name),        std::string_view(site.contig),  static_cast<int64_t>(i),
          std::ssize(step.substitutions),     std::string_view(text),         std::span<const float>(&value, 1),
          std::span<const float>(&chance, 1), std::span<const float>(changes)};
      writer_->row(cells);
    }
  }
  void commit() { writer_->commit(); }

 private:
  std::vector<size_t> shown_;  // the outputs of the goal
  std::unique_ptr<io::RowWriter> writer_;
};

/// The mean over sequences, of which each stays at its last step once its search has ended.
class Picture {
 public:
  void add(const Trajectory& found) { all_.push_back(found); }
  void write(const DesignOptions& options) const {
    size_t steps = 0;
    for (const auto& one : all_) steps = std::max(steps, one.steps.size());
    plot::Series value{.name = "designed", .x = {}, .y = {}},
        chance{.name = "as many random substitutions", .x = {}, .y = {}, .dashed = true};
    for (size_t i = 0; i < steps; ++i) {
      double sum = 0, chance_sum = 0;
      for (const auto& one : all_) {
        const size_t at = std::min(i, one.steps.size() - 1);
        sum += one.steps[at].value;
        chance_sum += one.chance[at];
      }
      const auto count = static_cast<double>(all_.size());
      for (auto* series : {&value, &chance}) series->x.push_back(static_cast<double>(i));
      value.y.push_back(sum / count);
      chance.y.push_back(chance_sum / count);
    }
    plot::Chart chart;
    chart.title = all_.size() == 1 ? "Design" : concat("Design, mean of ", all_.size(), " sequences");
    chart.x.label = options.evolve ? "generation" : "step";
    chart.y.label = "value";
    chart.series = {value, chance};
    io::write_file(options.picture, plot::svg({chart}));
  }

 private:
  std::vector<Trajectory> all_;
};

/// The window with the last step's substitutions. Of a region all of it, N past the contig's ends, so that its middle
/// is the region's; of a record, whose middle it is anyway, what lies in the record.
void write_design(io::Output& output, const Site& site, const Trajectory& found, bool is_record) {
  const auto& step = found.steps.back();
  const int64_t start = std::max<int64_t>(0, site.window_start),
                end = std::min(site.length, site.window_start + std::ssize(site.window));
  std::string bases = substituted(site.window, step.substitutions);
  if (is_record) bases = bases.substr(static_cast<size_t>(start - site.window_start), static_cast<size_t>(end - start));
  const auto four_digits = [](double number) { return std::round(number * 1e4) / 1e4; };
  genome::write_fasta_record(output,
                             concat(site.name, " bases=", start + 1, "-", end, " edits=", step.substitutions.size(),
                                    " value=", four_digits(step.value), " chance=", four_digits(found.chance.back()),
                                    " substitutions=", text_of(site, step.substitutions)),
                             bases);
}

}  // namespace

void design(const DesignOptions& options) {
  const auto model = open_insertion_model(options.model, /*features=*/"", options.part, options.run);
  const auto goal = goal_of(options, *model);
  io::refuse_shared_files({options.output, options.table, options.picture},
                          {options.input.fasta, options.input.regions, options.input.genome});
  io::refuse_outputs_in({options.output, options.table, options.picture}, {model->path()});
  Sites sites(options.input, options.around, model->tiling());
  const session::Placement placement(options.run);
  model->load(placement);

  const size_t outputs = model->outputs().labels.size();
  const DesignSearch search(goal, outputs, [&](const std::string& bases, std::span<const std::string> edited) {
    return session::in_chunks(
        edited, static_cast<int64_t>(outputs), placement.streams(),
        [&](std::span<const std::string> some) { return model->changes(bases, some); }, kEditedTogether);
  });
  io::Output output(options.output);
  std::optional<Steps> table;
  if (!options.table.empty()) table.emplace(options, *model, goal);
  Picture picture;
  log::Progress progress("design", sites.expected(), "sequences");
  int64_t done = 0, unchanged = 0;
  double value = 0, chance = 0;
  while (const auto site = sites.next()) {
    const auto found = trajectory_of(options, search, space_of(*site), static_cast<uint64_t>(done));
    write_design(output, *site, found, !options.input.fasta.empty());
    if (table) table->add(*site, found);
    if (!options.picture.empty()) picture.add(found);
    unchanged += found.steps.back().substitutions.empty();
    value += found.steps.back().value;
    chance += found.chance.back();
    progress.update(static_cast<uint64_t>(++done));
  }
  if (done == 0)
    fail(options.input.fasta.empty() ? options.input.regions : options.input.fasta, ": has no sequence to edit");
  output.commit();
  if (table) table->commit();
  if (!options.picture.empty()) picture.write(options);
  if (sites.cut())
    log::warn(counted(sites.cut(), "interval"), " reached past the ", sites.window(),
              " bp that the model reads; the ends were not edited");
  if (unchanged) log::warn(counted(unchanged, "sequence"), " stayed unchanged: no substitution raises the value");
  log::info(counted(done, "sequence"), ": mean value ", value / static_cast<double>(done),
            ", with as many random substitutions ", chance / static_cast<double>(done));
}

}  // namespace bigdna::attribution
