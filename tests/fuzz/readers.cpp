#include "readers.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "corpus/corpus.h"
#include "dataset/chromatin_dataset.h"
#include "dataset/chromatin_folder.h"
#include "dataset/mat_file.h"
#include "dataset/promoter_dataset.h"
#include "dataset/start_sites.h"
#include "dataset/table_dataset.h"
#include "genome/bed.h"
#include "genome/bigwig_values.h"
#include "genome/chain.h"
#include "genome/contigs.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "genome/region_string.h"
#include "io/job.h"
#include "io/manifest.h"
#include "merge/merge.h"
#include "model/convert.h"
#include "model_folder/model_folder.h"
#include "motif/files.h"
#include "prediction/interval_stream.h"
#include "models/predictor.h"
#include "jobs/score_journal.h"
#include "report/readers.h"
#include "session/session.h"
#include "models/task_details.h"
#include "tokenizer/encoder.h"
#include "train/checkpoint.h"
#include "variants/allele.h"
#include "variants/effects.h"
#include "variants/vcf_reader.h"

namespace bigdna::fuzz {

namespace {
const std::string kBases = "ACGTTGCANNNNACGGATCTTAGCATCGGATACATTACCGATCGAACGTNACGT";

bool errors_expected = true;

/// Goes on with the next part where one is refused.
template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const Error&) {
    if (!errors_expected) throw;
  }
}

void read_fasta(const std::string& path) {
  attempt([&] {
    genome::FastaReader reader(path);
    while (reader.next()) {
    }
  });
  attempt([&] { genome::soft_masked(path); });
}

