#include "apps/options/run_options.h"
#include "apps/options/train.h"
#include "io/output.h"
#include "profile/train.h"
#include "profile/train_sequences.h"

namespace bigdna::apps {
namespace {

template <class Options>
void train(const Options& options, std::string (*run)(const profile::TrainOptions&)) {
  auto settings = options.train;
  settings.output = options.folder.output;
  settings.existing = options.folder.existing();
  settings.seed = options.common.seed;
  settings.baseline = !options.no_baseline;
  settings.run = run_options(options.common, options.run);
  io::Output out("-");
  out << run(settings);
  out.commit();
}

}  // namespace

void run(const TrainChromatinOptions& options) { train(options, profile::train); }
void run(const TrainPromoterOptions& options) { train(options, profile::train_sequences); }
void run(const TrainTableOptions& options) { train(options, profile::train_sequences); }

}  // namespace bigdna::apps
