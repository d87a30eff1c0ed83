#include "merge/merge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/shard.h"
#include "genome/bigwig.h"
#include "io/hdf5.h"
#include "io/hdf5_table.h"
#include "io/identity.h"
#include "io/output.h"
#include "io/output_record.h"
#include "io/row_writer.h"
#include "merge/joiners.h"
#include "merge/parts.h"
#include "support.h"

namespace bigdna::merge {
namespace {

using test::error_of;
using test::TempDir;

/// Records a file as part `index` of `count` of a job with the option --stride.
std::string recorded(const std::string& path, int64_t index, int64_t count, int stride = 5) {
  io::Job job;
  job.set("--stride", stride);
  job.set(kShardOption, to_string(Shard{index, count}));
  job.set(io::kRecordedOutputs, nlohmann::ordered_json::array({io::record_entry(path)}));
  job.save(io::record_of(path));
  return path;
}
std::string written(const std::string& path, const std::string& text, int64_t index, int64_t count, int stride = 5) {
  io::write_file(path, text);
  return recorded(path, index, count, stride);
}

TEST(Parts, ComeInTheirOrderOrAreAnError) {
  TempDir dir;
  const auto a = written(dir / "a.tsv", "1", 1, 3), b = written(dir / "b.tsv", "2", 2, 3),
             c = written(dir / "c.tsv", "3", 3, 3);
  EXPECT_EQ(in_order({c, a, b}), (std::vector{a, b, c}));
  EXPECT_NE(error_of([&] { in_order({c}); }).find("these are missing: 1, 2"), std::string::npos);
  EXPECT_NE(error_of([&] { in_order({a, b, c, a}); }).find("a.tsv: is part 1/3, and so is"), std::string::npos);
  const auto other = written(dir / "other.tsv", "2", 2, 3, 6);
  EXPECT_NE(error_of([&] {
              in_order({a, other, c});
            }).find("other.tsv: was made with --stride 6, not 5"),
            std::string::npos);
  io::write_file(b, "changed");
  EXPECT_EQ(error_of([&] {
              in_order({a, b, c});
            }),
            concat(b, ": has changed since the job wrote it: its size or checksum is not in ", b, ".options.json"));
}

TEST(Parts, MayBeRenamed) {
  TempDir dir;
  const auto a = written(dir / "a.tsv", "1", 1, 2), b = written(dir / "b.tsv", "2", 2, 2), moved = dir / "moved.tsv";
  std::filesystem::rename(b, moved);
  std::filesystem::rename(io::record_of(b), io::record_of(moved));
  EXPECT_EQ(in_order({moved, a}), (std::vector{a, moved}));
  auto record = io::Job::load(io::record_of(moved));
  auto outputs = record.values().at(io::kRecordedOutputs);
  outputs.push_back(outputs[0]);
  outputs[1]["name"] = "b.bed";
  record.set(io::kRecordedOutputs, outputs);
  record.save(io::record_of(moved));
  EXPECT_NE(error_of([&] { in_order({moved, a}); }).find("call it \"b.tsv\" or \"b.bed\" again"), std::string::npos);
  io::write_file(moved, "changed");
  EXPECT_NE(error_of([&] { in_order({moved, a}); }).find("moved.tsv: is no output of the job: "), std::string::npos);
}

TEST(Parts, OfAnotherGenomeSayNotWhichIsTheOlder) {
  TempDir dir;
  std::vector<std::string> parts;
  for (const int64_t index : {1, 2}) {
    io::write_file(dir / "g.fa", concat(">a\nACGT", index));
    parts.push_back(written(dir / concat(index, ".tsv"), "1", index, 2));
    auto record = io::Job::load(io::record_of(parts.back()));
    record.set("--genome", io::identity_of(dir / "g.fa"));
    record.save(io::record_of(parts.back()));
  }
  EXPECT_EQ(error_of([&] { in_order(parts); }),
            concat(parts[1], ": was made from another version of --genome ", dir / "g.fa",
                   " (so it is not a part of the job of ", parts[0], ")"));
}

/// A table with a label, text, a number and a block of numbers: rows [first, last), of which every 50 share a contig.
std::string table(const std::string& path, int64_t first, int64_t last) {
  const auto writer = io::make_row_writer(
      path, io::Format::hdf5,
      {.name = "chromatin",
       .columns = {{.name = "chrom", .labels = "contigs"},
                   {"start"},
                   {"name"},
                   {.name = "FEATURE", .block = {"a", "b"}, .array = "predictions"}},
       .about = {{"feature_name", std::vector<std::string>{"a", "b"}}, {"feature_index", std::vector<int64_t>{7, 9}}}});
  for (int64_t i = first; i < last; ++i) {
    const std::string contig = concat("chr", (i + 90) / 50 % 3), name = concat("row", i);
    const float numbers[] = {static_cast<float>(i), i % 7 ? 0.5F : std::numeric_limits<float>::quiet_NaN()};
    const io::Cell cells[] = {io::Label{contig}, i, std::string_view(name), std::span<const float>(numbers)};
    writer->row(cells);
  }
  writer->commit();
  return path;
}

template <class T>
std::vector<T> read(const io::Hdf5File& file, const std::string& name, hid_t type) {
  const auto dataset = file.dataset(name);
  const io::Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<T> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  return values;
}
std::vector<std::string> texts(const io::Hdf5File& file, const std::string& name) {
  auto values = read<char*>(file, name, io::hdf5_string());
  const std::vector<std::string> result(values.begin(), values.end());
  const io::Hdf5Handle space(H5Dget_space(file.dataset(name)), H5Sclose);
  H5Dvlen_reclaim(io::hdf5_string(), space, H5P_DEFAULT, values.data());
  return result;
}

TEST(Merge, Hdf5HoldsTheRowsOfAllPartsWithOneListOfContigs) {
  TempDir dir;
  constexpr int64_t kRows = 9000, kBorders[] = {0, 10, 10, 4500, kRows};  // one part is empty
  const auto whole = table(dir / "whole.h5", 0, kRows);
  std::vector<std::string> parts;
  for (int64_t i = 0; i < 4; ++i)
    parts.push_back(recorded(table(dir / concat("part", i, ".h5"), kBorders[i], kBorders[i + 1]), i + 1, 4));
  merge_parts({.parts = parts, .output = dir / "merged.h5"});
  const auto expected = io::Hdf5File::open(whole), merged = io::Hdf5File::open(dir / "merged.h5");
  for (const char* name : {"name", "contigs", "feature_name"}) EXPECT_EQ(texts(merged, name), texts(expected, name));
  for (const char* name : {"start", "feature_index"})
    EXPECT_EQ(read<int64_t>(merged, name, H5T_NATIVE_INT64), read<int64_t>(expected, name, H5T_NATIVE_INT64));
  EXPECT_EQ(read<int32_t>(merged, "chrom", H5T_NATIVE_INT32), read<int32_t>(expected, "chrom", H5T_NATIVE_INT32));
  const auto a = read<float>(merged, "predictions", H5T_NATIVE_FLOAT),
             b = read<float>(expected, "predictions", H5T_NATIVE_FLOAT);
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

TEST(Merge, Hdf5RenumbersEveryColumnOfLabels) {
  TempDir dir;
  const auto made = [&](const std::string& name, const std::vector<std::string>& contigs) {
    const auto writer = io::make_row_writer(
        dir / name, io::Format::hdf5,
        {.name = "profile", .columns = {{.name = "chrom", .array = "sequence", .labels = "sequences"}, {"start"}}});
    for (const auto& contig : contigs) {
      const io::Cell cells[] = {io::Label{contig}, int64_t{1}};
      writer->row(cells);
    }
    writer->commit();
    return dir / name;
  };
  const std::vector parts{recorded(made("1.h5", {"b", "c", "b"}), 1, 2), recorded(made("2.h5", {"c", "a", "b"}), 2, 2)};
  merge_parts({.parts = parts, .output = dir / "merged.h5"});
  const auto merged = io::Hdf5File::open(dir / "merged.h5");
  EXPECT_EQ(texts(merged, "sequences"), (std::vector<std::string>{"b", "c", "a"}));
  EXPECT_EQ(read<int32_t>(merged, "sequence", H5T_NATIVE_INT32), (std::vector<int32_t>{0, 1, 0, 1, 2, 0}));
  EXPECT_EQ(io::list_of(merged, "sequence"), "sequences");
  EXPECT_EQ(io::list_of(merged, "start"), "");
}

struct Value {
  std::string contig;
  int64_t start, end;
  float value;
};
std::string track(const std::string& path, const std::vector<Value>& values) {
  genome::BigWigWriter writer(path, {{"a", 1000}, {"b", 500'000}, {"c", 50}});
  for (const auto& v : values) writer.add(v.contig, v.start, v.end, v.value);
  writer.commit();
  return path;
}

TEST(Merge, AnIntervalThatOverlapsThePartBeforeIsCut) {
  TempDir dir;
  const std::vector parts{recorded(track(dir / "1.bw", {{"a", 0, 100, 1}, {"b", 0, 100, 2}}), 1, 4),
                          recorded(track(dir / "2.bw", {{"b", 60, 150, 3}, {"b", 150, 200, 4}}), 2, 4),
                          recorded(track(dir / "3.bw", {}), 3, 4),
                          recorded(track(dir / "4.bw", {{"b", 160, 200, 5}, {"c", 0, 1, 6}}), 4, 4)};
  merge_parts({.parts = parts, .output = dir / "merged.bw"});
  const auto whole = track(
      dir / "whole.bw", {{"a", 0, 100, 1}, {"b", 0, 100, 2}, {"b", 100, 150, 3}, {"b", 150, 200, 4}, {"c", 0, 1, 6}});
  EXPECT_EQ(io::read_file(dir / "merged.bw"), io::read_file(whole));
  const auto unsorted = recorded(track(dir / "unsorted.bw", {{"a", 50, 60, 5}}), 4, 4);
  EXPECT_NE(error_of([&] {
              merge_parts({.parts = {parts[0], parts[1], parts[2], unsorted}, .output = dir / "x.bw"});
            }),
            "");
}

TEST(Merge, CountsAreAddedAndAllElseIsTheFirstParts) {
  TempDir dir;
  const auto first = written(
      dir / "1.json", R"({"bigdna_command": "chromatin a.fa", "n": 1, "skipped": {"a": 2}, "malformed": {}})", 1, 2);
  const auto second =
      written(dir / "2.json",
              R"({"bigdna_command": "chromatin b.fa", "n": 10, "skipped": {"a": 5}, "malformed": {"x": 3}})", 2, 2);
  merge_parts({.parts = {second, first}, .output = dir / "sum.json"});
  EXPECT_EQ(nlohmann::json::parse(io::read_file(dir / "sum.json")),
            nlohmann::json::parse(
                R"({"bigdna_command": "chromatin a.fa", "n": 11, "skipped": {"a": 7}, "malformed": {"x": 3}})"));
  const auto other = written(dir / "3.json", R"({"n": "10"})", 2, 2);
  EXPECT_NE(error_of([&] {
              merge_parts({.parts = {first, other}, .output = dir / "x.json"});
            }).find("3.json: n is of another type than in the parts before it"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(dir / "x.json"));
}

TEST(Merge, Hdf5ThatIsNoTableIsNamed) {
  TempDir dir;
  const std::string path = dir / "part.h5", output = dir / "whole.h5";
  const auto made_of = [&](const auto& fill) {
    io::AtomicFile target(path);
    auto file = io::Hdf5File::create(target);
    fill(file);
    file.close();
    target.commit();
    return error_of([&] { join_hdf5({path}, output, 1); });
  };
  const auto dataset = [](const char* name, hid_t type, hsize_t rows, hsize_t columns) {
    return [=](const io::Hdf5File& file) {
      const hsize_t size[2] = {rows, columns};
      const io::Hdf5Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
      const io::Hdf5Handle made(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    };
  };
  EXPECT_EQ(made_of([](const io::Hdf5File& file) {
              const io::Hdf5Handle group(H5Gcreate2(file, "feature_x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                         H5Gclose);
            }),
            path + ": has no dataset feature_x");
  EXPECT_EQ(made_of(dataset("feature_x", H5T_STD_REF_OBJ, 2, 2)), path + ": feature_x: holds neither numbers nor text");
  EXPECT_EQ(made_of(dataset("x", H5T_NATIVE_INT8, 0, hsize_t{1} << 40)),
            path + ": x: damaged: has 1099511627776 columns");
  const auto pointing = [](hid_t type, bool listed) {
    return [=](const io::Hdf5File& file) {
      if (listed) io::write_strings(file, "contigs", {"a"});
      io::Hdf5Table table(file, "chrom", type);
      table.point_to("contigs");
      const int64_t row = 1;
      table.append(&row);
      table.close();
    };
  };
  EXPECT_EQ(made_of(pointing(H5T_NATIVE_INT64, true)), path + ": chrom: holds no numbers of 32 bits");
  EXPECT_EQ(made_of(pointing(H5T_NATIVE_INT32, true)), path + ": chrom holds 1, which is no row of contigs");
  EXPECT_EQ(made_of(pointing(H5T_NATIVE_INT32, false)), path + ": has no dataset contigs");
  EXPECT_EQ(made_of([](const io::Hdf5File& file) {
              io::write_strings(file, "chrom", {"a"});
              const io::Hdf5Handle dataset = file.dataset("chrom"), space(H5Screate(H5S_SCALAR), H5Sclose);
              const io::Hdf5Handle made(H5Acreate2(dataset, "row_of", H5T_NATIVE_INT8, space, H5P_DEFAULT, H5P_DEFAULT),
                                        H5Aclose);
            }),
            path + ": chrom: its attribute row_of is damaged");
  EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace bigdna::merge
