#include "io/safetensors.h"

#include <cstring>
#include <fstream>
#include <numeric>

#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of;
using test::TempDir;

TEST(Safetensors, RoundTrip) {
  TempDir dir;
  const std::vector<uint8_t> bytes{1, 2, 3};
  std::vector<uint16_t> tokens(1001);
  std::iota(tokens.begin(), tokens.end(), uint16_t{65000});
  const std::vector<double> wide{1.5, -2.25};
  const std::vector<float> none;
  const std::vector<int64_t> scalar{-7};
  write_safetensors(
      dir / "f.safetensors",
      {array<uint8_t>("bytes", bytes, {3}), array<uint16_t>("tokens", tokens, {7, 143}),
       array<double>("wide", wide, {2, 1}), array<float>("none", none, {0, 5}), array<int64_t>("scalar", scalar, {})},
      {{"format", "pt"}, {"note", "a \"quoted\" word"}});
  const SafetensorsFile file(dir / "f.safetensors");
  EXPECT_EQ(file.arrays().size(), 5u);
  EXPECT_EQ(file.metadata().at("note"), "a \"quoted\" word");
  const auto read = file.at("tokens").as<uint16_t>();
  EXPECT_TRUE(std::equal(read.begin(), read.end(), tokens.begin(), tokens.end()));
  EXPECT_EQ(file.at("tokens").shape, (std::vector<int64_t>{7, 143}));
  EXPECT_EQ(file.at("wide").as<double>()[1], -2.25);
  EXPECT_EQ(file.at("bytes").as<uint8_t>()[2], 3);
  EXPECT_EQ(file.at("none").count(), 0);
  EXPECT_EQ(file.at("scalar").count(), 1);
  EXPECT_EQ(file.at("scalar").as<int64_t>()[0], -7);
  for (const auto& [name, view] : file.arrays())
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.bytes.data()) % dtype_size(view.dtype), 0u) << name;
  EXPECT_EQ(error_of([&] { (void)file.at("other"); }), dir / "f.safetensors: has no array 'other'");
  EXPECT_EQ(error_of([&] { (void)file.at("wide").as<float>("wide"); }), "wide: dtype is F64, expected F32");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(Safetensors, ViewsOutliveTheFileObjectsCopies) {
  TempDir dir;
  const std::vector<int32_t> values{4, 5, 6};
  write_safetensors(dir / "f", {array<int32_t>("x", values, {3})});
  std::optional<SafetensorsFile> copy;
  {
    const SafetensorsFile file(dir / "f");
    copy = file;
  }
  EXPECT_EQ(copy->at("x").as<int32_t>()[2], 6);
}

/// A file by hand: header text, then data.
std::string raw(const std::string& header, const std::string& data) {
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

TEST(Safetensors, MisalignedArraysOfOtherWritersAreReadable) {
  TempDir dir;
  std::string data(9, '\0');
  const double value = 3.25;
  std::memcpy(data.data() + 1, &value, 8);
  write_file(dir / "f", raw(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                            R"("b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})",
                            data));
  EXPECT_EQ(SafetensorsFile(dir / "f").at("b").as<double>()[0], 3.25);
}

TEST(Safetensors, EveryTruncationIsAnError) {
  TempDir dir;
  const std::vector<float> values(100, 1.0f);
  write_safetensors(dir / "f", {array<float>("x", values, {100}), array<float>("y", values, {10, 10})});
  const std::string whole = read_file(dir / "f");
  for (size_t size = 0; size < whole.size(); size += size < 300 ? 1 : 37) {
    std::ofstream(dir / "cut", std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(error_of([&] { SafetensorsFile{dir / "cut"}; }), "") << size;
  }
  write_file(dir / "long", whole + "x");
  EXPECT_NE(error_of([&] { SafetensorsFile{dir / "long"}; }), "");
}

TEST(Safetensors, MalformedHeadersAreErrorsThatNameTheFile) {
  TempDir dir;
  const std::vector<std::string> files = {
      "",
      "short",
      raw("[]", ""),
      raw("{nonsense", ""),
      raw(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
      raw(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"),
      raw(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", ""),
      raw(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "1234"),
      raw(R"({"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}})", "1234"),
      raw(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", "1234"),
      raw(R"({"a":7})", ""),
      raw(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
          "12"),
      raw(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "12"),
      std::string(8, '\xff') + "{}",
  };
  for (const auto& content : files) {
    write_file(dir / "f", content);
    EXPECT_TRUE(error_of([&] { SafetensorsFile{dir / "f"}; }).starts_with((dir / "f") + ": ")) << content;
  }
}

TEST(Safetensors, WriterRefusesWrongShapesAndNames) {
  TempDir dir;
  const std::vector<float> values(4);
  EXPECT_NE(error_of([&] { write_safetensors(dir / "f", {array<float>("x", values, {5})}); }), "");
  EXPECT_NE(error_of([&] {
              write_safetensors(dir / "f", {array<float>("x", values, {4}), array<float>("x", values, {4})});
            }),
            "");
  EXPECT_EQ(dir.entries(), 0u);
}

TEST(Safetensors, WriterNamesTextThatIsNotUtf8) {
  TempDir dir;
  const std::vector<float> values(4);
  const std::map<std::string, std::string> names{{"names", "a\nb\xe9\nc\n"}};
  EXPECT_EQ(error_of([&] { write_safetensors(dir / "f", {array<float>("x", values, {4})}, names); }),
            dir / "f: names 'b\xe9' is not UTF-8, which a safetensors file must be");
  EXPECT_EQ(error_of([&] { write_safetensors(dir / "f", {array<float>("\xe9", values, {4})}); }),
            dir / "f: array '\xe9' is not UTF-8, which a safetensors file must be");
  EXPECT_FALSE(std::filesystem::exists(dir / "f"));
}

TEST(Safetensors, ReadsAnotherProgramsFile) {
  BIGDNA_REAL_DATA(path, "fixtures/checkpoint_io/jfk-codes.safetensors");
  const SafetensorsFile file(path);
  ASSERT_FALSE(file.arrays().empty());
  for (const auto& [name, view] : file.arrays())
    EXPECT_EQ(static_cast<size_t>(view.count()) * dtype_size(view.dtype), view.bytes.size()) << name;
}

}  // namespace
}  // namespace bigdna::io
