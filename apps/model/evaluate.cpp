#include <algorithm>
#include <memory>
#include <optional>

#include "apps/options/evaluate.h"
#include "apps/options/run_options.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "evaluation/baseline_methods.h"
#include "evaluation/table_header.h"
#include "evaluation/verdict.h"
#include "rows/dataset_rows.h"
#include "genome/alphabet.h"
#include "genome/contigs.h"
#include "io/output.h"
#include "io/side_file.h"
#include "model_folder/model_folder.h"
#include "models/predictor.h"
#include "profile_training/evaluate_profiles.h"

namespace bigdna::apps {

namespace {
/// A model (or an ensemble) with the dataset's rows in its intervals.
struct Candidate {
  std::unique_ptr<models::Predictor> predictor;
  rows::TaskRows data;
  std::vector<size_t> places;         // of each of the dataset's features: its index in the model
  session::Strands trained, strands;  // how the model read its training rows, and how it reads these

  Candidate(const EvaluateOptions& options, const std::string& model, const std::vector<std::string>& others)
      : predictor(std::make_unique<models::Predictor>(
            models::Ensemble(model, others, options.task, run_options(options.common, options.run)))) {
    const auto& details = predictor->models().details();
    const auto& task = dataset::task_of(options.task);
    const auto strands_for = [&](std::optional<session::Strands> asked) {
      return task.site == dataset::Task::Site::start ? details.site_strands(asked, /*scan=*/false)
                                                     : asked.value_or(details.strands);
    };
    trained = strands_for({});
    strands = strands_for(options.strands);
    data = rows::task_rows(task, options.dataset, options.genome, details.upstream, details.downstream);
    if (data.both_strands() && data.bin != details.bin)
      fail(options.dataset, ": its bins have ", data.bin, " bp, and the bins of the model ", model, " have ",
           details.bin);
    const int64_t before = details.upstream + details.context, after = details.downstream + details.context;
    if (task.site == dataset::Task::Site::start && (data.upstream != before || data.downstream != after)) {
      log::warn(options.dataset, ": intervals of -", data.upstream, "/+", data.downstream, " bp, but the model ", model,
                " reads -", before, "/+", after, " around a start site; bases that an example lacks are N");
      // otherwise the model would take another base for the start site
      data.bases = [rows = data.bases, site = data.upstream, before, after](int64_t row) {
        return genome::padded(rows(row), site - before, site + after);
      };
      data.upstream = before;
      data.downstream = after;
    }
    if (task.calls && data.chosen_by_label && !details.chosen_by_label)
      log::warn(options.dataset, ": its examples were chosen by their labels, but the probabilities of the model ",
                model,
                " hold for a whole genome, where positives are rarer. So it calls few positives, and only AUROC and "
                "AUPRC are informative here");
    const auto& features = predictor->models().features();
    const bool whole = task.site == dataset::Task::Site::whole;  // outputs belong together
    if (!whole) keep_kinds(data, options.dataset, model);
    if (whole && data.features.front().group != features.front().group)
      fail(options.dataset, ": its labels are ", data.features.front().group, ", but the labels of the model ", model,
           " are ", features.front().group);
    places = dataset::match_features(data.features, "the dataset " + options.dataset, features, "the model " + model);
    if (whole && places.size() != features.size())
      fail(options.dataset, ": lacks some of the ", counted(features.size(), "output"), " of the model ", model);
    if (places.size() != features.size())
      log::info(model, ": ", counted(features.size() - places.size(), "feature"), " of the model for which ",
                options.dataset, " has no labels are left out");
  }

  /// Leaves out labels, or tracks, of which the model predicts none.
  void keep_kinds(rows::TaskRows& rows, const std::string& dataset, const std::string& model) const {
    std::vector<int64_t> kept;
    for (int64_t f = 0; f < rows.labels(); ++f)
      if (std::ranges::any_of(predictor->models().features(), [&](const auto& feature) {
            return feature.kind == rows.features[static_cast<size_t>(f)].kind;
          }))
        kept.push_back(f);
    const int64_t left_out = rows.labels() - std::ssize(kept);
    if (left_out == 0) return;
    const bool tracks =
        rows.features.back().kind == dataset::FeatureKind::counts && (kept.empty() || kept.back() + 1 < rows.labels());
    if (kept.empty())
      fail(dataset, ": has ", tracks ? "tracks" : "labels", " only, and the model ", model, " predicts none");
    log::warn(dataset, ": its ",
              counted(left_out, tracks ? "track is" : "label is", tracks ? "tracks are" : "labels are"),
              " left out: the model ", model, " predicts none");
    rows.keep_features(kept);
  }

