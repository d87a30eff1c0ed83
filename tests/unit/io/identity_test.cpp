#include "io/identity.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/manifest.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

namespace fs = std::filesystem;
using test::error_of, test::TempDir;

std::vector<std::string> two_files(const std::string& folder) { return {folder + "/a", folder + "/b"}; }

std::string difference(const std::string& path, FilesOf files, const nlohmann::ordered_json& before) {
  return difference_of_inputs("input", before, identity_of(path, files));
}

TEST(Identity, AFolderIsTheContentOfTheFilesThatAreRead) {
  TempDir dir;
  const std::string folder = dir / "in", copy = dir / "copy";
  fs::create_directory(folder);
  write_file(folder + "/a", "one");
  write_file(folder + "/b", "two");
  write_file(folder + "/c", "not read");
  const auto before = identity_of(folder, two_files);
  fs::copy(folder, copy);
  EXPECT_EQ(difference(copy, two_files, before), "");
  write_file(folder + "/c", "changed");
  EXPECT_EQ(difference(folder, two_files, before), "");
  write_file(folder + "/b", "owt");  // as many bytes
  EXPECT_EQ(difference(folder, two_files, before),
            "was made from an earlier version of input " + folder + ", whose file b has changed since");
  fs::remove(folder + "/b");
  EXPECT_NE(difference(folder, two_files, before), "");
  write_file(copy + "/a", "two");  // the same contents under each other's names
  write_file(copy + "/b", "one");
  EXPECT_EQ(difference(copy, two_files, before), "was made with input " + folder + ", not " + copy);
}

TEST(Identity, AFolderMadeByBigdnaIsItsManifestAndWhatThatLists) {
  TempDir dir;
  const std::string folder = dir / "corpus";
  fs::create_directory(folder);
  write_file(folder + "/rows", "one");
  Manifest manifest;
  manifest.kind = "corpus";
  manifest.add_file(folder, "rows");
  manifest.save(folder + "/corpus.json");
  const auto before = identity_of(folder);
  EXPECT_EQ(before["files"].size(), 2u);
  write_file(folder + "/rows", "eno");  // the manifest does not know
  EXPECT_NE(difference(folder, nullptr, before).find("whose file rows has changed since"), std::string::npos);
}

TEST(Identity, FilesThatATableNamesKeepTheirPaths) {
  TempDir dir;
  fs::create_directory(dir / "peaks");
  write_file(dir / "table", "");
  write_file(dir / "peaks/a", "one");
  static std::string table, peaks;
  table = dir / "table", peaks = dir / "peaks/a";
  const FilesOf files = [](const std::string&) { return std::vector{table, peaks}; };
  const auto before = identity_of(table, files);
  EXPECT_EQ(before["files"][1]["name"], "peaks/a");
  write_file(peaks, "two");
  EXPECT_NE(difference(table, files, before).find("whose file peaks/a has changed since"), std::string::npos);
}

TEST(Identity, WhatCannotBeComparedIsAnError) {
  TempDir dir;
  const std::string folder = dir / "folder", pipe = dir / "pipe";
  fs::create_directory(folder);
  write_file(folder + "/a", "one");
  const auto unknown = difference(folder, nullptr, identity_of(folder));
  EXPECT_NE(unknown.find("cannot be compared: it is a folder of no known kind"), std::string::npos);
  mkfifo(pipe.c_str(), 0600);
  for (const std::string& once : {pipe, std::string("-")})
    EXPECT_NE(difference(once, nullptr, identity_of(once)).find(once + " cannot be compared: it is read only once"),
              std::string::npos);
  EXPECT_EQ(identity_of("0.15"), "0.15");  // no file
}

}  // namespace
}  // namespace bigdna::io
