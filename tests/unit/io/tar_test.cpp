#include "io/tar.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/folder_files.h"
#include "io/identity.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/md5.h"
#include "io/output.h"
#include "io/packed_folder.h"
#include "io/paths.h"
#include "io/safetensors.h"
#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of, test::TempDir;
namespace fs = std::filesystem;

/// A member as other programs write it: a header with a right checksum, and the data.
std::string member(const std::string& name, char type, const std::string& data, const std::string& magic = "ustar",
                   const std::string& link = "") {
  std::string header(512, '\0');
  const auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  const auto octal = [](size_t value, int digits) {
    std::string text(static_cast<size_t>(digits), '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value /= 8)
      *digit = static_cast<char>('0' + value % 8);
    return text;
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, octal(data.size(), 11));
  put(136, octal(0, 11));
  put(148, "        ");
  header[156] = type;
  put(157, link);
  put(257, magic);
  size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  return header + data + std::string((512 - data.size() % 512) % 512, '\0');
}
const std::string kEnd(1024, '\0');
const std::string kGnu = "ustar  ";

std::string pax(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size() + 2;
  if (length > 99) ++length;
  return std::to_string(length) + rest;
}

std::string error_for(const std::string& archive) {
  TempDir dir;
  std::ofstream(dir / "a.tar", std::ios::binary) << archive;
  return error_of([&] { TarIndex index(dir / "a.tar"); });
}

/// What is written is read: contents, a folder in a folder, an empty file, and a name of more than 100 bytes.
class TarFolder : public testing::Test {
 protected:
  TarFolder() {
    fs::create_directories(dir_ / "m/deep");
    write_file(dir_ / "m/config.json", "{\"a\": 1}\n");
    write_file(dir_ / "m/empty", "");
    write_file(dir_ / ("m/deep/" + long_), std::string(7000, 'x'));
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    write_safetensors(dir_ / "m/w.safetensors", {array<float>("w", values, {2, 3})});
    write_tar(dir_ / "m", names_, tar_);
  }
  TempDir dir_;
  const std::string long_ = std::string(120, 'n');
  const std::vector<std::string> names_{"w.safetensors", "config.json", "empty", "deep/" + long_};
  const std::string tar_ = dir_ / "m.tar";
};

TEST_F(TarFolder, IsReadAsTheFolderIs) {
  for (const std::string& name : names_) {
    const std::string folder = dir_ / "m/" + name, packed = tar_ + "/" + name;
    EXPECT_EQ(read_file(packed), read_file(folder));
    EXPECT_EQ(md5_of_file(packed), md5_of_file(folder));
    EXPECT_EQ(content_of_file(packed), content_of_file(folder));
    EXPECT_TRUE(is_file(packed));
    EXPECT_FALSE(is_folder(packed));
  }
  const SafetensorsFile file(tar_ + "/w.safetensors");
  EXPECT_EQ(file.at("w").as<float>()[5], 6.f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.at("w").bytes.data()) % 64, 0u);  // mapped where it lies, aligned
  LineReader lines(tar_ + "/config.json");
  EXPECT_EQ(lines.next(), "{\"a\": 1}");
  EXPECT_EQ(read_file(openable(tar_ + "/config.json")), "{\"a\": 1}\n");
  EXPECT_TRUE(is_folder(tar_) && is_folder(tar_ + "/") && is_folder(tar_ + "/deep") && is_folder(tar_ + "/deep/"));
  EXPECT_FALSE(exists(tar_ + "/other") || exists(tar_ + "/config.json/x") || exists(dir_ / "other.tar/config.json"));
  EXPECT_EQ(error_of([&] { read_file(tar_ + "/other"); }), tar_ + "/other: No such file or directory");
  EXPECT_EQ(error_of([&] { read_file(tar_ + "/deep"); }), tar_ + "/deep: is a folder");
  EXPECT_EQ(on_disk(tar_ + "/config.json"), tar_);
  EXPECT_EQ(on_disk(dir_ / "m/config.json"), dir_ / "m/config.json");
}