  void warn_of_lengths(const std::vector<int64_t>& rows) const {
    const auto& lengths = predictor->models().details().lengths;
    int64_t too_short = 0, too_long = 0;
    for (const int64_t row : rows) {
      const int64_t bp = data.regions[static_cast<size_t>(row)].length();
      too_short += lengths.too_short(bp);
      too_long += lengths.too_long(bp);
    }
    lengths.warn(too_short, too_long, std::ssize(rows), "example");
  }

  /// What `score` gives for the rows, in order; the bases of a few thousand of them are in memory at a time.
  std::vector<float> in_parts(const std::vector<int64_t>& rows, const auto& score) const {
    constexpr int64_t kRows = 8192;
    std::vector<float> all;
    for (auto first = rows.begin(), last = first; first != rows.end(); first = last) {
      last = first + std::min(kRows, rows.end() - first);
      const auto values = in_order(score(data.bases_of({first, last})));
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  /// Row-major [rows, features of the dataset] of [rows, features of the model].
  std::vector<float> in_order(const std::vector<float>& values) const {
    const size_t width = predictor->models().features().size();
    std::vector<float> ordered;
    for (size_t row = 0; row < values.size(); row += width)
      for (const size_t place : places) ordered.push_back(values[row + place]);
    return ordered;
  }

  evaluation::Method method(const std::string& name) const {
    return {name,
            [this](const std::vector<int64_t>& rows) {
              return in_parts(rows, [&](const auto& bases) { return predictor->score_all(bases, strands); });
            },
            predictor->models().details().threshold};
  }

  evaluation::Method baseline(const std::string& name) const {
    return {name,
            [=, this](const std::vector<int64_t>& rows) {
              return in_parts(rows, [&](const auto& bases) { return predictor->score_baseline(name, bases, strands); });
            },
            predictor->baseline_threshold(name)};
  }
};

/// How many rows a model was trained on. Warns of them, and of another assembly.
int64_t count_seen(const Candidate& candidate, const std::string& model, const std::vector<int64_t>& rows) {
  const auto& models = candidate.predictor->models();
  const auto training = models.training_intervals();
  genome::warn_of_other_genome(training, model, candidate.data.contigs, candidate.data.folder);
  const int64_t met = candidate.data.count_seen(training, models.training_sequences(), rows);
  if (met > 0)
    log::warn(met, " of ", counted(rows.size(), "example"), met == 1 ? " is" : " are",
              " in the model's training data (", model, ")");
  return met;
}

/// The folder's own name, once: it is neither another method's, nor that of the difference of the first and another.
std::string name_of(const std::string& model, const std::vector<evaluation::Method>& before) {
  std::string name = model_folder::name_of(model);
  const auto less = [first = before.front().name](const std::string& other) { return concat(first, '-', other); };
  while (std::ranges::any_of(before, [&](const auto& method) {
    return method.name == name || less(method.name) == name || less(name) == method.name;
  }))
    name += "'";
  return name;
}

/// Error if the outputs are one file, stdout (the table goes there), an input, or in a folder that is read.
void check_outputs(const EvaluateOptions& options) {
  const std::vector<std::string> outputs{options.features, options.picture, options.json,
                                         options.scores,   options.report,  "-"};
  io::refuse_shared_files(outputs, {options.genome});
  std::vector<std::string> folders{options.dataset, model_folder::model_in(options.model)};
  for (const auto& models : {options.ensemble, options.compare})
    for (const auto& model : models) folders.push_back(model_folder::model_in(model));
  io::refuse_outputs_in(outputs, folders);
}

/// A profile model.
evaluation::Evaluation evaluate_profiles(const EvaluateOptions& options) {
  if (!options.report.empty()) evaluation::make_report_folder(options.report);
  io::SideFile json(options.json);
  evaluation::EvaluationOptions settings;
  settings.split = dataset::split_of_name(options.split).value();
  settings.strands = options.strands.value_or(session::Strands::forward);
  settings.resamples = options.resamples;
  settings.seed = options.common.seed;
  settings.threads = options.common.threads;
  auto result = profile_training::evaluate_model(options.model, options.dataset, options.genome, !options.no_baseline,
                                                 run_options(options.common, options.run), settings);
  json.write(result.json.dump(2) + "\n");
  if (!options.report.empty()) evaluation::write_report(result, options.report);
  return result;
}

evaluation::Evaluation evaluate(const EvaluateOptions& options) {
  if (dataset::task_of(options.task).profiles) return evaluate_profiles(options);
  const bool reports = !options.report.empty();
  if (reports) evaluation::make_report_folder(options.report);
  io::SideFile json(options.json),
      scores(reports && options.scores.empty() ? options.report + "/scores.tsv.gz" : options.scores);
  const Candidate first(options, options.model, options.ensemble);
  std::vector<Candidate> others;
  for (const auto& model : options.compare) others.emplace_back(options, model, std::vector<std::string>{});

  evaluation::EvaluationOptions settings;
  settings.split = *dataset::split_of_name(options.split);
  settings.strands = first.strands;
  settings.resamples = options.resamples;
  settings.seed = options.common.seed;
  settings.threads = options.common.threads;
  settings.scores = scores.output();
  if (!options.scores.empty()) settings.scores_header = options.common.header;
  if (reports) settings.run = evaluation::sample_name(options.report);
  settings.provenance = first.predictor->models().provenance();
  for (const auto& other : others) {
    const io::Provenance provenance = other.predictor->models().provenance();
    for (const auto& [key, value] : provenance.entries())
      if (key == "model") settings.provenance.add("compared_model", value);
  }
  const auto rows = first.data.of(settings.split);
  settings.seen = count_seen(first, options.model, rows);
  for (size_t i = 0; i < others.size(); ++i) count_seen(others[i], options.compare[i], rows);

  first.warn_of_lengths(rows);
  first.predictor->load(/*with_baselines=*/!options.no_baseline);
  std::vector<evaluation::Method> methods{first.method("bigdna")};
  std::optional<rows::TaskRows> bins;  // the same rows without context, for k-mers
  if (!options.no_baseline) {
    const auto names = first.predictor->baselines();
    for (const auto& name : names) methods.push_back(first.baseline(name));
    if (std::ranges::find(names, "kmers") == names.end() && !options.refit_kmers)
      log::warn(options.model, ": comes without k-mers to compare it with",
                first.data.of(dataset::Split::train).empty()
                    ? ", and the dataset has no training examples to fit k-mers to"
                    : " (--refit-kmers fits k-mers to the dataset's training examples)");
  }
  if (options.refit_kmers) {
    if (first.data.of(dataset::Split::train).empty())
      fail(options.dataset, ": the train split is empty, so --refit-kmers has nothing to fit k-mers to");
    const log::Progress stage("--refit-kmers");
    methods.push_back(evaluation::refitted_kmers(first.data, first.trained, first.strands, options.common.threads));
    if (first.data.upstream + first.data.downstream > 0 && first.data.both_strands()) {
      bins.emplace(rows::chromatin_rows(options.dataset, options.genome, 0, 0));
      if (bins->labels() != first.data.labels()) first.keep_kinds(*bins, options.dataset, options.model);
      methods.push_back(evaluation::refitted_kmers(*bins, first.trained, first.strands, options.common.threads));
      methods.back().name += "-bin";
    }
    if (first.data.by_type().back().type == dataset::LabelType::counts) {
      methods.push_back(evaluation::gc_content(first.data, first.strands, options.common.threads));
      if (std::ranges::find(methods, "constant", &evaluation::Method::name) == methods.end())
        methods.push_back(evaluation::constant(first.data));
    }
  }
  for (size_t i = 0; i < others.size(); ++i) {
    others[i].predictor->load();
    methods.push_back(others[i].method(name_of(options.compare[i], methods)));
  }
  auto result = evaluation::evaluate(first.data, methods, settings);
  json.write(result.json.dump(2) + "\n");
  if (reports) evaluation::write_report(result, options.report);
  first.predictor->models().report_truncated();
  for (const auto& other : others) other.predictor->models().report_truncated();
  return result;
}
}  // namespace

void run(const EvaluateOptions& options) {
  check_outputs(options);
  io::SideFile features(options.features), picture(options.picture);
  const auto result = evaluate(options);
  const auto header = options.common.header;
  features.write(evaluation::with_header(result.feature_table, header));
  if (!options.picture.empty()) picture.write(result.report.at("metrics.svg"));
  io::Output out("-");
  out << evaluation::with_header(result.table, header);
  if (result.track_table != result.table) out << evaluation::with_header(result.track_table, header);
  out.commit();
  evaluation::log_verdicts(result.table);
}

}  // namespace bigdna::apps
