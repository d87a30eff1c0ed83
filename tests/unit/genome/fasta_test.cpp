#include "genome/fasta.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "base/threads.h"
#include "io/output.h"
#include "genome/read_fasta.h"
#include "support.h"

namespace bigdna::genome {
namespace {

namespace fs = std::filesystem;
using io::read_file;
using io::write_file;
using test::error_of;
using test::TempDir;

TEST(FastaReader, ShapesOfFiles) {
  TempDir dir;
  write_file(dir / "f.fa", "\n>a first one\r\nac\r\n\r\nGTN \r\n>b\n> c\tx\nRYU\t\n>\nA");
  const auto records = read_all(dir / "f.fa");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].name, "a");
  EXPECT_EQ(records[0].bases, "ACGTN");
  EXPECT_EQ(records[1].name, "b");
  EXPECT_EQ(records[1].bases, "");
  EXPECT_EQ(records[2].name, "c");
  EXPECT_EQ(records[2].bases, "NNT");
  EXPECT_EQ(records[3].name, "");
  EXPECT_EQ(records[3].bases, "A");
  write_file(dir / "mark.fa", "\xEF\xBB\xBF>a\nAC\n");
  EXPECT_EQ(read_all(dir / "mark.fa")[0].name, "a");
}

/// A BGZF FASTA of two contigs in a dozen blocks, with its index.
std::string blocks_of_fasta(const TempDir& dir) {
  std::string text;
  Rng rng(4);
  for (const char* name : {"a", "b"}) {
    text += concat('>', name, '\n');
    for (int line = 0; line < 6000; ++line) {
      for (int i = 0; i < 60; ++i) text += "ACGT"[rng.below(4)];
      text += '\n';
    }
  }
  write_file(dir / "g.fa.gz", text);
  Genome(dir / "g.fa.gz").fetch({"a", 0, 1, '+'});
  return dir / "g.fa.gz";
}

TEST(Genome, ADamagedGziIsAnErrorAndNeverACrashOrOtherBases) {
  TempDir dir;
  const std::string path = blocks_of_fasta(dir), index = path + ".gzi", kept = read_file(index);
  const auto fetch = [&](int64_t from) {
    const Genome genome(path);
    std::string bases;
    for (const char* contig : {"a", "b"})
      for (int64_t at = from; at < 360'000; at += 10'007) bases += genome.fetch({contig, at, at + 50, '+'});
    return bases;
  };
  const std::string expected = fetch(11);
  ASSERT_GT(kept.size(), 8u + 10 * 16);
  Rng rng(7);
  int errors = 0;
  for (int round = 0; round < 120; ++round) {
    std::string damaged = kept;
    switch (round % 4) {
      case 0:
        damaged[rng.below(damaged.size())] ^= static_cast<char>(1 << rng.below(8));
        break;
      case 1:
        damaged[8 + 16 * rng.below(10) + 8 * rng.below(2)] += static_cast<char>(1 + rng.below(3));
        break;  // a little off
      case 2:
        damaged.resize(rng.below(damaged.size()));
        break;
      case 3: {  // whole entries are missing at its end
        const auto entries = static_cast<char>(rng.below(10));
        damaged.resize(8 + 16 * static_cast<size_t>(entries));
        damaged[0] = entries;
        break;
      }
    }
    write_file(index, damaged);
    std::string bases;
    const std::string error = error_of([&] { bases = fetch(11); });
    if (error.empty()) {
      EXPECT_EQ(bases, expected) << round;
    } else {
      EXPECT_TRUE(error.starts_with(index + ": is damaged, or is not the index of " + path)) << error;
      ++errors;
    }
  }
  EXPECT_GT(errors, 110);
  write_file(index, kept);
  EXPECT_EQ(fetch(11), expected);
}