TEST_F(TarFolder, HasTheSameBytesWheneverItIsWritten) {
  const std::string bytes = read_file(tar_);
  fs::last_write_time(dir_ / "m/empty", fs::file_time_type::clock::now() - std::chrono::hours(100));
  fs::permissions(dir_ / "m/empty", fs::perms::owner_read);
  write_tar(dir_ / "m", {names_.rbegin(), names_.rend()}, tar_);
  EXPECT_EQ(read_file(tar_), bytes);
  setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
  write_tar(dir_ / "m", names_, tar_);
  EXPECT_NE(read_file(tar_), bytes);
  EXPECT_EQ(read_file(tar_ + "/config.json"), "{\"a\": 1}\n");
  setenv("SOURCE_DATE_EPOCH", "soon", 1);
  EXPECT_NE(error_of([&] { write_tar(dir_ / "m", names_, tar_); }).find("SOURCE_DATE_EPOCH is 'soon'"),
            std::string::npos);
  unsetenv("SOURCE_DATE_EPOCH");
}

TEST_F(TarFolder, IsNeverReadIfItIsCutOrAHeaderIsChanged) {
  const std::string bytes = read_file(tar_);
  const size_t first_end_mark = bytes.size() - kEnd.size();
  for (size_t size = 0; size < bytes.size(); size += 29) {
    const auto error = error_for(bytes.substr(0, size));
    EXPECT_EQ(error.empty(), size >= first_end_mark + 512) << size << ": " << error;
  }
  const TarIndex index(tar_);
  std::vector<bool> is_data(bytes.size());
  for (const auto& name : names_)
    for (uint64_t i = 0; i < (index.find(name)->bytes + 511) / 512 * 512; ++i)
      is_data[static_cast<size_t>(index.find(name)->offset + i)] = true;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    if ((is_data[at] && at % 1000) || at >= first_end_mark + 512) continue;
    std::string changed = bytes;
    changed[at] ^= 1;
    const bool in_pax = bytes.compare(at / 512 * 512 + 4, 5, "path=") == 0;  // of which each byte may mean another name
    const auto error = error_for(changed);
    if (!in_pax) {
      EXPECT_EQ(error.empty(), is_data[at]) << at << ": " << error;
    }
  }
}

