#include "apps/options/merge.h"

#include "apps/options/option.h"
#include "base/error.h"

namespace bigdna::apps {

void MergeOptions::visit(OptionList& visit) {
  visit(merge.parts, "parts",
        "The same output of every part, in any order, each next to its record PART.options.json: TSV, BED, VCF, BCF, "
        "HDF5, bigWig, the JSON of --counts, or folders of tracks (chromatin --bigwig)")
      .type("PART...")
      .required();
  visit(merge.output, "-o,--output", "The joined output, in the format of the parts; - is stdout (text)")
      .type("FILE|DIR")
      .required();
  visit(merge.write_index, "--write-index",
        "Also write an index (.csi) of a .vcf.gz or .bcf output, whose records must be sorted");
  common.visit(visit);
}

void MergeOptions::finish(const OptionList&) const {
  if (merge.write_index && !io::has_suffix(merge.output, {".vcf.gz", ".bcf"}))
    throw UsageError("--write-index: only for .vcf.gz and .bcf");
}

std::string MergeOptions::details() {
  return "The columns are the same as in the parts. It is an error if a part is missing, is given twice, has "
         "changed\nsince it was written, or comes from another job: another model, input, option, version or division.";
}

}  // namespace bigdna::apps
