#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "io/folder_files.h"
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
  write_file(folder + "/dna.model", "1");
  write_file(folder + "/dna.model.77.partial", "half");
  prepare_output_folder({folder, "corpus", Existing::resume});
  EXPECT_TRUE(fs::exists(folder + "/dna.model"));
  EXPECT_FALSE(fs::exists(folder + "/dna.model.77.partial"));
  prepare_output_folder({folder, "corpus", Existing::replace});
  EXPECT_FALSE(fs::exists(folder + "/dna.model"));
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
  write_file(folder + "/metrics.tsv", "days");
  for (const Existing existing : {Existing::resume, Existing::replace})
    EXPECT_EQ(error_of([&] {
                prepare_output_folder({folder, "vocabulary", existing});
              }),
              folder + ": holds a run, not a vocabulary");
  EXPECT_EQ(error_of([&] {
              prepare_output_folder({folder, "run", Existing::replace, {"", "-", folder + "/metrics.tsv"}});
            }),
            folder + ": holds the input " + folder + "/metrics.tsv, which --force would delete");
  EXPECT_EQ(read_file(folder + "/metrics.tsv"), "days");
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
    write_file(folder + "/regions.bed.gz", "1");
    write_file(folder + "/sequences.fa.gz.fai", "1");
    write_file(folder + "/options.json", "{}");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "regions.bed.gz");
    manifest.save(folder + "/dataset.json");
  };
  const auto replace = [&] { build_output_folder({folder, "dataset", Existing::replace}, builds); };
  const auto empty = [&] { prepare_output_folder({folder, "dataset", Existing::replace}); };
  replace();
  replace();
  for (const std::string name : {"notes.txt", "sub/notes.txt", "thesis.partial"}) {
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    write_file(folder + "/" + name, "mine");
    const auto error =
        folder + ": holds " + name + ", which bigdna did not write and which would be lost: move it away";
    EXPECT_EQ(error_of(replace), error);
    EXPECT_EQ(error_of(empty), error);
    EXPECT_EQ(read_file(folder + "/" + name), "mine");
    fs::remove(folder + "/" + name);
    fs::remove(folder + "/sub");
  }
  write_file(folder + "/regions.bed.gz.77.partial", "half");
  empty();
  EXPECT_EQ(names_in(folder), ".unfinished ");
  write_file(folder + "/thesis.partial", "mine");
  prepare_output_folder({folder, "dataset", Existing::resume});
  EXPECT_EQ(names_in(folder), ".unfinished thesis.partial ");
}

