#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "io/folder.h"
#include "io/manifest.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempDir;

TEST(OutputFolder, RefuseResumeReplace) {
  TempDir dir;
  const std::string folder = dir / "a/b";
  prepare_output_folder({folder, "corpus"});
  EXPECT_TRUE(fs::is_directory(folder));
  EXPECT_EQ(error_of([&] {
              prepare_output_folder({folder, "corpus"});
            }),
            folder + ": is not empty (--resume continues, --force replaces)");
  write_file(folder + "/part", "1");
  write_file(folder + "/part.77.partial", "half");
  prepare_output_folder({folder, "corpus", Existing::resume});
  EXPECT_TRUE(fs::exists(folder + "/part"));
  EXPECT_FALSE(fs::exists(folder + "/part.77.partial"));
  prepare_output_folder({folder, "corpus", Existing::replace});
  EXPECT_FALSE(fs::exists(folder + "/part"));
  Manifest manifest;
  manifest.kind = "corpus";
  manifest.save(folder + "/corpus.json");
  EXPECT_FALSE(fs::exists(folder + "/" + kUnfinishedMarker));
  prepare_output_folder({folder, "corpus", Existing::resume});
  EXPECT_TRUE(fs::exists(folder + "/corpus.json"));
  prepare_output_folder({folder, "corpus", Existing::replace});
  EXPECT_FALSE(fs::exists(folder + "/corpus.json"));
}

TEST(OutputFolder, AnotherProgramsFolderIsNeverTouched) {
  TempDir dir;
  write_file(dir / "thesis.tex", "years");
  for (const Existing existing : {Existing::refuse, Existing::resume, Existing::replace})
    EXPECT_NE(error_of([&] {
                prepare_output_folder({dir.path(), "corpus", existing});
              }).find("is not empty"),
              std::string::npos);
  EXPECT_EQ(read_file(dir / "thesis.tex"), "years");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputFolder, AnotherKindAndAnInputAreNeverReplaced) {
  TempDir dir;
  const std::string folder = dir / "run";
  prepare_output_folder({folder, "run"});
  write_file(folder + "/weights", "days");
  for (const Existing existing : {Existing::resume, Existing::replace})
    EXPECT_EQ(error_of([&] {
                prepare_output_folder({folder, "vocabulary", existing});
              }),
              folder + ": holds a run, not a vocabulary");
  EXPECT_EQ(error_of([&] {
              prepare_output_folder({folder, "run", Existing::replace, {"", "-", folder + "/weights"}});
            }),
            folder + ": holds the input " + folder + "/weights, which --force would delete");
  EXPECT_EQ(read_file(folder + "/weights"), "days");
}

std::string names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  std::string all;
  for (const auto& name : names) all += name + " ";
  return all;
}

TEST(OutputFolder, FilesThatNoRunMadeAreNeverReplaced) {
  TempDir dir;
  const std::string folder = dir / "set";
  const auto builds = [&] {
    write_file(folder + "/rows", "1");
    write_file(folder + "/rows.fai", "1");
    write_file(folder + "/options.json", "{}");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "rows");
    manifest.save(folder + "/dataset.json");
  };
  const auto replace = [&] { build_output_folder({folder, "dataset", Existing::replace}, builds); };
  const auto empty = [&] { prepare_output_folder({folder, "dataset", Existing::replace}); };
  replace();
  replace();
  for (const std::string name : {"notes.txt", "sub/notes.txt", "thesis.partial"}) {
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    write_file(folder + "/" + name, "mine");
    const auto error = folder + ": holds " + name + ", which is not of this dataset and which --force would delete";
    EXPECT_EQ(error_of(replace), error);
    EXPECT_EQ(error_of(empty), error);
    EXPECT_EQ(read_file(folder + "/" + name), "mine");
    fs::remove(folder + "/" + name);
  }
  write_file(folder + "/rows.77.partial", "half");
  empty();
  EXPECT_EQ(names_in(folder), ".unfinished ");
  write_file(folder + "/thesis.partial", "mine");
  prepare_output_folder({folder, "dataset", Existing::resume});
  EXPECT_EQ(names_in(folder), ".unfinished thesis.partial ");
}

