#include "apps/options/liftover.h"

#include "apps/options/checks.h"

namespace bigdna::apps {

void LiftoverOptions::define(CLI::App& app) {
  app.add_option("input", input, "BED file, plain or compressed; - is stdin")->required()->type_name("BED");
  app.add_option("--chain", chain, "UCSC chain file from the input's assembly to the wanted one, plain or compressed")
      ->required()
      ->type_name("CHAIN");
  app.add_option("-o,--output", output, "Lifted records with all their columns, in the order of the input; - is stdout")
      ->type_name("BED")
      ->capture_default_str();
  app.add_option("--unmapped", unmapped,
                 "Records that were not lifted, each after a line with the reason: #Deleted in new, #Partially deleted in new, "
                 "#Split in new, #Duplicated in new, #Empty region")
      ->type_name("BED");
  app.add_option("--min-match", min_match, "Share of a record's bases that one chain must align")
      ->check(between(0.0, 1.0))
      ->capture_default_str();
  common.define(app);
}

}  // namespace bigdna::apps