void read_genome(const std::string& path) {
  const genome::Genome genome(path);
  for (const auto& contig : genome.contigs())
    attempt([&] {
      const int64_t most = std::min<int64_t>(contig.length, 100'000);
      genome.fetch({contig.name, 0, most, '+'});
      genome.fetch({contig.name, contig.length - most, contig.length + 5, '-'});
      genome.parse_region(contig.name + ":5-20");
    });
  genome::chosen_contigs(genome, "primary");
}

void read_bed(const std::string& path) {
  attempt([&] {
    genome::MissingStrands strands;
    for (const auto& record : genome::read_bed(path)) strands.add(record, true), genome::to_line(record);
  });
  attempt([&] { genome::intervals_of_bed(path, {{"chr1", 3000}, {"2", 2000}}).total(); });
}

void read_sites(const std::string& path) {
  for (const auto& site : dataset::read_start_sites(path)) dataset::promoter_interval(site, 100, 50);
}

void read_variants(const std::string& folder, const std::string& path, bool by_region) {
  const genome::Genome genome(folder + "/g.fa");
  variants::GenomeWindow window(genome);
  std::optional<std::vector<genome::Region>> regions;
  if (by_region) regions = {{"chr1", 0, 900}, {"chr1", 500, 2000}, {"chr2", 100, 1000}};
  variants::VcfReader reader(path, regions);
  variants::other_lengths(reader, genome);
  variants::AlleleReader alleles(window, 100);
  while (const auto record = reader.next()) {
    variants::text_of(reader.header(), *record);
    attempt([&] { variants::bcf_of(reader.header().parsed.get(), *record); });
    for (const auto& alt : record->alts) {
      const auto allele = alleles.read(*record, alt);
      if (variants::is_absent(allele.skip)) variants::absence_text(*record, allele, window);
    }
  }
}

void read_vocabulary(const std::string& path) {
  const auto vocabulary = tokenizer::Vocabulary::load(path);
  const tokenizer::Encoder encoder(vocabulary);
  const auto encoding = encoder.encode(kBases);
  for (const auto id : encoding.ids) vocabulary.piece(id);
  encoder.encode(kBases + " acgt \xff\xc3\xa9 " + kBases);
  attempt([&] { vocabulary.save_model(path + ".copy"); });
  attempt([&] { vocabulary.save_tokenizer_json(path + ".copy"); });
}

/// What the commands do with a model, on one short sequence.
void read_model(const std::string& path) {
  const auto folder = model_folder::ModelFolder::open_any(path);
  attempt([&] { folder.training_intervals().total(), folder.held_out_intervals().total(); });
  if (!folder.network) attempt([&] { folder.check_reads_sequences(); });
  attempt([&] { io::verify_folder(path, /*checksums=*/true); });
  if (folder.config.head == "promoter" || folder.config.head == "chromatin" || folder.config.head == "table") {
    session::RunOptions run;
    run.device = "cpu", run.precision = "fp32";
    models::Predictor predictor(models::Ensemble(path, {}, folder.config.head, run));
    predictor.load();
    predictor.score({kBases}, session::Strands::average);
  } else {
    folder.check_reads_sequences();
    const session::Session session(folder, session::Placement());
    const session::SequenceReader reader(folder.vocabulary, folder.config.max_length);
    session.hidden({reader.example(kBases)});
  }
}

void read_corpus(const std::string& path) {
  for (const auto part : {corpus::Corpus::Part::training, corpus::Corpus::Part::validation})
    attempt([&] {
      const corpus::Corpus corpus(path, part);
      for (int64_t i = 0; i < corpus.documents(); ++i)
        attempt([&] { corpus.document(i), corpus.region(i), corpus.tokens(i); });
      corpus.training_intervals(), corpus.held_out_intervals();
    });
  io::verify_folder(path, /*checksums=*/true);
}

template <class Dataset>
void read_dataset(const std::string& path) {
  attempt([&] { io::manifest_of_folder(path); });
  attempt([&] { io::is_complete(path, "dataset"); });
  Dataset::open(path);
}

void build_chromatin(const std::string& folder) {
  dataset::ChromatinOptions options;
  options.peaks = folder + "/peaks.tsv";
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  options.upstream = options.downstream = 100;
  options.keep = "any";
  options.exclude = folder + "/exclude.bed";
  options.split.test = "chr2";
  options.split.validation = "0";
  dataset::build_chromatin_dataset(options);
}

void build_deepsea(const std::string& folder) {
  dataset::ChromatinOptions options;
  options.deepsea = folder + "/deepsea";
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  dataset::build_chromatin_dataset(options);
}

/// HDF5 as MATLAB 7.3 files are read, from a file of predictions: not all of its values are bytes.
void read_hdf5(const std::string& path) {
  for (const std::string name : {"start", "end", "scores", "chrom"}) {
    try {
      const dataset::MatArray array(path, name);
      const std::vector<int64_t> first(array.shape().size(), 0);
      if (std::ranges::all_of(array.shape(), [](int64_t size) { return size <= 1000; }))
        array.read(first, array.shape());
    } catch (const Error&) {
    }
  }
}

void build_table(const std::string& folder, const std::string& path) {
  dataset::TableOptions options;
  options.inputs.paths = {path};
  options.split.validation = "0";
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  dataset::build_table_dataset(options);
}

void build_promoters(const std::string& folder) {
  dataset::PromoterOptions options;
  options.promoters = folder + "/tss.bed";
  options.chain = folder + "/a.chain";
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  options.upstream = 100, options.downstream = 50, options.tss_distance = 100;
  options.split.test = "chr2";
  options.split.validation = "0";
  dataset::build_promoter_dataset(options);
}

/// The input of predictions.
void read_sequences(const std::string& path) {
  prediction::IntervalInput input;
  input.fasta = path;
  input.tables = true;
  const prediction::PromoterTiling tiling(40, 20, 15, 0.5);
  genome::IntervalSet training;
  training.add("chr1", 100, 300);
  prediction::IntervalStream intervals(input, tiling, training);
  while (intervals.next(true)) {
  }
}

io::Job job() {
  io::Job job;
  job.set("MODEL", {{"path", "/model"}, {"bytes", 100}, {"md5", "d41d8cd98f00b204e9800998ecf8427e"}});
  job.set("--stride", 20);
  return job;
}

/// Writes a journal, damages it, and reads it.
void read_journal(const std::string& folder, const std::string& text) {
  const std::string path = folder + "/journal";
  io::write_file(path, text);
  jobs::ScoreJournal journal(path, job());
  for (int64_t chunk = 0; chunk < 8; ++chunk) attempt([&] { journal.scores_of(chunk); });
  const std::vector<float> scores(32, 0.5f);
  journal.append(9, scores);
}

std::string journal_text() {
  const auto path = (std::filesystem::temp_directory_path() / ("fuzz-journal-" + std::to_string(getpid()))).string();
  {
    jobs::ScoreJournal journal(path, job());
    const std::vector<float> scores(32, 0.25f);
    for (int64_t chunk = 0; chunk < 4; ++chunk) journal.append(chunk, scores);
  }
  auto text = io::read_file(path);
  std::filesystem::remove(path);
  return text;
}

void read_checkpoint(const std::string& folder) {
  const auto model = model_folder::ModelFolder::open(folder + "/pre/model");
  auto parameters = model::initialise(model.config, 1);
  for (auto& [name, value] : parameters) value.requires_grad_(true);
  train::State state(std::move(parameters));
  train::Checkpoints(folder + "/pre/checkpoints", 2).load_last(state);
}
}  // namespace