TEST(Tar, HeadersOfOtherProgramsAreRead) {
  TempDir dir;
  const std::string name = std::string(80, 'd') + "/" + std::string(80, 'f');
  const std::string archives[] = {
      member("./", '5', "") + member("./a", '0', "1") +
          member("././@LongLink", 'L', name + std::string(1, '\0'), kGnu) +
          member(name.substr(0, 100), '0', "22", kGnu) + kEnd,  // tar cf x.tar -C m .
      member("m/", '5', "") + member("m/a", '0', "1") + member("PaxHeaders/x", 'x', pax("path", "m/" + name)) +
          member("x", '0', "22") + kEnd,  // one top folder
      member("g", 'g', pax("comment", "c")) + member("._m", '0', "mac") + member("m/a", '\0', "1") +
          member("m/" + name.substr(0, 80) + "/", '5', "") + member("K", 'K', "long link", kGnu) +
          member("x", 'x', pax("mtime", "1.5") + pax("path", "./m//" + name)) + member("x", '7', "22") + kEnd};
  for (const auto& archive : archives) {
    write_file(dir / "x.dat", archive);  // as Galaxy names files
    EXPECT_EQ(read_file(dir / "x.dat/a"), "1");
    EXPECT_EQ(read_file(dir / "x.dat/" + name), "22");
    EXPECT_TRUE(is_folder(dir / "x.dat/" + name.substr(0, 80)));
  }
  std::string large = member("a", '0', "12345");  // a size in base 256
  large.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x05", 12));
  size_t sum = 0;
  for (size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(large[i]);
  char digits[8];
  snprintf(digits, sizeof digits, "%06zo", sum);
  large.replace(148, 7, std::string(digits) + '\0');
  write_file(dir / "large.tar", large + kEnd);
  EXPECT_EQ(read_file(dir / "large.tar/a"), "12345");
}

TEST(Tar, WhatIsDamagedOrHostileIsNamed) {
  const auto expect = [](const std::string& archive, const std::string& text) {
    const auto error = error_for(archive);
    EXPECT_NE(error.find(text), std::string::npos) << error << "\nexpected: " << text;
  };
  const std::string a = member("a", '0', "1");
  expect("", "truncated");
  expect(std::string(600, 'A'), "is not a tar archive");
  expect("\x1f\x8b" + std::string(600, 'A'), "is compressed");
  expect(kEnd, "holds no file");
  expect(a, "truncated: it has no end mark");
  expect(a + a + kEnd, "holds a twice");
  expect(a + member("./a", '0', "1") + kEnd, "holds a twice");
  expect(a + member("a/b", '0', "1") + kEnd, "holds a as a file and as a folder");
  expect(member("/etc/passwd", '0', "1") + kEnd, "its member /etc/passwd has an absolute path");
  expect(member("m/../../x", '0', "1") + kEnd, "its member m/../../x leads out of the archive");
  expect(member("x", 'x', pax("path", "../y")) + a + kEnd, "its member ../y leads out of the archive");
  expect(member("a", '0', std::string(2000, 'x')).substr(0, 1500),
         "a member of 2000 bytes begins, but the file has 1500");
  expect(member("x", 'x', pax("size", "18446744073709551615")) + a + kEnd, "truncated");
  expect(member("x", 'x', pax("size", "x")) + a + kEnd, "the pax header at byte 512 is malformed");
  expect(member("x", 'x', "99 path=b\n") + a + kEnd, "the pax header at byte 512 is malformed");
  expect(member("x", 'x', "0 \n") + a + kEnd, "the pax header at byte 512 is malformed");
  expect(member("x", 'x', pax("GNU.sparse.major", "1")) + a + kEnd, "was made by GNU tar with --sparse");
  expect(member("a", 'S', "1", kGnu) + kEnd, "was made by GNU tar with --sparse");
  expect(member("L", 'L', std::string(2 << 20, 'n'), kGnu) + a + kEnd, "has 2097152 bytes");
  expect(a + std::string(512, 'A') + kEnd, "the header at byte 1024 has a wrong checksum");
  // a link is listed, and not followed: a run's checkpoints/last is one
  TempDir dir;
  write_file(dir / "l.tar",
             a + member("last", '2', "", "ustar", "/etc/passwd") + member("h", '1', "", "ustar", "a") + kEnd);
  EXPECT_EQ(read_file(dir / "l.tar/a"), "1");
  for (const char* link : {"l.tar/last", "l.tar/h"})
    EXPECT_NE(error_of([&] { read_file(dir / link); }).find("is a link or a device, which is not followed"),
              std::string::npos);
}

TEST(Tar, ACompressedOneIsRefusedByItsName) {
  TempDir dir;
  write_file(dir / "m.tar.gz", "text\n");  // whose own name makes it a gzip file
  EXPECT_NE(error_of([&] { exists(dir / "m.tar.gz/config.json"); }).find("m.tar.gz: is compressed"), std::string::npos);
  EXPECT_NE(error_of([&] { folder_of_output("m.tgz"); }).find("name it NAME.tar"), std::string::npos);
}

TEST_F(TarFolder, AFileThatIsReplacedIsReadAnew) {
  EXPECT_TRUE(exists(tar_ + "/empty"));
  write_tar(dir_ / "m", {"config.json"}, tar_);
  EXPECT_FALSE(exists(tar_ + "/empty"));
}

TEST_F(TarFolder, AnOutputIsPackedWhenItIsComplete) {
  const std::string output = dir_ / "out.tar", folder = folder_of_output(output);
  EXPECT_EQ(folder, output + ".unpacked/out");
  EXPECT_EQ(folder_of_output("run"), "run");
  const auto fill = [&](Existing existing, const std::string& text, bool finish = true) {
    PackedFolder packed(output, existing, {tar_ + "/config.json"});
    fs::create_directories(folder + "/checkpoints");
    fs::create_directories(folder + "/model");
    write_file(folder + "/" + kUnfinishedMarker, "run");
    write_file(folder + "/metrics.tsv", text);
    write_file(folder + "/model/config.json", text);
    write_file(folder + "/checkpoints/last", text);
    write_file(folder + "/scores.tsv.gz", text);
    if (!finish) return;
    write_file(folder + "/run.json", "{}");
    fs::remove(folder + "/" + kUnfinishedMarker);
    packed.commit();
  };
  fill(Existing::refuse, "1");
  EXPECT_EQ(read_file(output + "/metrics.tsv"), "1");
  EXPECT_FALSE(exists(output + "/checkpoints"));
  EXPECT_FALSE(fs::exists(output + ".unpacked"));
  EXPECT_NE(error_of([&] { fill(Existing::refuse, "2"); }).find("out.tar: exists (--resume"), std::string::npos);
  fill(Existing::replace, "2", false);  // fails or is killed: the old one is still there, and the folder to go on in
  EXPECT_EQ(read_file(output + "/metrics.tsv"), "1");
  EXPECT_EQ(read_file(folder + "/metrics.tsv"), "2");
  fill(Existing::replace, "3");
  EXPECT_EQ(read_file(output + "/metrics.tsv"), "3");
  {
    const PackedFolder packed(output, Existing::resume, {});
    EXPECT_EQ(read_file(folder + "/metrics.tsv"), "3");  // what is finished is there to be compared
    EXPECT_EQ(read_file(folder + "/model/config.json"), read_file(output + "/model/config.json"));
  }
  EXPECT_FALSE(fs::exists(output + ".unpacked"));
  EXPECT_NE(error_of([&] { PackedFolder(tar_, Existing::replace, {tar_ + "/config.json"}); }).find("is the input"),
            std::string::npos);
}

TEST_F(TarFolder, WhatLiesInTheWayOfTheUnpackedFolderIsNeverRemoved) {
  const std::string output = dir_ / "out.tar", around = output + ".unpacked", folder = folder_of_output(output);
  write_file(dir_ / "file", "mine");
  const auto begin = [&](Existing existing) { return error_of([&] { PackedFolder(output, existing, {}).commit(); }); };
  for (const auto existing : {Existing::refuse, Existing::resume, Existing::replace}) {
    fs::create_directories(around + "/results");
    write_file(around + "/results/years", "mine");
    EXPECT_EQ(begin(existing), around + ": holds results, which bigdna did not write; it is in the way of the folder " +
                                   "that is filled there: move it away");
    EXPECT_EQ(read_file(around + "/results/years"), "mine");
    fs::remove_all(around);
    write_file(around, "mine");
    EXPECT_NE(begin(existing).find("is not a folder; it is in the way"), std::string::npos);
    fs::remove(around);
    fs::create_symlink(dir_.path(), around);
    EXPECT_NE(begin(existing).find("is not a folder; it is in the way"), std::string::npos);
    fs::remove(around);
  }
  {  // what comes while it is filled
    PackedFolder packed(output, Existing::refuse, {});
    fs::create_directories(folder + "/checkpoints/step-000000001");
    write_file(folder + "/metrics.tsv", "1");
    write_file(folder + "/run.json", "{}");
    write_file(folder + "/.nfs0001", "held");
    write_file(folder + "/thesis.partial", "mine");
    write_file(folder + "/checkpoints/step-000000001/state.json", "1");
    write_file(folder + "/checkpoints/notes", "mine");
    write_file(around + "/notes", "mine");
    packed.commit();
  }
  EXPECT_EQ(read_file(around + "/notes"), "mine");
  EXPECT_EQ(read_file(output + "/metrics.tsv"), "1");
  EXPECT_FALSE(exists(output + "/thesis.partial"));
  EXPECT_EQ(files_in(folder), (std::vector<std::string>{"checkpoints/notes", "thesis.partial"}));
  EXPECT_TRUE(fs::exists(folder + "/.nfs0001"));
  fs::remove_all(around);
  fs::create_directories(around);
  write_file(around + "/.nfs0002", "held");  // no file of others
  EXPECT_EQ(begin(Existing::resume), "");
  EXPECT_EQ(begin(Existing::replace), "");
  fs::remove_all(around);
  fs::create_directories(folder);  // unpacked by its owner, beside the tar
  write_file(folder + "/metrics.tsv", "1");
  EXPECT_EQ(begin(Existing::resume), "");
  EXPECT_EQ(read_file(folder + "/metrics.tsv"), "1");
}

TEST_F(TarFolder, ATarThatBigdnaDidNotMakeIsNeverReplaced) {
  const std::string output = dir_ / "thesis.tar";
  const auto begin = [&](Existing existing) { return error_of([&] { PackedFolder(output, existing, {}).commit(); }); };
  const auto refused = [&](const std::string& why) {
    const auto before = read_file(output);
    for (const auto existing : {Existing::resume, Existing::replace}) EXPECT_EQ(begin(existing), output + why);
    EXPECT_EQ(read_file(output), before);
    EXPECT_FALSE(fs::exists(output + ".unpacked"));
  };
  write_file(output, "years");
  refused(": exists, and is not a tar that bigdna made: move it away");
  write_file(dir_ / "m/chapter.tex", "years");
  write_tar(dir_ / "m", {"chapter.tex"}, output);
  refused(": exists, and is not a tar that bigdna made: move it away");
  write_file(dir_ / "m/run.json", "{}");
  write_tar(dir_ / "m", {"chapter.tex", "run.json"}, output);
  refused(": holds chapter.tex, which bigdna did not write and which would be lost: move it away");
}

}  // namespace
}  // namespace bigdna::io
