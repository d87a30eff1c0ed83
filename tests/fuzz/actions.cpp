#include "actions.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "corpus/corpus.h"
#include "coverage/coverage.h"
#include "dataset/chromatin_dataset.h"
#include "dataset/labels.h"
#include "dataset/mat_file.h"
#include "dataset/promoter_dataset.h"
#include "dataset/start_sites.h"
#include "dataset/table_dataset.h"
#include "genome/bed.h"
#include "genome/chrom_sizes.h"
#include "genome/contigs.h"
#include "genome/fasta.h"
#include "genome/interval_set.h"
#include "genome/region_string.h"
#include "io/delimited.h"
#include "io/output.h"
#include "model/convert.h"
#include "model_folder/model_folder.h"
#include "prediction/interval_stream.h"
#include "models/predictor.h"
#include "jobs/score_journal.h"
#include "session/session.h"
#include "models/task_details.h"
#include "tokenizer/encoder.h"
#include "train/checkpoint.h"
#include "variants/allele.h"
#include "variants/bcf_record.h"
#include "variants/vcf_reader.h"

namespace bigdna::fuzz {

namespace {
const std::string kBases = "ACGTTGCANNNNACGGATCTTAGCATCGGATACATTACCGATCGAACGTNACGT";
}  // namespace

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
  if (vocabulary.fits_sentencepiece()) attempt([&] { vocabulary.save_model(path + ".copy"); });
  attempt([&] { vocabulary.save_tokenizer_json(path + ".copy"); });
}

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
  for (const auto part : {corpus::Corpus::Split::training, corpus::Corpus::Split::validation})
    attempt([&] {
      const corpus::Corpus corpus(path, part);
      for (int64_t i = 0; i < corpus.documents(); ++i)
        attempt([&] { corpus.document(i), corpus.region(i), corpus.tokens(i); });
      corpus.training_intervals(), corpus.held_out_intervals();
    });
  io::verify_folder(path, /*checksums=*/true);
}

/// Bins of g.fa, split by contig.
dataset::ChromatinOptions bins_of(const std::string& folder) {
  dataset::ChromatinOptions options;
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  options.upstream = options.downstream = 100;
  options.split.test = "chr2";
  options.split.validation = "0";
  return options;
}

void build_chromatin(const std::string& folder) {
  auto options = bins_of(folder);
  options.peaks = folder + "/peaks.tsv";
  options.keep = "any";
  options.exclude = folder + "/exclude.bed";
  dataset::build_chromatin_dataset(options);
}

void build_tracks(const std::string& folder) {
  auto options = bins_of(folder);
  options.tracks = folder + "/tracks.tsv";
  dataset::build_chromatin_dataset(options);
}

void read_coverage(const std::string& folder, const std::string& file, const std::string& sizes,
                   const coverage::TrackOptions& track) {
  coverage::CoverageOptions options;
  options.inputs = {folder + "/" + file};
  options.output = folder + "/out.bedGraph";
  options.table = folder + "/out.tsv";
  options.peaks = folder + "/r.bed";
  options.track = track;
  options.bin = 10;
  const coverage::Contigs contigs(genome::read_chrom_sizes(folder + "/" + sizes), sizes, "");
  coverage::write_coverage(options, contigs, coverage::SitesByContig(contigs.all().size()));
}

void build_deepsea(const std::string& folder) {
  dataset::ChromatinOptions options;
  options.deepsea = folder + "/deepsea";
  options.genome = folder + "/g.fa";
  options.output = folder + "/out";
  dataset::build_chromatin_dataset(options);
}

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

void read_labels(const std::string& text) {
  dataset::LabelText labels{{"label"}, {}, {}};
  for (const auto line : io::split(text, '\n')) {
    labels.rows.push_back({std::string(line)});
    labels.places.push_back(concat("t.csv:", labels.rows.size()));
  }
  const auto read = [&](std::optional<dataset::LabelType> type) {
    const auto read = dataset::read_labels(labels, type, "t.csv");
    for (int64_t row = 0; row < static_cast<int64_t>(labels.rows.size()); ++row) dataset::label_text(read, row);
  };
  attempt([&] { read({}); });
  for (const auto type : {dataset::LabelType::regression, dataset::LabelType::multilabel, dataset::LabelType::classes})
    try {
      read(type);
    } catch (const Error&) {  // whole or damaged: they are of another type
    }
}

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

}  // namespace bigdna::fuzz