void expect_no_errors() { errors_expected = false; }

std::vector<Reader> readers() {
  std::vector<Reader> all;
  const auto add = [&](const std::string& name, std::vector<std::string> files, std::vector<std::string> damaged,
                       std::function<void(const std::string&)> read) {
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
  for (const std::string file : {"m.meme", "m.jaspar"})
    add(file, {file}, {file}, [file](const auto& folder) { motif::read_motifs(folder + "/" + file); });
  add("p.h5", {"p.h5"}, {"p.h5"}, [](const auto& folder) { read_hdf5(folder + "/p.h5"); });
  add("deepsea", {"g.fa", "g.fa.fai", "deepsea"}, {"deepsea/"}, build_deepsea);
  for (const std::string path :
       {"pre", "promoter", "network", "corpus", "bins", "table_data", "effects.tsv", "effects.vcf",
        "promoter/metrics.tsv", "promoter/metrics.json", "promoter/scores.tsv.gz"})
    add("report of " + path, {path}, {std::filesystem::path(path).has_extension() ? path : path + "/"},
        [path](const auto& folder) { report::read_item(folder + "/" + path); });
  add("merge", {"part.json", "part.json.options.json"}, {"part.json", "part.json.options.json"},
      [](const auto& folder) { merge::merge_parts({.parts = {folder + "/part.json"}, .output = folder + "/m.json"}); });
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
  add("peaks", with_genome({"peaks.tsv", "p1.narrowPeak", "p2.broadPeak", "exclude.bed"}),
      {"peaks.tsv", "p1.narrowPeak", "p2.broadPeak", "exclude.bed"}, build_chromatin);
  add("start_sites", with_genome({"tss.bed", "a.chain"}), {"tss.bed", "a.chain"}, build_promoters);
  add("dna.model", {"vocabulary/dna.model"}, {"vocabulary/dna.model"},
      [](const auto& folder) { read_vocabulary(folder + "/vocabulary/dna.model"); });
  add("tokenizer.json", {"vocabulary/tokenizer.json"}, {"vocabulary/tokenizer.json"},
      [](const auto& folder) { read_vocabulary(folder + "/vocabulary/tokenizer.json"); });
  add("corpus", {"corpus"}, {"corpus/"}, [](const auto& folder) { read_corpus(folder + "/corpus"); });
  add("promoter_dataset", {"promoters"}, {"promoters/"},
      [](const auto& folder) { read_dataset<dataset::PromoterDataset>(folder + "/promoters"); });
  add("table_dataset", {"table_data"}, {"table_data/"},
      [](const auto& folder) { read_dataset<dataset::TableDataset>(folder + "/table_data"); });
  add("chromatin_dataset", {"bins"}, {"bins/"},
      [](const auto& folder) { read_dataset<dataset::ChromatinDataset>(folder + "/bins"); });
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