TEST(Genome, EveryProgramsGziIsTaken) {
  TempDir dir;
  const std::string path = blocks_of_fasta(dir), bases = Genome(path).fetch({"b", 0, 360'000, '+'});
  // end markers in the middle, as of BGZF files put one behind the other
  ASSERT_EQ(std::system(concat("bgzip -dc ", path, " >", dir / "g.fa").c_str()), 0);
  ASSERT_EQ(std::system(concat("cd ", dir.path(),
                               " && head -6001 g.fa | bgzip >1.gz && tail -n +6002 g.fa | bgzip -l 1 >2.gz && cat 1.gz "
                               "2.gz >joined.fa.gz")
                            .c_str()),
            0);
  for (const std::string how : {"bgzip -r ", "samtools faidx "})
    for (const std::string file : {"g.fa.gz", "joined.fa.gz"}) {
      for (const char* suffix : {".fai", ".gzi"}) fs::remove(dir / (file + suffix));
      ASSERT_EQ(std::system(concat("samtools faidx ", dir / file, " && ", how, dir / file).c_str()), 0);
      const Genome genome(dir / file);
      EXPECT_EQ(genome.fetch({"b", 0, 360'000, '+'}), bases) << how << file;
      EXPECT_EQ(genome.fetch({"b", 359'990, 360'000, '+'}), bases.substr(359'990)) << how << file;
    }
  ASSERT_EQ(std::system(concat("cd ", dir.path(), " && bgzip -@ 2 -i -f g.fa && samtools faidx g.fa.gz").c_str()), 0);
  EXPECT_EQ(Genome(path).fetch({"b", 0, 360'000, '+'}), bases);
}

TEST(Genome, PlainGzipBehindBgzfIsAnErrorThatNamesTheFile) {
  TempDir dir;
  const std::string path = blocks_of_fasta(dir), whole = read_file(path), end = whole.substr(whole.size() - 28);
  const std::string index = read_file(path + ".fai"), gzi = read_file(path + ".gzi");
  ASSERT_EQ(std::system(concat("printf '>c\\nACGT\\n' | gzip >", dir / "c.gz").c_str()), 0);
  const auto joined = concat(whole, read_file(dir / "c.gz"), end);
  std::ofstream(path, std::ios::binary) << joined;
  EXPECT_EQ(read_all(path).size(), 3u);  // a stream has all of it
  const auto expect_error = [&] {
    EXPECT_EQ(error_of([&] { Genome{path}; }),
              concat(path, ": is BGZF only up to byte ", whole.size(), " (plain gzip put behind it?), ",
                     "and random access needs BGZF: gunzip -c ", path, " | bgzip > FILE.gz"));
  };
  for (const char* suffix : {".fai", ".gzi"}) fs::remove(path + suffix);
  expect_error();
  EXPECT_FALSE(fs::exists(path + ".fai"));
  ASSERT_EQ(std::system(concat("samtools faidx ", path).c_str()), 0);  // it leaves out c
  EXPECT_EQ(read_file(path + ".fai"), index);
  expect_error();
  write_file(path + ".gzi", gzi);
  expect_error();
}

TEST(FastaReader, Errors) {
  TempDir dir;
  const auto error = [&](const std::string& content) {
    write_file(dir / "f.fa", content);
    const std::string text = error_of([&] { read_all(dir / "f.fa"); });
    return text.starts_with(dir / "f.fa") ? text.substr((dir / "f.fa").size()) : "no path: " + text;
  };
  EXPECT_EQ(error(""), ": is empty (a FASTA record was expected)");
  EXPECT_EQ(error("\n \n"), ": is empty (a FASTA record was expected)");
  EXPECT_EQ(error("ACGT\n>a\nACGT\n"), ":1: not FASTA: a line before the first '>'");
  EXPECT_EQ(error(">a\rACGT\r>b\rAC\r"),
            ":1: carriage returns within the line (line ends of an old Mac? convert them with tr '\\r' '\\n')");
  EXPECT_EQ(error("@r\nACGT\n+\nIIII\n"), ":1: not FASTA: a line before the first '>' (it looks like FASTQ)");
  EXPECT_EQ(error("chr1\t5\t9\n"), ":1: not FASTA: a line before the first '>' (it looks like BED)");
  EXPECT_EQ(error(">a\nACGT\n>b x\nAC\nG1T\n"), ": sequence b, position 4: '1' is not a nucleotide");
  EXPECT_EQ(error(">p\nMKVLEF\n"), ": sequence p, position 4: 'L' is not a nucleotide");
  EXPECT_EQ(error(">p\nAC-GT\n"), ": sequence p, position 3: '-' is not a nucleotide");
  EXPECT_EQ(error(">p\nAC GT\n"), ": sequence p, position 3: byte 32 is not a nucleotide");
  EXPECT_EQ(error_of([&] { read_all(dir / "none.fa"); }), dir / "none.fa: No such file or directory");
  write_file(dir / "f.fa", ">p\nAC-GT\n");
  EXPECT_EQ(read_all(dir / "f.fa", InvalidBases::n)[0].bases, "ACNGT");
}

TEST(Genome, FetchesWithPaddingStrandsAndAliases) {
  TempDir dir;
  write_file(dir / "g.fa", ">chr1 x\nACGTacgtRY\nACGTACGTAC\nGG\n>2\nTTTTCCCC\n>chrM\nACGT\n");
  const Genome genome(dir / "g.fa");
  EXPECT_TRUE(fs::exists(dir / "g.fa.fai"));
  EXPECT_EQ(dir.entries(), 2u);
  ASSERT_EQ(genome.contigs().size(), 3u);
  EXPECT_EQ(genome.contigs()[0].name, "chr1");
  EXPECT_EQ(genome.contigs()[0].length, 22);
  EXPECT_EQ(genome.fetch({"chr1", 0, 10}), "ACGTACGTNN");
  EXPECT_EQ(genome.fetch({"chr1", 8, 12, '-'}), "GTNN");
  EXPECT_EQ(genome.fetch({"chr1", -3, 2, '+'}), "NNNAC");
  EXPECT_EQ(genome.fetch({"chr1", 20, 25, '-'}), "NNNCC");
  EXPECT_EQ(genome.fetch({"chr1", -2, 26}), "NNACGTACGTNNACGTACGTACGGNNNN");
  EXPECT_EQ(genome.fetch({"chr1", 100, 103}), "NNN");
  EXPECT_EQ(genome.fetch({"chr1", -9, -6}), "NNN");
  EXPECT_EQ(genome.fetch({"chr1", 5, 5}), "");
  EXPECT_EQ(genome.fetch({"1", 0, 4}), "ACGT");
  EXPECT_EQ(genome.fetch({"chr2", 2, 6}), "TTCC");
  EXPECT_EQ(genome.length("chr2"), 8);
  EXPECT_EQ(genome.resolve("2"), "2");
  EXPECT_EQ(genome.resolve("MT"), std::nullopt);
  EXPECT_EQ(error_of([&] { genome.fetch({"chr3", 0, 4}); }), dir / "g.fa: has no contig 'chr3'");
  EXPECT_NE(error_of([&] { genome.fetch({"chr1", 4, 0}); }), "");
  EXPECT_EQ(genome.require({"chr2", 0, 8}, "a.bed:1"), "2");
  EXPECT_EQ(error_of([&] {
              genome.require({"chr3", 0, 4}, "a.bed:1");
            }),
            "a.bed:1: " + (dir / "g.fa") + " has no contig chr3");
  EXPECT_EQ(error_of([&] {
              genome.require({"chr2", 0, 9}, "a.bed:1");
            }),
            "a.bed:1: end 9 is past the end of chr2 (8 bp)");
}

TEST(Genome, SaysThatItHasAPieceOfAContig) {
  TempDir dir;
  write_file(dir / "g.fa", ">22:101-108\nACGTACGT\n>21:5-9\nACGT\n");  // the second is not as long as its name says
  const Genome genome(dir / "g.fa");
  const std::string piece = "; it has a piece of it, 22:101-108, whose first base is position 1";
  EXPECT_EQ(error_of([&] {
              genome.require({"chr22", 0, 4}, "a.bed:1");
            }),
            "a.bed:1: " + (dir / "g.fa") + " has no contig chr22" + piece);
  EXPECT_EQ(error_of([&] { genome.parse_region("22:101-104"); }),
            "region '22:101-104': " + (dir / "g.fa") + " has no such contig" + piece);
  EXPECT_EQ(error_of([&] { genome.parse_region("21:5-6"); }),
            "region '21:5-6': " + (dir / "g.fa") + " has no such contig");
  EXPECT_EQ(genome.parse_region("22:101-108:2-3").start, 1);
}

TEST(Genome, ErrorsNameCauseAndRemedy) {
  TempDir dir;
  const std::string text = ">a\n" + std::string(60, 'A') + "\nCC\n";
  const auto error = [&](const std::string& name) {
    const std::string message = error_of([&] { Genome{dir / name}; });
    return message.starts_with(dir / name) ? message.substr((dir / name).size()) : "no path: " + message;
  };
  write_file(dir / "plain", text);
  ASSERT_EQ(std::system(("gzip -c " + (dir / "plain") + " > " + (dir / "gzip.fa.gz")).c_str()), 0);
  EXPECT_NE(error("gzip.fa.gz").find("random access needs BGZF"), std::string::npos);
  ASSERT_EQ(std::system(("xz -c " + (dir / "plain") + " > " + (dir / "xz.fa.xz")).c_str()), 0);
  EXPECT_TRUE(error("xz.fa.xz").starts_with(": is compressed with xz, and random access needs BGZF: xz -dc "));
  write_file(dir / "bgzf.fa.gz", text);
  const std::string whole = read_file(dir / "bgzf.fa.gz");
  std::ofstream(dir / "cut.fa.gz", std::ios::binary) << whole.substr(0, whole.size() - 28);
  EXPECT_EQ(error("cut.fa.gz"), ": truncated: the BGZF end marker is missing");
  write_file(dir / "empty.fa", "");
  EXPECT_EQ(error("empty.fa"), ": is empty (a FASTA record was expected)");
  write_file(dir / "ragged.fa", ">a\nACGT\nAC\nACGT\n");
  EXPECT_NE(error("ragged.fa").find("differ in length"), std::string::npos);
  write_file(dir / "digits.fa", ">a\nACG1\nACGT\n");
  EXPECT_EQ(error_of([&] {
              Genome(dir / "digits.fa").fetch({"a", 2, 8});
            }),
            dir / "digits.fa: sequence a, position 4: '1' is not a nucleotide");
  EXPECT_EQ(Genome(dir / "digits.fa", InvalidBases::n).fetch({"a", 2, 8}), "GNACGT");
  EXPECT_EQ(error("none.fa"), ": No such file or directory");
  EXPECT_EQ(error_of([&] { Genome{dir.path()}; }), dir.path() + ": is a folder");
  write_file(dir / "damaged.fa", text);
  write_file(dir / "damaged.fa.fai", "a\tmany\n");
  EXPECT_NE(error_of([&] { Genome{dir / "damaged.fa"}; }), "");
}

TEST(Genome, BytesThatHtslibSkipsAreErrors) {
  TempDir dir;
  const std::string accent = ">a\nACGTACGTA\xC3\xA9\nGGGGGGGGGG\n>b\nACGT\n",
                    control = ">a\nACGTACGTAC\x01\nGGGGGGGGGG\x01\nCCCC\n",
                    later = ">a\nACGTACGTAC\nGGGGG GGGG\nCCCCCCCCCC\nTT\n", inner = ">a\nACGT ACGTAC\nGGGGGGGGGGG\n",
                    null(">a\nACGT\0ACGT\nAC\n>b\nAC\n", 22);
  for (const std::string& path : {dir / "g.fa", dir / "g.fa.gz"}) {
    const auto error = [&](const std::string& text, const Region& region, InvalidBases invalid = InvalidBases::error) {
      for (const std::string index : {".fai", ".gzi"}) fs::remove(path + index);
      write_file(path, text);
      const std::string message = error_of([&] { Genome(path, invalid).fetch(region); });
      return message.starts_with(path) ? message.substr(path.size()) : message;
    };
    EXPECT_EQ(error(accent, {"a", 0, 5}), ": sequence a, position 10: byte 195 is not a nucleotide");
    EXPECT_EQ(error(accent, {"b", 0, 4}), "");  // lies where the index says
    EXPECT_EQ(error(control, {"a", 14, 18}), ": sequence a, position 11: byte 1 is not a nucleotide");
    EXPECT_EQ(error(inner, {"a", 5, 8}), ": sequence a, position 5: byte 32 is not a nucleotide");
    EXPECT_EQ(error(null, {"a", 0, 2}),
              ": is not text (it has bytes 0; if it is UTF-16, convert it to UTF-8 (iconv -f UTF-16 -t UTF-8))");
    EXPECT_EQ(error(later, {"a", 0, 2}), ": sequence a, position 16: byte 32 is not a nucleotide");
    EXPECT_EQ(error(later, {"a", 20, 25}, InvalidBases::n),
              ": sequence a: does not match its index " + path +
                  ".fai: it contains blanks or non-letters, or the index belongs to another file");
    for (const std::string good :
         {">a\nACGT \nGGGG \n", ">a\r\nACGT\r\nGG\r\n", ">a\nACGT\nGG", ">a\nACGT\nGG\n\n\n>b\nAC\n"})
      EXPECT_EQ(error(good, {"a", 3, 6}), "") << good;
  }
}

TEST(Genome, NamesThatComeTwiceAndSequencesWithoutBases) {
  TempDir dir;
  const auto error = [&](const std::string& text, const std::string& index = "") {
    std::error_code ignored;
    fs::remove(dir / "g.fa.fai", ignored);
    write_file(dir / "g.fa", text);
    if (!index.empty()) write_file(dir / "g.fa.fai", index);
    return error_of([&] { Genome(dir / "g.fa").fetch({"a", 0, 2}); });
  };
  EXPECT_EQ(error(">a\nAC\n>b\nAC\n>a x\nGT\n"), (dir / "g.fa") + ": two sequences are named a");
  EXPECT_EQ(error(">a\nAC\n>a\nGT\n", "a\t2\t3\t2\t3\na\t2\t9\t2\t3\n"),
            (dir / "g.fa.fai") + ":2: two sequences are named a");
  EXPECT_EQ(error(">a\nAC\n>a\nGT\n", "a\t2\t3\t2\t3\n"),
            (dir / "g.fa") + ": two sequences are named a");  // as samtools writes it
  // at once, wherever they are; the index lists those that htslib does
  const auto at_once = [&](const std::string& between, const std::string& header, const std::string& end = "") {
    const std::string first = ">a\nAC\n>b\nAC\n" + between + header;
    return error(first + "GT\n" + end, concat("a\t2\t3\t2\t3\nb\t2\t9\t2\t3\nc\t2\t", first.size(), "\t2\t3\n"));
  };
  EXPECT_EQ(at_once(">a x\nGT\n", ">c\n"), (dir / "g.fa") + ": two sequences are named a");
  EXPECT_EQ(at_once("", ">c xyz\n", ">b\nAC\n"), (dir / "g.fa") + ": two sequences are named b");
  EXPECT_EQ(at_once("\n", ">c xyz\n", "\n\n>a\nAC\n"), (dir / "g.fa") + ": two sequences are named a");
  EXPECT_EQ(at_once(">none x\n\n", ">c x\n", "\n"), "");  // no bases: htslib leaves it out
  EXPECT_EQ(error(">a\nAC\n>b\n"), (dir / "g.fa") + ": sequence b is empty");
  EXPECT_EQ(error("\xEF\xBB\xBF>a\nAC\n"),
            (dir / "g.fa") + ": begins with a byte order mark, which random access cannot skip");
}

TEST(Genome, AnIndexThatIsCutShortIsAnError) {
  TempDir dir;
  write_file(dir / "g.fa", ">a\nACGT\nAC\n\n>b x\nTTTT\n>c\nGG\n");
  Genome{dir / "g.fa"}.fetch({"c", 0, 2});
  const std::string whole = read_file(dir / "g.fa.fai"), first = whole.substr(0, whole.find('\n') + 1);
  write_file(dir / "g.fa.fai", first);
  EXPECT_EQ(
      error_of([&] {
        Genome(dir / "g.fa").fetch({"a", 0, 2});
      }),
      (dir / "g.fa.fai") + ": lacks sequence b of " + (dir / "g.fa") + ": remove it, and bigdna builds a new one");
  write_file(dir / "g.fa.fai", first + "b\t3\t16\t4\t5\nc\t2\t25\t2\t3\n");  // b begins one base earlier
  EXPECT_NE(error_of([&] {
              Genome(dir / "g.fa").fetch({"a", 0, 2});
            }).find("the index belongs to another file"),
            std::string::npos);
  write_file(dir / "none.fa", ">a\nACGT\n>none\n>b\nAC\n");  // htslib leaves out sequences without bases
  EXPECT_EQ(Genome(dir / "none.fa").fetch({"a", 0, 2}), "AC");
  write_file(dir / "g.fa.fai", "");
  EXPECT_EQ(Genome(dir / "g.fa").fetch({"a", 0, 6}), "ACGTAC");
  EXPECT_EQ(read_file(dir / "g.fa.fai"), whole);
}

TEST(Genome, AnIndexThatCannotBeWrittenNamesTheCause) {
  TempDir dir;
  fs::create_directory(dir / "cache");
  setenv("BIGDNA_CACHE", (dir / "cache").c_str(), 1);
  write_file(dir / "g.fa", ">a\nACGT\n");
  const auto limited = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{};
    setrlimit(RLIMIT_FSIZE, &none);
    const auto error = error_of([&] { Genome{dir / "g.fa"}; });
    std::exit(error.starts_with((dir / "g.fa") +
                                ": has no index, and none can be written next to it (File too large) "
                                "or in " +
                                (dir / "cache/fai") + " (File too large): run samtools")
                  ? 7
                  : 8);
  };
  EXPECT_EXIT(limited(), testing::ExitedWithCode(7), "");
  unsetenv("BIGDNA_CACHE");
  EXPECT_FALSE(fs::exists(dir / "g.fa.fai"));
}

TEST(Genome, AStaleIndexIsBuiltAgain) {
  TempDir dir;
  write_file(dir / "g.fa", ">a\nACGT\n");
  { const Genome genome(dir / "g.fa"); }
  write_file(dir / "g.fa", ">other\nGG\n");
  fs::last_write_time(dir / "g.fa", fs::last_write_time(dir / "g.fa.fai") + std::chrono::seconds(2));
  EXPECT_EQ(Genome(dir / "g.fa").contigs()[0].name, "other");
}

TEST(Genome, BgzfThroughManyThreads) {
  TempDir dir;
  Rng rng(5);
  std::string bases(400000, 'A');
  for (char& base : bases) base = "ACGT"[rng.below(4)];
  std::string text = ">a\n";
  for (size_t i = 0; i < bases.size(); i += 61) text += bases.substr(i, 61) + "\n";
  write_file(dir / "g.fa.gz", text);
  EXPECT_EQ(read_all(dir / "g.fa.gz")[0].bases, bases);
  const Genome genome(dir / "g.fa.gz");
  EXPECT_TRUE(fs::exists(dir / "g.fa.gz.gzi"));
  std::vector<Genome> handles;
  for (int i = 0; i < 4; ++i) handles.push_back(genome.reopen());
  parallel_for(4, 4, [&](int64_t handle) {
    Rng draw(6, static_cast<uint64_t>(handle));
    for (int i = 0; i < 200; ++i) {
      const int64_t start = draw.between(0, 399999), end = draw.between(start, 400000);
      const int64_t stop = std::min(end, start + 1000);
      EXPECT_EQ(handles[static_cast<size_t>(handle)].fetch({"a", start, stop}),
                bases.substr(static_cast<size_t>(start), static_cast<size_t>(stop - start)));
    }
  });
}

}  // namespace
}  // namespace bigdna::genome
