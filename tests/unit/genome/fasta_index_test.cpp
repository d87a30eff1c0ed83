#include "genome/fasta_index.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "genome/fasta.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

namespace fs = std::filesystem;
using io::read_file, io::write_file;
using test::error_of, test::TempDir;

TEST(FastaIndex, SwappedNamesAreFound) {
  TempDir dir;
  const std::string path = dir / "g.fa";
  write_file(path, ">a long " + std::string(2000, 'x') + "\nACGT\nAC\n>\tb x\nTTTT\nTT\n");
  write_file(path + ".fai", "a\t6\t2009\t4\t5\nb\t6\t2023\t4\t5\n");
  EXPECT_EQ(Genome(path).fetch({"a", 0, 6}), "ACGTAC");
  EXPECT_EQ(Genome(path).fetch({"b", 0, 6}), "TTTTTT");
  write_file(path + ".fai", "b\t6\t2009\t4\t5\na\t6\t2023\t4\t5\n");
  EXPECT_EQ(error_of([&] {
              Genome(path).fetch({"a", 0, 6});
            }),
            concat(path, ".fai: is not the index of ", path, ": where it has sequence a, the file has b; remove it, ",
                   "and bigdna builds a new one"));
  write_file(path + ".fai", "a\t2\t2012\t4\t5\n");
  EXPECT_NE(error_of([&] { Genome(path).fetch({"a", 0, 2}); }), "");
}

TEST(FastaIndex, NoNumberIsLargerThanTheFile) {
  TempDir dir;
  const std::string path = dir / "g.fa", text = ">a\nACGT\nAC\n";
  write_file(path, text);
  for (const std::string length : {"12", "1000000000", "9000000000000000000"}) {
    write_file(path + ".fai", "a\t" + length + "\t3\t4\t5\n");
    EXPECT_NE(error_of([&] { Genome{path}; }).find("would go on past the end of the file"), std::string::npos)
        << length;
  }
  // up to the file's size a length may fit, but the bases end before
  write_file(path + ".fai", "a\t9\t3\t4\t5\n");
  const auto error = error_of([&] { Genome(path).fetch({"a", 0, 2}); });
  EXPECT_NE(error.find("or the index belongs to another file"), std::string::npos) << error;
  write_file(path + ".fai", "a\t2\t3\t4\t9000000000000000000\n");  // a line of so many bytes
  EXPECT_NE(error_of([&] { Genome{path}; }), "");
  write_file(path + ".fai", "a\t2\t9223372036854775807\t4\t5\n");
  EXPECT_NE(error_of([&] { Genome{path}; }).find("would go on past the end of the file"), std::string::npos);
  write_file(dir / "g.fa.gz", text);
  Genome{dir / "g.fa.gz"};
  write_file(dir / "g.fa.gz.fai", "a\t1000000000\t3\t4\t5\n");
  EXPECT_NE(error_of([&] { Genome{dir / "g.fa.gz"}; }).find("would go on past the end of the file"), std::string::npos);
}

TEST(FastaIndex, ACacheInASharedFolderIsThisUsersAlone) {
  TempDir dir;
  const fs::path parent = dir / "bigdna-0", folder = parent / "fai";
  const io::UserCache cache{folder, /*shared_parent=*/true};
  EXPECT_EQ(cache.refused(), ENOENT);
  EXPECT_EQ(cache.refused(/*make=*/true), 0);
  struct stat info {};
  for (const auto& made : {parent, folder}) {
    ASSERT_EQ(stat(made.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  chmod(folder.c_str(), 0770);
  EXPECT_EQ(cache.refused(), EACCES);
  chmod(folder.c_str(), 0755);
  EXPECT_EQ(cache.refused(), 0);
  fs::rename(folder, dir / "elsewhere");
  fs::create_directory_symlink(dir / "elsewhere", folder);
  EXPECT_EQ(cache.refused(), ENOTDIR);
  EXPECT_EQ(cache.refused(/*make=*/true), ENOTDIR);
  if (geteuid() != 0) return;
  fs::remove(folder);
  fs::create_directory(folder);
  EXPECT_EQ(cache.refused(), 0);
  ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
  EXPECT_EQ(cache.refused(), EACCES);
}

}  // namespace
}  // namespace bigdna::genome