TEST(OutputFolder, FilesOfTheSystemCountAsNothingAndStay) {
  TempDir dir;
  const std::string folder = dir / "set";
  fs::create_directories(folder + "/lost+found");
  write_file(folder + "/.nfs000000000001", "held");
  const auto builds = [&] {
    write_file(folder + "/part/rows", "1");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "part/rows");
    manifest.save(folder + "/dataset.json");
  };
  fs::create_directory(folder + "/lost+found/part");
  const auto build = [&](Existing existing) {
    build_output_folder({folder, "dataset", existing}, [&] {
      fs::create_directory(folder + "/part");
      builds();
    });
  };
  build(Existing::refuse);
  write_file(folder + "/.snakemake_timestamp", "");
  write_file(folder + "/part/.DS_Store", "");
  EXPECT_NE(error_of([&] { build(Existing::refuse); }).find("is not empty"), std::string::npos);
  build(Existing::replace);
  EXPECT_EQ(names_in(folder), ".nfs000000000001 .snakemake_timestamp dataset.json lost+found part ");
  EXPECT_EQ(read_file(folder + "/.nfs000000000001"), "held");
  prepare_output_folder({folder, "dataset", Existing::replace});
  EXPECT_EQ(names_in(folder), ".nfs000000000001 .snakemake_timestamp .unfinished lost+found ");
  EXPECT_TRUE(fs::exists(folder + "/lost+found/part"));
}

TEST(OutputFolder, AFullDiskLeavesNothing) {
  TempDir dir;
  const auto limited = [&](const auto& body) {  // in another process, which cannot write a byte
    EXPECT_EXIT(
        {
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit none{};
          setrlimit(RLIMIT_FSIZE, &none);
          std::exit(error_of(body).ends_with(".unfinished: File too large") ? 7 : 8);
        },
        testing::ExitedWithCode(7), "");
  };
  limited([&] { prepare_output_folder({dir / "new", "corpus"}); });
  limited([&] { build_output_folder({dir / "new", "corpus"}, [] {}); });
  EXPECT_EQ(names_in(dir.path()), "");
  const std::string folder = dir / "set";
  build_output_folder({folder, "dataset"}, [&] {
    write_file(folder + "/rows", "1");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "rows");
    manifest.save(folder + "/dataset.json");
  });
  limited([&] { build_output_folder({folder, "dataset", Existing::replace}, [] {}); });
  EXPECT_EQ(names_in(folder), "dataset.json rows ");
}

TEST(OutputFolder, BuildPutsBackWhatItReplacedWhereItFails) {
  TempDir dir;
  const std::string folder = dir / "set";
  const auto fails = [&] {
    write_file(folder + "/half", "2");
    fail("no");
  };
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset"}, fails); }), "no");
  EXPECT_FALSE(fs::exists(folder));
  const auto builds = [&] {
    write_file(folder + "/rows", "1");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "rows");
    manifest.save(folder + "/dataset.json");
  };
  build_output_folder({folder, "dataset"}, builds);
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", Existing::replace}, fails); }), "no");
  EXPECT_EQ(read_file(folder + "/rows"), "1");
  EXPECT_TRUE(fs::exists(folder + "/dataset.json"));
  EXPECT_FALSE(fs::exists(folder + "/half") || fs::exists(folder + "/.replaced") ||
               fs::exists(folder + "/" + kUnfinishedMarker));
  // killed while it moved the old files aside or back, or while it built: they are what a later failure leaves
  for (const std::string place : {".replacing", ".replaced"})
    for (const Existing existing : {Existing::replace, Existing::resume}) {
      write_file(folder + "/" + kUnfinishedMarker, "dataset");
      fs::create_directory(folder + "/" + place);
      fs::rename(folder + "/dataset.json", folder + "/" + place + "/dataset.json");
      if (place == ".replaced") fs::rename(folder + "/rows", folder + "/.replaced/rows");
      EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", existing}, fails); }), "no");
      EXPECT_EQ(read_file(folder + "/rows"), "1");
      EXPECT_EQ(names_in(folder), "dataset.json rows ");
    }
  // killed before it removed what it had replaced
  fs::create_directory(folder + "/.replaced");
  write_file(folder + "/.replaced/rows", "0");
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", Existing::replace}, fails); }), "no");
  EXPECT_EQ(read_file(folder + "/rows"), "1");
  EXPECT_EQ(names_in(folder), "dataset.json rows ");
  bool called = false;
  build_output_folder({folder, "dataset", Existing::resume}, [&] { called = true; });
  EXPECT_FALSE(called);
  build_output_folder({folder, "dataset", Existing::replace}, builds);
  EXPECT_FALSE(fs::exists(folder + "/.replaced"));
}

