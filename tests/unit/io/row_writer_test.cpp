#include "io/row_writer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/hdf5.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of;
using test::TempDir;

Provenance origin() { return Provenance().add("model", "one 0123").add("model", "two\t4567"); }

/// Two rows of two features, as chromatin writes them.
void write(const std::string& path, Format format, bool header = true) {
  OutputTable table{
      .name = "chromatin",
      .columns = {{.name = "chrom", .labels = "contigs"},
                  {"start"},
                  {"end"},
                  {"name"},
                  {.name = "columnN", .block = {"column7"}, .array = "further_columns"},
                  {"seen"},
                  {.name = "FEATURE", .block = {"A", "B|x"}, .digits = Digits::six, .array = "predictions"}},
      .provenance = origin(),
      .about = {{"feature_name", std::vector<std::string>{"A", "B"}}, {"weight", std::vector<double>{1, 8}}},
      .header = header};
  const auto writer = make_row_writer(path, format, std::move(table));
  const std::vector<std::string> further{"seven"};
  const std::vector<float> first{0.25F, 1e-9F}, second{NAN, 1};
  writer->row(std::vector<Cell>{Label{"chr20"}, int64_t{5}, int64_t{10}, std::string_view("x"), std::span(further),
                                int64_t{1}, std::span<const float>(first)});
  writer->row(std::vector<Cell>{Label{"chr20"}, int64_t{10}, int64_t{15}, std::string_view(), std::span(further),
                                int64_t{-1}, std::span<const float>(second)});
  EXPECT_FALSE(std::filesystem::exists(path));
  writer->commit();
}

TEST(RowWriter, TextHasCommentsOneHeaderAndRows) {
  TempDir dir;
  set_deciding_command("bigdna chromatin m x.bed");
  write(dir / "a.tsv", Format::tsv);
  const std::string rows = "chr20\t5\t10\tx\tseven\t1\t0.25\t1e-09\nchr20\t10\t15\t.\tseven\t.\t.\t1\n";
  EXPECT_EQ(read_file(dir / "a.tsv"), "##bigdna_version=" + program_version() +
                                          "\n##bigdna_command=bigdna chromatin m x.bed\n##model=one 0123\n"
                                          "##model=two 4567\n#chrom\tstart\tend\tname\tcolumn7\tseen\tA\tB|x\n" +
                                          rows);
  write(dir / "b.bed", Format::bed, /*header=*/false);
  EXPECT_EQ(read_file(dir / "b.bed"), rows);
}

