#include "readers.h"

#include <algorithm>
#include <filesystem>

#include "actions.h"
#include "dataset/chromatin_dataset.h"
#include "dataset/profile_dataset.h"
#include "dataset/promoter_dataset.h"
#include "dataset/table_dataset.h"
#include "genome/bigwig_values.h"
#include "genome/chain.h"
#include "genome/contigs.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "genome/region_string.h"
#include "io/job.h"
#include "merge/merge.h"
#include "motif/files.h"
#include "profile/convert.h"
#include "report/readers.h"
#include "variants/effects.h"

namespace bigdna::fuzz {

void expect_no_errors() { errors_expected = false; }

std::vector<Reader> readers() {
  std::vector<Reader> all;
  const auto add = [&](const std::string& name, std::vector<std::string> files, std::vector<std::string> damaged,
                       std::function<void(const std::string&)> read) {
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    all.push_back({name, std::move(files), std::move(damaged), std::move(read)});
  };
  for (const std::string file : {"g.fa", "g.fa.gz", "plain.fa.gz", "g.fa.xz"})
    add(file, {file}, {file}, [file](const auto& folder) { read_fasta(folder + "/" + file); });
  add("g.fa.fai", {"g.fa", "g.fa.fai"}, {"g.fa", "g.fa.fai"}, [](const auto& f) { read_genome(f + "/g.fa"); });
  add("g.fa.gz.gzi", {"g.fa.gz", "g.fa.gz.fai", "g.fa.gz.gzi"}, {"g.fa.gz", "g.fa.gz.fai", "g.fa.gz.gzi"},
      [](const auto& folder) { read_genome(folder + "/g.fa.gz"); });
  for (const std::string file : {"r.bed", "r.bed.gz"})
    add(file, {file}, {file}, [file](const auto& folder) { read_bed(folder + "/" + file); });
  for (const std::string file : {"tss.bed", "tss.sga", "tss.fps", "tss.tsv", "tss.gtf", "tss.gff3"})
    add(file, {file}, {file}, [file](const auto& folder) { read_sites(folder + "/" + file); });
  add("a.chain", {"a.chain"}, {"a.chain"}, [](const auto& folder) {
    const genome::Chains chains(folder + "/a.chain");
    for (int64_t start = 0; start < 3000; start += 100) chains.lift({"chr1", start, start + 50, '-'}, 0.5);
  });
  add("track.bw", {"track.bw"}, {"track.bw"},
      [](const auto& folder) { genome::BigWigValues(folder + "/track.bw").each([](const auto&) {}); });
  for (const std::string file : {"reads.sam", "reads.bam", "reads.cram", "pairs.bedpe", "signal.bedGraph", "reads.bed"})
    add("coverage of " + file, {file, "r.bed", "chrom.sizes", "g.fa", "g.fa.fai"}, {file},
        [file](const auto& folder) { read_coverage(folder, file, "chrom.sizes"); });
  add("coverage of track.bw", {"track.bw", "r.bed", "big.sizes"}, {"track.bw"},
      [](const auto& folder) { read_coverage(folder, "track.bw", "big.sizes"); });
  add("coverage of fragments", {"fragments.tsv.gz", "barcodes.tsv", "r.bed", "chrom.sizes"},
      {"fragments.tsv.gz", "barcodes.tsv", "chrom.sizes"}, [](const auto& folder) {
        coverage::TrackOptions track;
        track.barcodes = folder + "/barcodes.tsv";
        track.barcode_group = "a";
        read_coverage(folder, "fragments.tsv.gz", "chrom.sizes", track);
      });
  for (const std::string file : {"m.meme", "m.jaspar"})
    add(file, {file}, {file}, [file](const auto& folder) { motif::read_motifs(folder + "/" + file); });
  add("p.h5", {"p.h5"}, {"p.h5"}, [](const auto& folder) { read_hdf5(folder + "/p.h5"); });
  for (const std::string file : {"chrombpnet.h5", "bias.h5", "bpnet.torch", "bpnet_state.torch"})
    add(file, {file}, {file}, [file](const auto& folder) {
      profile::import_model(folder + "/" + file, folder + "/imported", io::Dtype::f32, io::Existing::refuse);
    });
  add("deepsea", {"g.fa", "g.fa.fai", "deepsea"}, {"deepsea/"}, build_deepsea);
  for (const std::string path :
       {"pre", "promoter", "network", "corpus", "bins", "table_data", "effects.tsv", "effects.vcf",
        "promoter/metrics.tsv", "promoter/metrics.json", "promoter/scores.tsv.gz"})
    add("report of " + path, {path}, {std::filesystem::path(path).has_extension() ? path : path + "/"},
        [path](const auto& folder) { report::read_item(folder + "/" + path); });
  for (const std::string form : {"json", "tsv", "bed.gz", "vcf", "bcf", "h5", "tracks"}) {
    const std::string part = "part." + form, record = part + ".options.json";
    add("merge of " + part, {part, record}, {form == "tracks" ? part + "/" : part, record},
        [part, form](const auto& folder) {
          merge::merge_parts({.parts = {folder + "/" + part}, .output = folder + "/whole." + form});
        });
  }
  const std::vector<std::string> genome{"g.fa", "g.fa.fai"};
  const auto with_genome = [&](std::vector<std::string> files) {
    files.insert(files.end(), genome.begin(), genome.end());
    return files;
  };
  for (const std::string file : {"v.vcf", "v.vcf.gz", "v.bcf"})
    for (int weight = 0; weight < 2; ++weight)
      add(file, with_genome({file}), {file}, [file](const auto& f) { read_variants(f, f + "/" + file, false); });
  for (const std::string file : {"v.vcf.gz", "v.bcf"})
    add(file + ".csi", with_genome({file, file + ".csi"}), {file, file + ".csi"},
        [file](const auto& folder) { read_variants(folder, folder + "/" + file, true); });
  for (const std::string file : {"binary.csv", "numbers.tsv", "labels.csv.gz", "places.bed", "classes.fa"})
    add(file, with_genome({file}), {file}, [file](const auto& folder) {
      if (file != "places.bed") attempt([&] { read_sequences(folder + "/" + file); });
      build_table(folder, folder + "/" + file);
    });
  add("tables", with_genome({"tables"}), {"tables/"}, [](const auto& f) { build_table(f, f + "/tables"); });
  const std::vector<std::string> peaks{"peaks.tsv", "p1.narrowPeak", "p2.broadPeak", "p3.gappedPeak", "exclude.bed"};
  add("peaks", with_genome(peaks), peaks, build_chromatin);
  add("tracks", with_genome({"tracks.tsv", "reads.bam", "fragments.tsv.gz", "barcodes.tsv", "signal.bedGraph"}),
      {"tracks.tsv", "barcodes.tsv", "signal.bedGraph"}, build_tracks);
  add("start_sites", with_genome({"tss.bed", "a.chain"}), {"tss.bed", "a.chain"}, build_promoters);
  add("dna.model", {"vocabulary/dna.model"}, {"vocabulary/dna.model"},
      [](const auto& folder) { read_vocabulary(folder + "/vocabulary/dna.model"); });
  add("tokenizer.json", {"vocabulary/tokenizer.json"}, {"vocabulary/tokenizer.json"},
      [](const auto& folder) { read_vocabulary(folder + "/vocabulary/tokenizer.json"); });
  for (const std::string file : {"words.json", "isolated.json", "foreign/spiece.model"})
    add(file, {file}, {file}, [file](const auto& folder) { read_vocabulary(folder + "/" + file); });
  add("corpus", {"corpus"}, {"corpus/"}, [](const auto& folder) { read_corpus(folder + "/corpus"); });
  add("promoter_dataset", {"promoters"}, {"promoters/"},
      [](const auto& folder) { read_dataset<dataset::PromoterDataset>(folder + "/promoters"); });
  add("table_dataset", {"table_data"}, {"table_data/"},
      [](const auto& folder) { read_dataset<dataset::TableDataset>(folder + "/table_data"); });
  add("chromatin_dataset", {"bins"}, {"bins/"},
      [](const auto& folder) { read_dataset<dataset::ChromatinDataset>(folder + "/bins"); });
  add("profile_dataset", {"profiles"}, {"profiles/"}, [](const auto& folder) {
    const auto dataset = dataset::ProfileDataset::open(folder + "/profiles");
    for (int64_t row = 0; row < std::ssize(dataset.rows); ++row) dataset.counts(row), dataset.halves(row);
  });
  add("vocabulary.tar", {"vocabulary.tar"}, {"vocabulary.tar"},
      [](const auto& folder) { read_vocabulary(folder + "/vocabulary.tar"); });
  add("promoters.tar", {"promoters.tar"}, {"promoters.tar"},
      [](const auto& folder) { read_dataset<dataset::PromoterDataset>(folder + "/promoters.tar"); });
  for (const std::string model : {"pre/model", "bigbird/model", "promoter/model", "chromatin/model", "table/model",
                                  "network/model", "pooled/model"})
    for (const std::string file : {"config.json", "bigdna.json", "model.safetensors", ""})
      add(model + "/" + (file.empty() ? "*" : file), {model}, {model + "/" + file},
          [model](const auto& folder) { read_model(folder + "/" + model); });
  add("checkpoint", {"pre/model", "pre/checkpoints"}, {"pre/checkpoints/"}, read_checkpoint);
  add("options.json", {"table_data/options.json"}, {"table_data/options.json"}, [](const auto& folder) {
    const auto earlier = io::Job::load(folder + "/table_data/options.json");
    earlier.require_same(earlier, "here", "there");
    try {
      job().require_same(earlier, "here", "there");
    } catch (const Error&) {  // it is another job, whole or damaged
    }
  });
  all.push_back({"journal", {}, {}, {}, {journal_text()}, read_journal});
  all.push_back({"labels",
                 {},
                 {},
                 {},
                 {"1\n0\nNA\n1\n0", "a\nb,c\n.\na;c\nb", "[1, 0, 1]\n[0, 1, 1]\n[1, 1, 0]", "['a', 'b']\n['a']\n[]",
                  "0.5\n1.5\n-3e-2\nnan\n2", "0.1;0.5\n0.2;0.7\n0.9;0.3", "tensor(1)\ntensor(0)\nnp.float64(1)"},
                 [](const auto&, const auto& text) { read_labels(text); }});
  all.push_back({"region",
                 genome,
                 {},
                 {},
                 {"chr1:1-20", "chr1", "{chr1}:1,000-2,000", "1:5-", "chr2:-7", "chr1:1.5k-2M"},
                 [](const auto& folder, const auto& text) {
                   const genome::Genome genome(folder + "/g.fa");
                   attempt([&] { genome.fetch(genome.parse_region(text)); });
                   genome::region_of_name(text, 20);
                   attempt([&] { genome::held_out(text, genome.contigs(), 1); });
                   attempt([&] { variants::parse_effects(text); });
                   attempt([&] { dataset::choose_features({{"CTCF", "GM12878", "-", "TF"}}, text); });
                   attempt([&] { dataset::fraction_of(text); });
                 }});
  return all;
}

}  // namespace bigdna::fuzz