TEST(OutputFolder, IsNotCompleteWithoutTheFilesThatItsManifestLists) {
  TempDir dir;
  const auto make = [&](const std::string& folder, const std::string& kind) {
    prepare_output_folder({folder, kind});
    write_file(folder + "/rows", "12");
    Manifest manifest;
    manifest.kind = kind;
    manifest.add_file(folder, "rows");
    manifest.save(folder + "/" + manifest_name(kind));
  };
  make(dir / "set", "dataset");
  EXPECT_FALSE(is_complete(dir / "none", "dataset"));
  EXPECT_TRUE(is_complete(dir / "set", "dataset"));
  write_file(dir / "set/rows", "1");
  EXPECT_EQ(error_of([&] { is_complete(dir / "set", "dataset"); }),
            (dir / "set/rows") + ": has 1 bytes, but 2 were written: truncated or altered (--force starts over)");

  make(dir / "run", "run");
  fs::remove(dir / "run/rows");  // older versions listed a model's files here
  EXPECT_EQ(error_of([&] { verify_folder(dir / "run", false); }), (dir / "run/model/bigdna.json") + ": is missing");
  make(dir / "run/model", "model");
  make(dir / "run/corpus", "corpus");
  EXPECT_EQ(verify_folder(dir / "run", true), 2);
  fs::remove(dir / "run/corpus/rows");
  EXPECT_EQ(error_of([&] { is_complete(dir / "run", "run"); }),
            (dir / "run/corpus/rows") + ": is missing (--force starts over)");
}

TEST(OutputFolder, CannotBeMade) {
  EXPECT_EQ(error_of([] { prepare_output_folder({"/dev/null/x", "corpus"}); }), "/dev/null/x: Not a directory");
  EXPECT_EQ(error_of([] { prepare_output_folder({"/dev/null", "corpus"}); }), "/dev/null: exists and is not a folder");
}

TEST(RefuseSameFile, SeesThroughLinks) {
  TempDir dir;
  write_file(dir / "f", "");
  write_file(dir / "g", "");
  fs::create_hard_link(dir / "f", dir / "hard");
  fs::create_symlink(dir / "f", dir / "soft");
  for (const std::string name : {"f", "hard", "soft"})
    EXPECT_EQ(error_of([&] { refuse_shared_files({dir / name}, {dir / "f"}); }),
              (dir / name) + ": is the input " + (dir / "f") + " itself");
  for (const std::string name : {"g", "new"}) EXPECT_NO_THROW(refuse_shared_files({dir / name}, {dir / "f"}));
  EXPECT_NO_THROW(refuse_shared_files({"-", ""}, {"-", ""}));
  EXPECT_EQ(error_of([&] {
              refuse_shared_files({dir / "new", dir / "./new"}, {});
            }),
            (dir / "./new") + ": two outputs would be written to it (the other as " + (dir / "new") + ")");
  EXPECT_EQ(error_of([&] { refuse_shared_files({"-", "-"}, {}); }), "stdout: two outputs would be written to it");
}

TEST(RefuseOutputsIn, FoldersThatAreRead) {
  TempDir dir;
  fs::create_directory(dir / "model");
  fs::create_directory_symlink(dir / "model", dir / "link");
  write_file(dir / "file", "");
  for (const std::string name : {"model/new", "link/new", "other/../model/sub/new", "model"})
    EXPECT_EQ(error_of([&] {
                refuse_outputs_in({"", dir / name}, {"", dir / "model"});
              }),
              (dir / name) + ": is inside the input folder " + (dir / "model") + "; choose another output path");
  EXPECT_NO_THROW(refuse_outputs_in({"-", "", dir / "models", dir / "new", dir / "file"},
                                    {dir / "model", dir / "model/", dir / "none", dir / "file"}));
  const auto here = fs::current_path();
  fs::current_path(dir / "model");
  const auto error = error_of([] { refuse_outputs_in({"new"}, {"../link/"}); });
  fs::current_path(here);
  EXPECT_EQ(error, "new: is inside the input folder ../link/; choose another output path");
}

}  // namespace
}  // namespace bigdna::io
