/// What fuzz_readers does with damaged files: each function reads what a command reads. An Error is fine.
#pragma once

#include <string>

#include "base/error.h"
#include "coverage/track.h"
#include "io/job.h"
#include "io/manifest.h"

namespace bigdna::fuzz {

inline bool errors_expected = true;

/// Goes on with the next part where one is refused.
template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const Error&) {
    if (!errors_expected) throw;
  }
}

void read_fasta(const std::string& path);
void read_genome(const std::string& path);
void read_bed(const std::string& path);
void read_sites(const std::string& path);
void read_variants(const std::string& folder, const std::string& path, bool by_region);
void read_vocabulary(const std::string& path);
/// What the commands do with a model, on one short sequence.
void read_model(const std::string& path);
void read_corpus(const std::string& path);
void build_chromatin(const std::string& folder);
void build_tracks(const std::string& folder);
/// A file of reads, fragments or signal, with what else is read for the table; `sizes`: the lengths of contigs.
void read_coverage(const std::string& folder, const std::string& file, const std::string& sizes,
                   const coverage::TrackOptions& track = {});
void build_deepsea(const std::string& folder);
/// HDF5 as MATLAB 7.3 files are read, from a file of predictions: not all of its values are bytes.
void read_hdf5(const std::string& path);
void build_table(const std::string& folder, const std::string& path);
void build_promoters(const std::string& folder);
/// A column of labels: each line is one.
void read_labels(const std::string& text);
/// The input of predictions.
void read_sequences(const std::string& path);
io::Job job();
/// Writes a journal, damages it, and reads it.
void read_journal(const std::string& folder, const std::string& text);
std::string journal_text();
void read_checkpoint(const std::string& folder);

template <class Dataset>
void read_dataset(const std::string& path) {
  attempt([&] { io::manifest_of_folder(path); });
  attempt([&] { io::is_complete(path, "dataset"); });
  Dataset::open(path);
}

}  // namespace bigdna::fuzz