TEST(RowWriter, Hdf5HasADatasetForEachColumnAndAttributes) {
  TempDir dir;
  write(dir / "a.h5", Format::hdf5);
  const auto file = Hdf5File::open(dir / "a.h5");
  const auto numbers = [&](const char* name, hid_t type, auto fill, size_t count) {
    std::vector<decltype(fill)> values(count);
    EXPECT_GE(H5Dread(file.dataset(name), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return values;
  };
  EXPECT_EQ(numbers("start", H5T_NATIVE_INT64, int64_t{}, 2), (std::vector<int64_t>{5, 10}));
  EXPECT_EQ(numbers("chrom", H5T_NATIVE_INT32, int32_t{}, 2), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(numbers("seen", H5T_NATIVE_INT8, int8_t{}, 2), (std::vector<int8_t>{1, -1}));
  EXPECT_EQ(numbers("weight", H5T_NATIVE_DOUBLE, double{}, 2), (std::vector<double>{1, 8}));
  const auto predictions = numbers("predictions", H5T_NATIVE_FLOAT, float{}, 4);
  EXPECT_EQ(predictions[0], 0.25F);
  EXPECT_TRUE(std::isnan(predictions[2]));
  for (const char* name : {"contigs", "name", "further_columns", "feature_name"}) file.dataset(name);
  for (const char* name : {"bigdna_version", "bigdna_command", "model"}) EXPECT_GT(H5Aexists(file, name), 0) << name;
}

TEST(RowWriter, ArraysInOnePiece) {
  TempDir dir;
  const auto write = [&](const std::string& path, Format format) {
    const auto writer = make_row_writer(path, format,
                                        {.name = "embed",
                                         .columns = {{.name = "name", .array = "record", .labels = "names"},
                                                     {"start"},
                                                     {"end"},
                                                     {.name = "vI", .block = {"v0", "v1"}, .array = "embeddings"}},
                                         .provenance = origin()});
    const std::vector<float> values{0.5F, 2};
    for (const int64_t i : {0, 0, 1})
      writer->row(std::vector<Cell>{Label{i ? "b" : "a", i}, i, i + 1, std::span<const float>(values)});
    writer->commit();
  };
  write(dir / "x.npy", Format::npy);
  EXPECT_EQ(table_files("x.npy", Format::npy), (std::vector<std::string>{"x.npy", "x.rows.tsv"}));
  EXPECT_EQ(read_file(dir / "x.rows.tsv"), origin().comments() + "#name\tstart\tend\na\t0\t1\na\t0\t1\nb\t1\t2\n");
  EXPECT_EQ(std::filesystem::file_size(dir / "x.npy"), 128u + 3 * 2 * 4);
  write(dir / "x.safetensors", Format::safetensors);
  const SafetensorsFile file(dir / "x.safetensors");
  EXPECT_EQ(file.metadata().at("names"), "a\nb\n");
  EXPECT_EQ(file.metadata().at("model"), "one 0123\ntwo 4567");
  EXPECT_EQ(file.at("embeddings").shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(file.at("record").as<int64_t>()[2], 1);
}

TEST(RowWriter, LabelsWithoutARowKeepTheirPlaceInTheList) {
  TempDir dir;
  const std::vector<float> values{0.5F};
  for (const auto& [name, format] : {std::pair{"x.safetensors", Format::safetensors}, {"x.h5", Format::hdf5}}) {
    const auto writer = make_row_writer(dir / name, format,
                                        {.name = "embed",
                                         .columns = {{.name = "name", .array = "record", .labels = "names"},
                                                     {.name = "vI", .block = {"v0"}, .array = "embeddings"}}});
    writer->row(std::vector<Cell>{Label{"a", 0}, std::span<const float>(values)});
    writer->label(0, {"b", 1});
    writer->row(std::vector<Cell>{Label{"c", 2}, std::span<const float>(values)});
    writer->label(0, {"d", 3});
    writer->commit();
  }
  const SafetensorsFile arrays(dir / "x.safetensors");
  EXPECT_EQ(arrays.metadata().at("names"), "a\nb\nc\nd\n");
  EXPECT_EQ(arrays.at("record").as<int64_t>()[1], 2);
  const auto file = Hdf5File::open(dir / "x.h5");
  std::vector<int32_t> records(2);
  ASSERT_GE(H5Dread(file.dataset("record"), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()), 0);
  EXPECT_EQ(records, (std::vector<int32_t>{0, 2}));
  const Hdf5Handle names(H5Dget_space(file.dataset("names")), H5Sclose);
  EXPECT_EQ(H5Sget_simple_extent_npoints(names), 4);
}

TEST(RowWriter, AColumnThatTheDictionaryLacksIsAnInternalError) {
  TempDir dir;
  EXPECT_NE(error_of([&] {
              make_row_writer(dir / "a.tsv", Format::tsv, {.name = "embed", .columns = {{"new"}}});
            }).find("the dictionary of columns has no new of embed"),
            std::string::npos);
}

TEST(Provenance, ValuesAreOneLineOfText) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("a\nb's\\"), "$'a\\012b\\'s\\\\'");
  nlohmann::ordered_json json;
  origin().add_to(json);
  EXPECT_EQ(json["model"], (std::vector<std::string>{"one 0123", "two 4567"}));
  EXPECT_EQ(origin().comments().find("\t"), std::string::npos);
}

}  // namespace
}  // namespace bigdna::io
