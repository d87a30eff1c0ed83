/// Reads what bigdna wrote into items of a report. Each function adds what it finds; errors name file and line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/table.h"

namespace bigdna::report {

/// A run, corpus, dataset, vocabulary or model folder, one of an evaluation (with metrics.tsv), or a file: metrics,
/// scores and features of an evaluation, its JSON, predictions, variants. Error naming the path if it is missing,
/// empty, or nothing that bigdna wrote.
/// `motifs`: effects of filters, whose logos come in the order of these.
Item read_item(const std::string& path, const decltype(Item::motifs)& motifs = {});

/// Likewise of several paths, each with a name of its own: the path where two of its last parts are the same.
/// UsageError for a path that is given twice.
std::vector<Item> read_items(const std::vector<std::string>& paths);

/// Of a folder that has them: the learning curves of metrics.jsonl, also of those of the networks of a `train` run.
/// `kept`: the step whose parameters were kept; -1 if that is not known.
void add_training(Item& item, const std::string& folder, int64_t kept);

/// Metrics of methods with intervals (metrics.tsv), of each feature (features.tsv).
void add_metrics(Item& item, Table& table);
void add_group_metrics(Item& item, Table& table);
/// Of tracks (tracks.tsv): of all bins.
void add_track_metrics(Item& item, Table& table);
/// Accuracy where cells differ (cells.tsv).
void add_cells(Item& item, Table& table);
void add_mlm_metrics(Item& item, Table& table);
void add_mlm_copies(Item& item, Table& table);
/// Of pipelines/compare.sh: a section for each measure.
void add_comparison(Item& item, Table& table);
/// Of several outputs it also says what the item's metrics, which come before, are the means of.
void add_features(Item& item, Table& table);
/// What a figure of several outputs is: "mean of 2 of 3 outputs; y has no value". `missing`: the others' names, if they
/// are known.
std::string averaged(const char* how, size_t scored, size_t all, const std::string& outputs,
                     const std::vector<std::string>& missing = {});
/// Metrics from the JSON of an evaluation.
void add_metrics(Item& item, const Json& json);

inline constexpr size_t kMostOutputs = 24;  // of these add_scores() draws all
/// Rows with labels and each method's scores: ROC, precision and recall, calibration, confusion, distributions, or
/// predicted against measured numbers. Of more than kMostOutputs outputs some are drawn, evenly spaced. Areas and
/// thresholds are the item's figures, if it has them.
void add_scores(Item& item, Table& table);

/// dataset.json, corpus.json, vocabulary.json and the tables beside them.
void add_dataset(Item& item, const std::string& folder, const Json& details);
void add_corpus(Item& item, const Json& details);
void add_vocabulary(Item& item, const std::string& folder);
/// Where training and held-out sequence lies, which manifests of corpora and models record.
void add_regions(Item& item, const Json& details);

/// Intervals with predictions: tracks, counts by contig, distributions.
void add_predictions(Item& item, Table& table);

/// What each base contributes: of explain.
void add_contributions(Item& item, Table& table);

/// Of motifs: filters by effect, and the known motifs that they resemble (--matches). Of marginalize: motifs that were
/// inserted, alone and in pairs. Of design and haplotypes: sequences that differ from the reference.
void add_motifs(Item& item, Table& table);
void add_de_novo(Item& item, Table& table);
void add_hits(Item& item, Table& table);
void add_matches(Item& item, Table& table);
void add_marginal_effects(Item& item, Table& table);
void add_design(Item& item, Table& table);
void add_haplotypes(Item& item, Table& table);

/// The ranked table of variants.
void add_ranked(Item& item, Table& table);
/// Effects of alleles, as TSV and as VCF or BCF.
void add_variants(Item& item, Table& table);
void add_variants(Item& item, const std::string& vcf);

}  // namespace bigdna::report
