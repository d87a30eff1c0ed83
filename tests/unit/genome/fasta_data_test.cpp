// FASTA files of other programs' test data, and real genomes, beside what these programs and samtools make of them.
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/rng.h"
#include "genome/fasta.h"
#include "genome/read_fasta.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

namespace fs = std::filesystem;
using io::read_file;
using io::write_file;
using test::error_of;
using test::TempDir;

/// Standard output of a shell command.
std::string output_of(const std::string& command) {
  TempDir dir;
  EXPECT_EQ(std::system((command + " > " + (dir / "out")).c_str()), 0) << command;
  return read_file(dir / "out");
}

/// The sequences of FASTA text, upper case, without headers and line ends.
std::string bases_of(const std::string& fasta) {
  TempDir dir;
  std::ofstream(dir / "f.fa") << fasta;
  std::string bases;
  for (const auto& record : read_all(dir / "f.fa")) bases += record.bases;
  return bases;
}

/// A copy, because indices are built beside the file and the shared data stays as it is.
std::string copied(const std::string& path, const TempDir& dir) {
  const std::string copy = dir / fs::path(path).filename().string();
  fs::copy_file(path, copy);
  return copy;
}

TEST(Fixtures, HtslibFaidx) {
  BIGDNA_REAL_DATA(folder, "fixtures/htslib_faidx");
  TempDir dir;
  const std::string path = copied(folder + "/faidx.fa", dir);
  const Genome genome(path);
  EXPECT_EQ(read_file(path + ".fai"), read_file(folder + "/faidx.fa.expected.fai"));
  std::string bases;
  for (const std::string region : {"trailingblank2:28-33", "trailingblank3:4-5", "bar:4-5"})
    bases += genome.fetch(genome.parse_region(region));
  EXPECT_EQ(bases, bases_of(read_file(folder + "/faidx.1.expected.fa")));
  const auto records = read_all(path);
  ASSERT_EQ(records.size(), genome.contigs().size());
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].name, genome.contigs()[i].name);
    EXPECT_EQ(records[i].bases, genome.fetch({records[i].name, 0, genome.contigs()[i].length}));
  }
  write_file(dir / "ce.fa", output_of("gzip -dc " + folder + "/ce.fa.gz"));
  const Genome worm(dir / "ce.fa");
  bases.clear();
  for (const std::string region : {"CHROMOSOME_I:5001-5125", "CHROMOSOME_X:101-225"})
    bases += worm.fetch(worm.parse_region(region));
  EXPECT_EQ(bases, bases_of(read_file(folder + "/ce.1.expected.fa")));
  EXPECT_NE(error_of([&] { Genome{copied(folder + "/fastqs.fq", dir)}; }).find("FASTQ"), std::string::npos);
}

TEST(Fixtures, Nucleus) {
  BIGDNA_REAL_DATA(folder, "fixtures/nucleus_fasta");
  TempDir dir;
  const auto plain = read_all(folder + "/test.fasta");
  for (const std::string name : {"test.fasta.gz", "unindexed.fasta", "unindexed_emptylines.fasta"}) {
    const auto other = read_all(folder + "/" + name);
    ASSERT_EQ(other.size(), plain.size()) << name;
    for (size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(other[i].name, plain[i].name);
      EXPECT_EQ(other[i].bases, plain[i].bases);
    }
  }
  EXPECT_NE(error_of([&] { read_all(folder + "/malformed.fasta"); }).find("malformed.fasta:1: not FASTA"),
            std::string::npos);
  EXPECT_EQ(Genome(copied(folder + "/test.fasta.gz", dir)).fetch({"chr2", 0, 8}), "CGCTNCGG");
}

TEST(Fixtures, PyfaidxAndBedtools) {
  BIGDNA_REAL_DATA(folder, "fixtures");
  TempDir dir;
  for (const std::string name :
       {"pyfaidx/gene.bed12.fasta", "pyfaidx/issue_83.fasta", "bedtools_getfasta/t.fa", "bedtools_getfasta/t_fH.fa",
        "bedtools_getfasta/t.fa.gz", "bedtools_getfasta/rna.fasta", "bedtools_getfasta/test.iupac.fa"}) {
    const auto records = read_all(folder + "/" + name);
    const Genome genome(copied(folder + "/" + name, dir));
    ASSERT_EQ(records.size(), genome.contigs().size()) << name;
    for (size_t i = 0; i < records.size(); ++i) {
      ASSERT_EQ(genome.length(records[i].name), static_cast<int64_t>(records[i].bases.size())) << name;
      EXPECT_EQ(genome.fetch({records[i].name, 0, genome.length(records[i].name)}), records[i].bases) << name;
    }
  }
  // bedtools getfasta -s on RNA, as DNA
  const Genome rna(dir / "rna.fasta");
  EXPECT_EQ(rna.fetch({"chr1", 0, 10, '-'}), "CATCGGTCAA");
  EXPECT_EQ(rna.fetch({"chr1", 0, 10, '+'}), "TTGACCGATG");
}

TEST(RealData, RandomRegionsEqualSamtools) {
  BIGDNA_REAL_DATA(path, "genomes/GRCh37.chr20.fa.gz");
  TempDir dir;
  const Genome genome(path);
  Rng rng(11);
  std::string list, bases;
  for (int i = 0; i < 300; ++i) {
    const int64_t start = rng.between(0, 63025519), end = std::min<int64_t>(63025520, start + rng.between(1, 9000));
    list += concat("20:", start + 1, "-", end, "\n");
    bases += genome.fetch({"chr20", start, end});
  }
  write_file(dir / "regions", list);
  EXPECT_EQ(bases, bases_of(output_of("samtools faidx -r " + (dir / "regions") + " " + path)));
}

TEST(RealData, StreamingEqualsRandomAccess) {
  BIGDNA_REAL_DATA(path, "genomes/sacCer3.fa.gz");
  const Genome genome(path);
  size_t count = 0;
  for (const auto& record : read_all(path)) {
    EXPECT_EQ(record.name, genome.contigs()[count].name);
    EXPECT_EQ(record.bases, genome.fetch({record.name, 0, genome.contigs()[count].length}));
    ++count;
  }
  EXPECT_EQ(count, 17u);
}

}  // namespace
}  // namespace bigdna::genome