TEST(OutputFolder, OnlyWhatBigdnaWroteIsRemovedFromRunsModelsAndUnfinishedFolders) {
  TempDir dir;
  const std::map<std::string, std::vector<std::string>> own{
      {"run",
       {"metrics.jsonl", "model/model.safetensors", "corpus/validation/00000.safetensors", "vocabulary/dna.vocab",
        "network-12/checkpoints/step-000000100/state.json", "checkpoints/step-000000100.2.partial/state.json",
        "checkpoints/best-000000001/parameters.safetensors", "promoter_roc_mqc.json", "run.json", ".unfinished"}},
      {"model", {"config.json", "kmers.safetensors", "bigdna.json", "options.json"}},
      {"corpus", {"training/00012.safetensors", "tokenizer.json", "training/00012.safetensors.77.partial"}}};
  const std::map<std::string, std::vector<std::string>> others{
      {"run",
       {"notes.md", "model/notes.md", "checkpoints/step-000000100.keep/state.json", "checkpoints/step-000000100/x.tsv",
        "network-1x/metrics.jsonl", "model/model/config.json", "my.svg", "corpus/training/mine.safetensors"}},
      {"model", {"pytorch_model.bin", "kmers.safetensors.bak"}},
      {"corpus", {"genome.fa", "training/notes", "training.bed"}}};
  const auto write = [&](const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    write_file(path, "1");
  };
  for (const auto& [kind, names] : own) {
    const std::string folder = dir / kind;
    const auto replace = [&, kind = kind] { prepare_output_folder({folder, kind, Existing::replace}); };
    for (const bool finished : {true, false}) {
      for (const auto& name : names) write(folder + "/" + name);
      if (finished) fs::remove(folder + "/" + kUnfinishedMarker), write(folder + "/" + manifest_name(kind));
      if (!finished) write_file(folder + "/" + kUnfinishedMarker, kind + "\n");
      for (const auto& name : others.at(kind)) {
        write(folder + "/" + name);
        EXPECT_EQ(error_of(replace), folder + ": holds " + name + ", which bigdna did not write and which would be " +
                                         "lost: move it away");
        for (const auto& kept : names) EXPECT_TRUE(fs::exists(folder + "/" + kept) || kept == ".unfinished") << kept;
        fs::remove(folder + "/" + name);
        for (auto outer = fs::path(folder + "/" + name).parent_path(); fs::is_empty(outer); outer = outer.parent_path())
          fs::remove(outer);
      }
      replace();
      EXPECT_EQ(names_in(folder), ".unfinished ");
      for (const auto& name : names) write(folder + "/" + name);
      write_file(folder + "/" + kUnfinishedMarker, kind + "\n");
      write(folder + "/" + others.at(kind).front());  // came while the run was under way
      discard_output_folder(folder, false);
      EXPECT_EQ(files_in(folder), std::vector<std::string>{others.at(kind).front()});
      fs::remove_all(folder);
    }
  }
}

TEST(OutputFolder, BuildsNeitherMoveNorRemoveOthersFiles) {
  TempDir dir;
  const std::string folder = dir / "set";
  const auto fails = [&] {
    write_file(folder + "/labels.safetensors", "2");
    write_file(folder + "/slurm-1.out", "mine");
    fail("no");
  };
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset"}, fails); }), "no");
  EXPECT_EQ(names_in(folder), ".unfinished slurm-1.out ");
  EXPECT_EQ(read_file(folder + "/slurm-1.out"), "mine");
  write_file(folder + "/dataset.json", "{}");  // killed at its very end
  for (const auto existing : {Existing::resume, Existing::replace}) {
    EXPECT_NE(error_of([&] {
                build_output_folder({folder, "dataset", existing}, [] {});
              }).find("holds slurm-1.out"),
              std::string::npos);
    EXPECT_EQ(read_file(folder + "/slurm-1.out"), "mine");
  }
}

TEST(OutputFolder, FilesOfTheSystemCountAsNothingAndStay) {
  TempDir dir;
  const std::string folder = dir / "set";
  fs::create_directories(folder + "/lost+found");
  write_file(folder + "/.nfs000000000001", "held");
  const auto builds = [&] {
    write_file(folder + "/training/00000.safetensors", "1");
    Manifest manifest;
    manifest.kind = "corpus";
    manifest.add_file(folder, "training/00000.safetensors");
    manifest.save(folder + "/corpus.json");
  };
  fs::create_directory(folder + "/lost+found/part");
  const auto build = [&](Existing existing) {
    build_output_folder({folder, "corpus", existing}, [&] {
      fs::create_directory(folder + "/training");
      builds();
    });
  };
  build(Existing::refuse);
  write_file(folder + "/.snakemake_timestamp", "");
  write_file(folder + "/training/.DS_Store", "");
  EXPECT_NE(error_of([&] { build(Existing::refuse); }).find("is not empty"), std::string::npos);
  build(Existing::replace);
  EXPECT_EQ(names_in(folder), ".nfs000000000001 .snakemake_timestamp corpus.json lost+found training ");
  EXPECT_EQ(read_file(folder + "/.nfs000000000001"), "held");
  prepare_output_folder({folder, "corpus", Existing::replace});
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
    write_file(folder + "/regions.bed.gz", "1");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "regions.bed.gz");
    manifest.save(folder + "/dataset.json");
  });
  limited([&] { build_output_folder({folder, "dataset", Existing::replace}, [] {}); });
  EXPECT_EQ(names_in(folder), "dataset.json regions.bed.gz ");
}

