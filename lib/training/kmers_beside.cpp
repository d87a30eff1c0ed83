#include "training/kmers_beside.h"

#include "evaluation/baseline_methods.h"
#include "linear/kmer_fit.h"
#include "model_folder/model_folder.h"

namespace bigdna::training {

KmersBeside::KmersBeside(const rows::TaskRows& rows, session::Strands strands, int threads)
    : TermBeside(rows),
      strands_(strands),
      threads_(threads),
      alone_(evaluation::fitted_kmers(rows, linear::kmer_counts(rows),
                                      /*reversed=*/strands == session::Strands::average, threads)) {}

std::vector<float> KmersBeside::logits_of(const models::KmerModel& model, const Rows& rows) const {
  return evaluation::kmer_logits(model, rows_, rows, strands_, threads_);
}

void KmersBeside::placed() {
  models::KmerModel model = alone_.model;
  for (size_t f = 0; f < model.labels(); ++f) {
    model.rescale(f, place()->scale[f], place()->shift[f]);
    model.base_weight[f] = static_cast<float>(place()->base_weight[f]);
  }
  beside_ = std::move(model);
}

void KmersBeside::write(const std::string& folder, io::Manifest& manifest) const {
  const auto add = [&](const models::KmerModel& model, const char* file) {
    model.save(folder + "/" + file);
    manifest.add_file(folder, file);
  };
  add(alone_.model, model_folder::kKmerBaselineFile);
  if (!place()) return;
  add(*beside_, model_folder::kKmersFile);
  manifest.details["kmer_share"] = place()->share;
}

}  // namespace bigdna::training
