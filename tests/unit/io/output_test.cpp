#include "io/output.h"

#include <htslib/bgzf.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/error.h"
#include "io/folder.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "support.h"

namespace bigdna::io {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempDir;

std::string inflate(const std::string& path) {
  BGZF* file = bgzf_open(path.c_str(), "r");
  std::string content(1 << 22, '\0');
  content.resize(static_cast<size_t>(bgzf_read(file, content.data(), content.size())));
  EXPECT_EQ(bgzf_compression(file), 2);
  EXPECT_EQ(bgzf_check_EOF(file), 1);
  bgzf_close(file);
  return content;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += concat("line ", i, "\n");
  return text;
}

TEST(Output, TheNameSaysHowAFileIsCompressed) {
  const TempDir folder;
  Output output(folder / "a.fa.bgz");
  output << long_text();
  output.commit();
  EXPECT_EQ(inflate(folder / "a.fa.bgz"), long_text());
  for (const char* name : {"a.fa.xz", "a.BZ2", "a.zst"}) {
    EXPECT_EQ(error_of([&] { Output(folder / name); }),
              folder / name + ": bigdna compresses files whose names end in .gz or .bgz, and no others");
    EXPECT_FALSE(fs::exists(folder / name));
  }
}

TEST(Output, SuffixesInEitherCase) {
  EXPECT_TRUE(has_suffix("a/b.vcf.gz", {".h5", ".vcf.gz"}));
  EXPECT_TRUE(has_suffix("B.VCF.GZ", {".gz"}));
  EXPECT_FALSE(has_suffix("gz", {".gz"}));
  EXPECT_FALSE(has_suffix("a.gz.txt", {".gz"}));
  TempDir dir;
  write_file(dir / "A.GZ", "text");
  EXPECT_EQ(inflate(dir / "A.GZ"), "text");
}

TEST(Output, IsThereOnlyAfterCommit) {
  TempDir dir;
  const std::string path = dir / "out.txt";
  Output output(path);
  output << "first\n" << std::string(1 << 20, 'x');
  EXPECT_FALSE(fs::exists(path));
  output.commit();
  EXPECT_EQ(read_file(path), "first\n" + std::string(1 << 20, 'x'));
  EXPECT_EQ(dir.entries(), 1u);
  struct stat info {};
  stat(path.c_str(), &info);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
}

TEST(Output, FollowsNoLinkThatHasItsTemporaryName) {
  TempDir dir;
  const std::string path = dir / "out.txt", trap = concat(path, ".", getpid(), ".partial"), victim = dir / "victim";
  write_file(victim, "mine");
  for (const bool library : {false, true}) {
    fs::create_symlink(victim, trap);
    if (library) {
      AtomicFile file(path);
      std::ofstream(file.temporary()) << "text";
      file.commit();
    } else {
      write_file(path, "text");
    }
    EXPECT_EQ(read_file(victim), "mine");
    EXPECT_EQ(read_file(path), "text");
    EXPECT_FALSE(fs::is_symlink(path));
    fs::remove(path);
  }
}

TEST(Output, RenamesOnlyWhatItHasWritten) {
  TempDir dir;
  const std::string path = dir / "out.txt";
  AtomicFile file(path);
  fs::remove(file.temporary());
  write_file(dir / "other", "another's");
  fs::create_symlink(dir / "other", file.temporary());
  EXPECT_NE(error_of([&] { file.commit(); }).find("another process has replaced"), std::string::npos);
  EXPECT_FALSE(fs::exists(path));
}

TEST(Output, AppendsToNoLink) {
  TempDir dir;
  write_file(dir / "victim", "mine");
  fs::create_symlink(dir / "victim", dir / "log");
  EXPECT_NE(error_of([&] { open_to_append(dir / "log"); }).find("log: is a link"), std::string::npos);
}

TEST(Output, DescriptorsAndPipesAreWrittenToAsTheyAre) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string path = concat("/dev/fd/", ends[1]);
  EXPECT_EQ(descriptor_of(path), ends[1]);
  EXPECT_EQ(descriptor_of("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_of("-"), 1);
  EXPECT_FALSE(descriptor_of("/dev/fd/x"));
  TempDir dir;
  refuse_shared_files({path, dir / "out"}, {dir / "in"});
  refuse_outputs_in({path, "/dev/stdout"}, {dir.path()});
  write_file(path, "text");
  char text[5] = "";
  EXPECT_EQ(read(ends[0], text, 4), 4);
  EXPECT_STREQ(text, "text");
  EXPECT_NE(error_of([&] { refuse_shared_files({"-", "/dev/stdout"}, {}); }).find("two outputs"), std::string::npos);
  EXPECT_NE(error_of([&] { AtomicFile file(path); }).find("is not a regular file"), std::string::npos);
  close(ends[0]);
  close(ends[1]);
}

TEST(Output, LeavesNothingWithoutCommit) {
  TempDir dir;
  for (const std::string name : {"a.txt", "a.gz"}) {
    Output output(dir / name);
    output << long_text();
  }
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(Output, KeepsTheOldFileUntilCommit) {
  TempDir dir;
  write_file(dir / "f", "old");
  {
    Output output(dir / "f");
    output << "lost";
  }
  EXPECT_EQ(read_file(dir / "f"), "old");
  write_file(dir / "f", "new");
  EXPECT_EQ(read_file(dir / "f"), "new");
}

TEST(Output, WritesBgzfForGz) {
  TempDir dir;
  for (const int threads : {1, 3}) {
    Output output(dir / "f.gz", threads);
    output << long_text();
    output.commit();
    EXPECT_EQ(inflate(dir / "f.gz"), long_text());
    EXPECT_EQ(dir.entries(), 1u);
  }
}

TEST(Output, WritesThroughALink) {
  TempDir dir;
  write_file(dir / "target", "old");
  fs::create_symlink(dir / "target", dir / "link");
  write_file(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "target"), "new");
}

TEST(Output, AFullDiskIsAnError) {
  const auto write = [](const std::string& path) { write_file(path, long_text()); };
  EXPECT_EQ(error_of([&] { write("/dev/full"); }), "/dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  TempDir dir;
  fs::create_symlink("/dev/full", dir / "full.gz");
  EXPECT_EQ(error_of([&] { write(dir / "full.gz"); }), dir / "full.gz: No space left on device");
}

TEST(Output, AFailureInTheMiddleLeavesNothing) {
  TempDir dir;
  struct rlimit limit {};
  getrlimit(RLIMIT_FSIZE, &limit);
  const struct rlimit small { 100000, limit.rlim_max };
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = error_of([&] { write_file(dir / "f", long_text()); });
  const std::string error_gz = error_of([&] {
    Output output(dir / "f.gz");
    for (int i = 0; i < 3'000'000; ++i) output << concat(i * 7919 % 104729, "\n");
    output.commit();
  });
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(error, dir / "f: File too large");
  EXPECT_EQ(error_gz, dir / "f.gz: File too large");
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(Output, ErrorsNameThePath) {
  TempDir dir;
  EXPECT_EQ(error_of([&] { write_file(dir / "no/such/f", ""); }), dir / "no/such/f: No such file or directory");
  EXPECT_EQ(error_of([&] { write_file(dir.path(), ""); }), dir.path() + ": is a folder");
  EXPECT_EQ(error_of([&] { read_file(dir / "none"); }), dir / "none: No such file or directory");
}

TEST(Output, AClosedPipeIsBrokenPipe) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const int saved = dup(STDOUT_FILENO);
  fflush(stdout);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  bool broken = false;
  try {
    write_file("-", long_text());
  } catch (const BrokenPipe&) {
    broken = true;
  }
  dup2(saved, STDOUT_FILENO);
  close(saved);
  EXPECT_TRUE(broken);
}

std::vector<std::string> lines_of(const std::string& path, int threads = 1) {
  LineReader reader(path, threads);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.emplace_back(*line);
  EXPECT_EQ(reader.line(), static_cast<int64_t>(lines.size()));
  return lines;
}

TEST(LineReader, EndsOfLinesAndFiles) {
  TempDir dir;
  using Lines = std::vector<std::string>;
  write_file(dir / "a", "one\r\n\n three\t\nfour");
  EXPECT_EQ(lines_of(dir / "a"), (Lines{"one", "", " three\t", "four"}));
  write_file(dir / "b", "");
  EXPECT_EQ(lines_of(dir / "b"), Lines{});
  write_file(dir / "c", "\n");
  EXPECT_EQ(lines_of(dir / "c"), Lines{""});
  const std::string big(3 << 20, 'A');
  write_file(dir / "d", "x\n" + big + "\ny\n");
  EXPECT_EQ(lines_of(dir / "d"), (Lines{"x", big, "y"}));
}

TEST(LineReader, GzipAndBgzfAndTheirTruncation) {
  TempDir dir;
  write_file(dir / "plain", long_text());
  const auto expected = lines_of(dir / "plain");
  write_file(dir / "f.gz", long_text());
  EXPECT_EQ(lines_of(dir / "f.gz"), expected);
  EXPECT_EQ(lines_of(dir / "f.gz", 3), expected);
  ASSERT_EQ(std::system(("gzip -c " + (dir / "plain") + " > " + (dir / "g.gz")).c_str()), 0);
  EXPECT_EQ(lines_of(dir / "g.gz"), expected);
  for (const std::string name : {"f.gz", "g.gz"}) {
    const std::string whole = read_file(dir / name);
    for (const size_t missing : {size_t{1}, size_t{8}, size_t{28}, size_t{500}, whole.size() / 2, whole.size() - 5}) {
      write_file(dir / "cut", whole.substr(0, whole.size() - missing));
      for (const int threads : {1, 2})
        EXPECT_NE(error_of([&] { lines_of(dir / "cut", threads); }).find("cut: truncated"), std::string::npos)
            << name << " " << missing;
    }
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
    std::ofstream(dir / "damaged", std::ios::binary) << damaged;
    EXPECT_NE(error_of([&] { lines_of(dir / "damaged"); }).find("truncated or damaged"), std::string::npos) << name;
  }
}

TEST(LineReader, WhatFollowsAMemberIsReadOrAnError) {
  TempDir dir;
  write_file(dir / "plain", long_text());
  write_file(dir / "twice", long_text() + long_text());
  const auto expected = lines_of(dir / "twice");
  write_file(dir / "f.gz", long_text());
  ASSERT_EQ(std::system(concat("cd ", dir.path(), " && gzip -c plain >g.gz && xz -c plain >x.gz").c_str()), 0);
  const std::string bgzf = read_file(dir / "f.gz"), gzip = read_file(dir / "g.gz"), xz = read_file(dir / "x.gz");
  const std::string end = bgzf.substr(bgzf.size() - 28), unended = bgzf.substr(0, bgzf.size() - 28);
  const std::vector<std::string> read{bgzf + bgzf,    unended + bgzf,    gzip + bgzf,         gzip + gzip,
                                      gzip + unended, bgzf + gzip + end, unended + gzip + end};
  const std::string half = gzip.substr(0, gzip.size() / 2), zeros(512, '\0');
  const std::vector<std::string> refused{bgzf + gzip,        bgzf + "garbage",  bgzf + "garbage" + end,
                                         bgzf + zeros + end, bgzf + half + end, gzip + "\x1f",
                                         gzip + "garbage",   gzip + zeros,      gzip + half,
                                         gzip + xz,          xz + "garbage",    xz + gzip,
                                         xz + bgzf,          bgzf + long_text()};
  for (const int threads : {1, 3}) {
    for (size_t i = 0; i < read.size(); ++i) {
      std::ofstream(dir / "joined", std::ios::binary) << read[i];
      EXPECT_TRUE(lines_of(dir / "joined", threads) == expected) << i << " with " << threads;
    }
    for (size_t i = 0; i < refused.size(); ++i) {
      std::ofstream(dir / "joined", std::ios::binary) << refused[i];
      EXPECT_TRUE(error_of([&] { lines_of(dir / "joined", threads); }).starts_with(dir / "joined: truncated")) << i;
    }
  }
}

TEST(LineReader, ErrorsNameThePath) {
  TempDir dir;
  EXPECT_EQ(error_of([&] { LineReader(dir / "none"); }), dir / "none: No such file or directory");
  EXPECT_EQ(error_of([&] { LineReader{dir.path()}; }), dir.path() + ": is a folder");
}

TEST(Manifest, RoundTripAndFiles) {
  TempDir dir;
  write_file(dir / "in.fa", ">a\nACGT\n");
  write_file(dir / "data.bin", "some bytes");
  set_program("1.2.3", 2, std::array<const char*, 2>{"bigdna", "corpus"}.data());
  Manifest manifest;
  manifest.kind = "corpus";
  manifest.seed = UINT64_MAX;
  manifest.add_input(dir / "in.fa");
  manifest.add_input("-");
  manifest.details["documents"] = 7;
  manifest.add_file(dir.path(), "data.bin");
  manifest.save(dir / "corpus.json");
  const Manifest read = manifest_of_folder(dir.path());
  EXPECT_EQ(read.kind, "corpus");
  EXPECT_EQ(read.version, "1.2.3");
  EXPECT_EQ(read.command_line, "bigdna corpus");
  EXPECT_EQ(read.seed, UINT64_MAX);
  EXPECT_EQ(read.inputs, manifest.inputs);
  EXPECT_EQ(read.inputs[0]["md5"], md5_of_bytes(">a\nACGT\n"));
  EXPECT_EQ(read.details["documents"], 7);
  EXPECT_EQ(read.verify_files(dir.path(), true), 1);

  write_file(dir / "data.bin", "some bites");
  EXPECT_EQ(read.verify_files(dir.path(), false), 1);
  EXPECT_EQ(error_of([&] { read.verify_files(dir.path(), true); }),
            dir / "data.bin: its checksum differs from the recorded one: damaged or altered");
  write_file(dir / "data.bin", "some");
  EXPECT_EQ(error_of([&] { read.verify_files(dir.path(), false); }),
            dir / "data.bin: has 4 bytes, but 10 were written: truncated or altered");
  fs::remove(dir / "data.bin");
  EXPECT_EQ(error_of([&] { read.verify_files(dir.path(), false); }), dir / "data.bin: is missing");
}

TEST(Manifest, CommandLinesAreQuoted) {
  const auto run = [](std::vector<const char*> words) {
    set_program("1", static_cast<int>(words.size()), words.data());
  };
  run({"bigdna", "corpus", "my genome.fa", "it's", "$HOME/*.fa", "", "back\\slash", "-o", "a=b,c:1.5", "Zürich"});
  EXPECT_EQ(command_line(),
            R"(bigdna corpus 'my genome.fa' 'it'\''s' '$HOME/*.fa' '' 'back\slash' -o a=b,c:1.5 Zürich)");
  set_program("1.2.3", 2, std::array<const char*, 2>{"bigdna", "corpus"}.data());
}

TEST(Manifest, Errors) {
  TempDir dir;
  write_file(dir / "corpus.json", "{\"kind\": \"corpus\", \"version\"");
  EXPECT_EQ(error_of([&] { manifest_of_folder(dir.path()); }), dir / "corpus.json: is not JSON (line 1)");
  write_file(dir / "corpus.json", "{\"kind\": \"corpus\"}");
  EXPECT_EQ(error_of([&] { manifest_of_folder(dir.path()); }), dir / "corpus.json: has no \"version\"");
  write_file(dir / "corpus.json", R"({"kind": "dataset", "version": "", "command_line": "", "seed": 1, "inputs": []})");
  EXPECT_EQ(error_of([&] { manifest_of_folder(dir.path()); }), dir / "corpus.json: is a dataset, not a corpus");
  write_file(dir / "corpus.json", R"({"kind": "corpus", "version": 1, "command_line": "", "seed": 1, "inputs": []})");
  EXPECT_EQ(error_of([&] { manifest_of_folder(dir.path()); }), dir / "corpus.json: \"version\" is of the wrong type");
  EXPECT_EQ(error_of([&] { manifest_of_folder(dir / "none"); }), dir / "none: No such file or directory");
  TempDir empty;
  EXPECT_NE(error_of([&] { manifest_of_folder(empty.path()); }).find("is not a folder made by bigdna"),
            std::string::npos);
  prepare_output_folder({empty.path(), "corpus"});
  EXPECT_NE(error_of([&] { manifest_of_folder(empty.path()); }).find("is unfinished"), std::string::npos);
}

TEST(Md5, IsMd5) {
  EXPECT_EQ(md5_of_bytes(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of_bytes("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");  // RFC 1321
}

}  // namespace
}  // namespace bigdna::io