TEST(OutputFolder, BuildPutsBackWhatItReplacedWhereItFails) {
  TempDir dir;
  const std::string folder = dir / "set";
  const auto fails = [&] {
    write_file(folder + "/labels.safetensors", "2");
    fail("no");
  };
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset"}, fails); }), "no");
  EXPECT_FALSE(fs::exists(folder));
  const auto builds = [&] {
    write_file(folder + "/features.tsv", "1");
    Manifest manifest;
    manifest.kind = "dataset";
    manifest.add_file(folder, "features.tsv");
    manifest.save(folder + "/dataset.json");
  };
  build_output_folder({folder, "dataset"}, builds);
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", Existing::replace}, fails); }), "no");
  EXPECT_EQ(read_file(folder + "/features.tsv"), "1");
  EXPECT_TRUE(fs::exists(folder + "/dataset.json"));
  EXPECT_FALSE(fs::exists(folder + "/labels.safetensors") || fs::exists(folder + "/.replaced") ||
               fs::exists(folder + "/" + kUnfinishedMarker));
  // killed while it moved the old files aside or back, or while it built: they are what a later failure leaves
  for (const std::string place : {".replacing", ".replaced"})
    for (const Existing existing : {Existing::replace, Existing::resume}) {
      write_file(folder + "/" + kUnfinishedMarker, "dataset");
      fs::create_directory(folder + "/" + place);
      fs::rename(folder + "/dataset.json", folder + "/" + place + "/dataset.json");
      if (place == ".replaced") fs::rename(folder + "/features.tsv", folder + "/.replaced/features.tsv");
      EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", existing}, fails); }), "no");
      EXPECT_EQ(read_file(folder + "/features.tsv"), "1");
      EXPECT_EQ(names_in(folder), "dataset.json features.tsv ");
    }
  // killed before it removed what it had replaced
  fs::create_directory(folder + "/.replaced");
  write_file(folder + "/.replaced/features.tsv", "0");
  EXPECT_EQ(error_of([&] { build_output_folder({folder, "dataset", Existing::replace}, fails); }), "no");
  EXPECT_EQ(read_file(folder + "/features.tsv"), "1");
  EXPECT_EQ(names_in(folder), "dataset.json features.tsv ");
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
    write_file(folder + "/features.tsv", "12");
    Manifest manifest;
    manifest.kind = kind;
    manifest.add_file(folder, "features.tsv");
    manifest.save(folder + "/" + manifest_name(kind));
  };
  make(dir / "set", "dataset");
  EXPECT_FALSE(is_complete(dir / "none", "dataset"));
  EXPECT_TRUE(is_complete(dir / "set", "dataset"));
  write_file(dir / "set/features.tsv", "1");
  EXPECT_EQ(
      error_of([&] { is_complete(dir / "set", "dataset"); }),
      (dir / "set/features.tsv") + ": has 1 bytes, but 2 were written: truncated or altered (--force starts over)");

  make(dir / "run", "run");
  fs::remove(dir / "run/features.tsv");  // older versions listed a model's files here
  EXPECT_EQ(error_of([&] { verify_folder(dir / "run", false); }), (dir / "run/model/bigdna.json") + ": is missing");
  make(dir / "run/model", "model");
  make(dir / "run/corpus", "corpus");
  EXPECT_EQ(verify_folder(dir / "run", true), 2);
  fs::remove(dir / "run/corpus/features.tsv");
  EXPECT_EQ(error_of([&] { is_complete(dir / "run", "run"); }),
            (dir / "run/corpus/features.tsv") + ": is missing (--force starts over)");
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
