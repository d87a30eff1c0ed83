/// The one table of commands: a type list. A command is an Options struct (its name, summary, options and checks,
/// apps/options/NAME.h) and a function run(const Options&) in apps/data or apps/model.
#pragma once

#include <tuple>

#include "apps/options/convert.h"
#include "apps/options/corpus.h"
#include "apps/options/coverage.h"
#include "apps/options/dataset_chromatin.h"
#include "apps/options/dataset_profile.h"
#include "apps/options/dataset_promoter.h"
#include "apps/options/dataset_table.h"
#include "apps/options/design.h"
#include "apps/options/doctor.h"
#include "apps/options/embed.h"
#include "apps/options/evaluate.h"
#include "apps/options/evaluate_mlm.h"
#include "apps/options/explain.h"
#include "apps/options/fill.h"
#include "apps/options/finetune.h"
#include "apps/options/haplotypes.h"
#include "apps/options/info.h"
#include "apps/options/liftover.h"
#include "apps/options/likelihood.h"
#include "apps/options/marginalize.h"
#include "apps/options/merge.h"
#include "apps/options/motifs.h"
#include "apps/options/predict.h"
#include "apps/options/pretrain.h"
#include "apps/options/profile.h"
#include "apps/options/report.h"
#include "apps/options/sample.h"
#include "apps/options/tokenize.h"
#include "apps/options/train.h"
#include "apps/options/variants.h"
#include "apps/options/vocab.h"

namespace bigdna::apps {

using Commands =
    std::tuple<VocabOptions, TokenizeOptions, CorpusOptions, PretrainOptions, DatasetPromoterOptions,
               DatasetChromatinOptions, DatasetProfileOptions, DatasetTableOptions, FinetuneOptions, TrainOptions,
               EvaluateOptions, EvaluateMlmOptions, PredictPromoterOptions, ChromatinOptions, PredictOptions,
               ProfileOptions, VariantsOptions, HaplotypesOptions, ExplainOptions, MotifsOptions, MarginalizeOptions,
               DesignOptions, EmbedOptions, LikelihoodOptions, SampleOptions, FillOptions, MergeOptions,
               CoverageOptions, LiftoverOptions, ConvertOptions, InfoOptions, ReportOptions, DoctorOptions>;

}  // namespace bigdna::apps
