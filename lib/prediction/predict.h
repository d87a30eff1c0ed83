/// Predictions: FASTA records or regions in, rows out, in input order and bounded memory whatever the
/// threads.
#pragma once

#include "prediction/predict_options.h"
#include "prediction/variant_options.h"

namespace bigdna::prediction {

/// "#chrom start end name score strand call [seen]", a row a tile (or a record's best tile), or BED6 of the
/// called ones.
void predict_promoter(const PredictPromoterOptions& options);

/// "#chrom start end name score strand [the input's further columns] [seen] feature ...", a row a region.
void predict_chromatin(const PredictChromatinOptions& options);

/// The records of a VCF or BCF file with what each alternative allele does to the model's output.
void predict_variants(const VariantOptions& options);

}  // namespace bigdna::prediction
