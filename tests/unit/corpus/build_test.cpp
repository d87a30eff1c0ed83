// Corpus folders: they hold the genome's sequence, whatever the number of threads, kills and damage.
#include "corpus/build.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "corpus/corpora.h"
#include "corpus/files.h"
#include "io/output.h"
#include "io/safetensors.h"

namespace bigdna::corpus {
namespace {

using Split = Corpus::Split;

const tokenizer::Encoder& encoder() {
  static const tokenizer::Encoder encoder(test::small_vocabulary());
  return encoder;
}

/// A genome of four contigs with gaps, one all N, one shorter than a sentence, odd names.
void write_genome(const std::string& path) {
  std::string one = test::random_bases(300'000, 1);
  one.replace(100'000, 20'000, 20'000, 'N');
  test::write_fasta(path, {{"one", one},
                           {"HLA-A*01:01|x=1;\"q\",\\", test::random_bases(60'000, 2)},
                           {"all_n", std::string(10'000, 'N')},
                           {"short", "ACGTACGTTGCA"},
                           {"\xC3\xA9t\xC3\xA9", test::random_bases(120'000, 3)}});
}

BuildOptions options_for(const test::TempDir& folder, const std::string& output) {
  BuildOptions options;
  options.fastas = {folder / "genome.fa"};
  options.output = folder / output;
  options.contigs = "all";
  options.sampler.passes = 4;
  options.sampler.strands = SamplerOptions::Strands::both;
  options.hold_out = "0.1";
  options.file_size = 100'000;
  return options;
}

/// Name -> MD5 of every corpus file in a folder.
std::map<std::string, std::string> checksums(const std::string& folder) {
  std::map<std::string, std::string> sums;
  for (const char* part : {"training", "validation"})
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/" + part))
      sums[part + ("/" + entry.path().filename().string())] = io::md5_of_file(entry.path().string());
  sums["dna.model"] = io::md5_of_file(folder + "/dna.model");
  return sums;
}

std::string text_of(const tokenizer::Vocabulary& vocabulary, std::span<const uint16_t> tokens) {
  std::string text;
  for (const auto id : tokens) text += vocabulary.piece(id).text;
  return text;
}

TEST(BuildCorpus, EveryDocumentIsTheGenomesSequenceAtItsCoordinates) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  build_corpus(options_for(folder, "corpus"), encoder());
  const genome::Genome genome(folder / "genome.fa");
  int minus = 0, plus = 0;
  for (const auto part : {Split::training, Split::validation}) {
    const Corpus corpus(folder / "corpus", part, encoder().vocabulary().hash());
    const auto held_out = corpus.held_out_intervals(), training = corpus.training_intervals();
    ASSERT_GT(corpus.documents(), 0);
    int64_t tokens = 0;
    for (int64_t i = 0; i < corpus.documents(); ++i) {
      const Document document = corpus.document(i);
      (document.region.strand == '-' ? minus : plus)++;
      EXPECT_EQ(part == Split::training, !held_out.overlaps(document.region));
      EXPECT_EQ(part == Split::validation, held_out.covers(document.region));
      EXPECT_EQ(part == Split::training, training.covers(document.region));
      EXPECT_EQ(corpus.tokens(i), static_cast<int64_t>(document.tokens.size()));
      const std::string bases = genome.fetch(document.region);
      ASSERT_EQ(text_of(encoder().vocabulary(), document.tokens), bases);
      ASSERT_EQ(document.sentence_starts.size(), document.sentence_bases.size());
      for (size_t s = 0; s < document.sentence_starts.size(); ++s) {  // tokenised one by one
        const size_t from = document.sentence_bases[s],
                     to = s + 1 < document.sentence_bases.size() ? document.sentence_bases[s + 1] : bases.size();
        const size_t end =
            s + 1 < document.sentence_starts.size() ? document.sentence_starts[s + 1] : document.tokens.size();
        const auto ids = encoder().encode(std::string_view(bases).substr(from, to - from)).ids;
        const auto written = document.tokens.subspan(document.sentence_starts[s], end - document.sentence_starts[s]);
        EXPECT_TRUE(std::equal(ids.begin(), ids.end(), written.begin(), written.end()));
      }
      tokens += corpus.tokens(i);
    }
    EXPECT_EQ(corpus.tokens(), tokens);
    EXPECT_THROW(corpus.document(corpus.documents()), Error);
  }
  EXPECT_GT(minus, 5);
  EXPECT_GT(plus, 5);
  const auto manifest = io::manifest_of_folder(folder / "corpus");
  EXPECT_EQ(manifest.verify_files(folder / "corpus", true), static_cast<int64_t>(checksums(folder / "corpus").size()));
  EXPECT_EQ(tokenizer::Vocabulary::load(Corpus(folder / "corpus", Split::training).vocabulary_path()).hash(),
            encoder().vocabulary().hash());
}

TEST(BuildCorpus, CountsAreThoseOfTheDocuments) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  auto options = options_for(folder, "corpus");
  options.sampler.max_n_fraction = 1;
  build_corpus(options, encoder());
  const Corpus corpus(folder / "corpus", Split::training);
  const genome::Genome genome(folder / "genome.fa");
  Counts counts;
  for (int64_t i = 0; i < corpus.documents(); ++i) {
    const Document d = corpus.document(i);
    counts.add({1, static_cast<int64_t>(d.sentence_starts.size()), static_cast<int64_t>(d.tokens.size()),
                d.region.length(), genome::count_n(genome.fetch(d.region)), 0});
  }
  EXPECT_GT(counts.n, 0);
  const auto expected = counts.to_json();
  for (const auto& [key, value] : expected.items()) EXPECT_EQ(corpus.manifest().details["training"][key], value) << key;
}

TEST(BuildCorpus, SameBytesForAnyNumberOfThreads) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  build_corpus(options_for(folder, "one"), encoder());
  const auto expected = checksums(folder / "one");
  EXPECT_GT(expected.size(), 8u);
  for (const int threads : {2, 4, 8}) {
    auto options = options_for(folder, "t" + std::to_string(threads));
    options.threads = threads;
    build_corpus(options, encoder());
    EXPECT_EQ(checksums(options.output), expected) << threads << " threads";
  }
  auto other = options_for(folder, "seed");
  other.sampler.seed = 2;
  build_corpus(other, encoder());
  EXPECT_NE(checksums(other.output), expected);
}

TEST(BuildCorpus, KilledAtAnyMomentAndResumedGivesTheSameFiles) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  auto options = options_for(folder, "whole");
  build_corpus(options, encoder());
  const auto expected = checksums(folder / "whole");

  options.output = folder / "killed";
  options.existing = io::Existing::resume;
  options.threads = 2;
  Rng rng(11);
  int killed = 0;
  for (int attempt = 0; attempt < 200 && killed < 10; ++attempt) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto error = test::error_of([&] { build_corpus(options, encoder()); });
      if (!error.empty()) std::fprintf(stderr, "%s\n", error.c_str());
      _exit(error.empty() ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(40'000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    if (WIFSIGNALED(status))
      ++killed;
    else
      std::filesystem::remove_all(options.output);  // it was done before the signal came
  }
  ASSERT_EQ(killed, 10);
  build_corpus(options, encoder());
  EXPECT_EQ(checksums(options.output), expected);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.output))
    EXPECT_NE(entry.path().extension(), ".partial");
  build_corpus(options, encoder());  // done already
  EXPECT_EQ(checksums(options.output), expected);
}

TEST(BuildCorpus, ResumesAfterEachFile) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  auto options = options_for(folder, "corpus");
  build_corpus(options, encoder());
  const auto expected = checksums(options.output);
  options.existing = io::Existing::resume;
  for (const auto& [name, checksum] : expected) {  // as if killed before this file was renamed
    std::filesystem::remove(options.output + "/" + name);
    std::ofstream(options.output + "/training/00007.safetensors.123.partial") << "half";
    build_corpus(options, encoder());
    EXPECT_EQ(checksums(options.output), expected) << name;
  }
}

TEST(BuildCorpus, ResumeWithOtherSettingsNamesThem) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  auto options = options_for(folder, "corpus");
  build_corpus(options, encoder());
  options.existing = io::Existing::resume;
  const auto error = [&](auto change) {
    auto changed = options;
    change(changed);
    return test::error_of([&] { build_corpus(changed, encoder()); });
  };
  EXPECT_EQ(error([](BuildOptions&) {}), "");
  for (const bool complete : {true, false}) {
    if (!complete)
      std::filesystem::remove(options.output + "/corpus.json"), std::ofstream(options.output + "/.unfinished");
    EXPECT_NE(error([](BuildOptions& o) { o.sampler.passes = 5; }).find("--passes (4, now 5)"), std::string::npos);
    EXPECT_NE(error([](BuildOptions& o) { o.sampler.seed = 5; }).find("--seed"), std::string::npos);
    EXPECT_NE(error([](BuildOptions& o) { o.hold_out = "one"; }).find("--hold-out"), std::string::npos);
    EXPECT_NE(error([](BuildOptions& o) { o.file_size = 1; }).find("--file-size"), std::string::npos);
  }
  options.existing = io::Existing::refuse;
  EXPECT_NE(error([](BuildOptions&) {}).find("--resume"), std::string::npos);
}

TEST(BuildCorpus, HoldOutsByContigRegionsAndExclusions) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  std::ofstream(folder / "regions.bed") << "chrone\t50000\t250000\nnowhere\t0\t10\n";
  std::ofstream(folder / "exclude.bed") << "one\t60000\t70000\n";
  std::ofstream(folder / "hold.bed") << "one\t200000\t300000\n";
  auto options = options_for(folder, "corpus");
  options.regions = folder / "regions.bed";
  options.exclude = folder / "exclude.bed";
  options.hold_out = folder / "hold.bed";
  build_corpus(options, encoder());
  const Corpus training(folder / "corpus", Split::training), validation(folder / "corpus", Split::validation);
  using Intervals = std::vector<genome::IntervalSet::Interval>;
  EXPECT_EQ(training.training_intervals().intervals("one"), (Intervals{{50'000, 60'000}, {70'000, 200'000}}));
  EXPECT_EQ(training.held_out_intervals().intervals("one"), (Intervals{{200'000, 300'000}}));
  genome::IntervalSet covered;
  for (int64_t i = 0; i < validation.documents(); ++i) {
    EXPECT_EQ(validation.document(i).pass, 0u);
    EXPECT_FALSE(covered.overlaps(validation.document(i).region));
    covered.add(validation.document(i).region);
  }
  EXPECT_EQ(covered.intervals("one"), (Intervals{{200'000, 250'000}}));  // from the interval's first base, once

  auto contig = options_for(folder, "contig");
  contig.hold_out = "one";
  contig.contigs = "one|short";
  build_corpus(contig, encoder());
  const Corpus rest(contig.output, Split::training);
  for (int64_t i = 0; i < rest.documents(); ++i) EXPECT_EQ(rest.document(i).region.contig, "short");
}

TEST(BuildCorpus, AHundredThousandTinyContigs) {
  test::TempDir folder;
  std::vector<std::pair<std::string, std::string>> records;
  for (int i = 0; i < 100'000; ++i)
    records.push_back({"c" + std::to_string(i), test::random_bases(1 + i % 100, static_cast<uint64_t>(i))});
  test::write_fasta(folder / "genome.fa", records);
  auto options = options_for(folder, "corpus");
  options.sampler.passes = 1;
  options.threads = 2;
  build_corpus(options, encoder());
  const Corpus corpus(options.output, Split::training), held_out(options.output, Split::validation);
  EXPECT_GT(corpus.documents() + held_out.documents(), 95'000);
  for (int64_t i = 0; i < corpus.documents(); i += 997) {
    const Document d = corpus.document(i);
    const auto& bases = records[std::stoul(d.region.contig.substr(1))].second;
    const auto text =
        std::string_view(bases).substr(static_cast<size_t>(d.region.start), static_cast<size_t>(d.region.length()));
    EXPECT_EQ(text_of(encoder().vocabulary(), d.tokens),
              d.region.strand == '-' ? genome::reverse_complement(text) : text);
  }
}

TEST(BuildCorpus, ErrorsNameTheCauseAndLeaveNothingBehind) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  const auto error = [&](auto change) {
    auto options = options_for(folder, "out");
    change(options);
    const auto text = test::error_of([&] { build_corpus(options, encoder()); });
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << text;
    return text;
  };
  const auto holds = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  holds(error([&](BuildOptions& o) { o.fastas = {folder / "none.fa"}; }), "none.fa");
  std::ofstream(folder / "one.fa") << ">one\nACGT\n";
  holds(error([&](BuildOptions& o) { o.fastas.push_back(folder / "one.fa"); }),
        "one.fa: sequence one is in " + (folder / "genome.fa"));
  holds(error([&](BuildOptions& o) { o.contigs = "nothing"; }), "--contigs nothing");
  holds(error([&](BuildOptions& o) { o.contigs = "all_n"; }), "all N");
  holds(error([&](BuildOptions& o) { o.contigs = "("; }), "regular expression");
  holds(error([&](BuildOptions& o) { o.hold_out = "chr99"; }), "chr99");
  holds(error([&](BuildOptions& o) { o.exclude = folder / "none.bed"; }), "none.bed");
  std::ofstream(folder / "bad.fa") << ">a\nACGT\n>b\nAC!T\n";
  holds(error([&](BuildOptions& o) { o.fastas.push_back(folder / "bad.fa"); }), "sequence b, position 3");
  std::ofstream(folder / "latin.fa") << ">a\xE9\nACGT\n";
  holds(error([&](BuildOptions& o) { o.fastas = {folder / "latin.fa"}; }), "UTF-8");
  std::ofstream(folder / "twice.fa") << ">a\nACGT\n>a\nACGT\n";
  holds(error([&](BuildOptions& o) { o.fastas = {folder / "twice.fa"}; }), "twice");
}

TEST(Corpus, DamagedFilesAreFound) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  const auto options = options_for(folder, "corpus");
  build_corpus(options, encoder());
  const auto open = [&] { return test::error_of([&] { Corpus(options.output, Split::training); }); };
  const std::string path = options.output + "/training/00001.safetensors";
  EXPECT_EQ(open(), "");
  EXPECT_NE(test::error_of([&] { Corpus(options.output, Split::training, "another"); }).find("another vocabulary"),
            std::string::npos);
  {  // one byte altered: found by the checksums
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x55');
  }
  EXPECT_EQ(open(), "");
  EXPECT_NE(
      test::error_of([&] { io::manifest_of_folder(options.output).verify_files(options.output, true); }).find("00001"),
      std::string::npos);
  std::filesystem::resize_file(path, 1000);
  EXPECT_NE(open().find("00001.safetensors"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(open().find("00001.safetensors: is missing"), std::string::npos);
  EXPECT_NE(test::error_of([&] { Corpus(folder.path(), Split::training); }), "");
}

/// Writes `value` over the first two bytes of an array's element in a safetensors file.
void alter(const std::string& path, const char* array, size_t byte, uint16_t value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  uint64_t size = 0;
  file.read(reinterpret_cast<char*>(&size), sizeof size);
  std::string header(size, '\0');
  file.read(header.data(), static_cast<std::streamsize>(size));
  const auto begin = nlohmann::json::parse(header).at(array).at("data_offsets").at(0).get<size_t>();
  file.seekp(static_cast<std::streamoff>(sizeof size + size + begin + byte));
  file.write(reinterpret_cast<const char*>(&value), sizeof value);
}

TEST(Corpus, WhatAnAlteredFileHoldsIsNeverAnIndex) {
  test::TempDir folder;
  write_genome(folder / "genome.fa");
  const auto options = options_for(folder, "corpus");
  build_corpus(options, encoder());
  const std::string path = options.output + "/training/00000.safetensors", kept = io::read_file(path);
  const auto error = [&](const char* array, size_t byte, uint16_t value) {
    io::write_file(path, kept);
    if (array) alter(path, array, byte, value);
    const Corpus corpus(options.output, Split::training);
    return test::error_of([&] { corpus.document(0); });
  };
  EXPECT_EQ(error(nullptr, 0, 0), "");
  EXPECT_EQ(error("tokens", 10, 60000), concat(path, ": damaged: it has a token that the corpus's vocabulary of ",
                                               encoder().vocabulary().size(), " pieces lacks"));
  EXPECT_EQ(error("tokens", 10, static_cast<uint16_t>(encoder().vocabulary().size() - 1)), "");
  for (const char* array : {"sentence_starts", "sentence_bases"})
    for (const size_t byte : {4, 6})  // the second sentence's low and high halves
      EXPECT_EQ(error(array, byte, 65535), path + ": damaged: a document's sentences are out of order")
          << array << byte;
}

TEST(BuildCorpus, YeastBaseByBase) {
  BIGDNA_REAL_DATA(fasta, "genomes/sacCer3.fa.gz");
  test::TempDir folder;
  BuildOptions options;
  options.fastas = {fasta};
  options.output = folder / "corpus";
  options.sampler.passes = 1;
  options.threads = 2;
  build_corpus(options, encoder());
  const genome::Genome genome(fasta);
  int64_t bases = 0;
  for (const auto part : {Split::training, Split::validation}) {
    const Corpus corpus(options.output, part);
    for (int64_t i = 0; i < corpus.documents(); ++i) {
      const Document document = corpus.document(i);
      ASSERT_EQ(text_of(encoder().vocabulary(), document.tokens), genome.fetch(document.region))
          << genome::to_string(document.region);
      bases += document.region.length();
    }
  }
  EXPECT_GT(bases, 12'000'000);
}

}  // namespace
}  // namespace bigdna::corpus
