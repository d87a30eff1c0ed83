#include "io/json.h"

#include <gtest/gtest.h>

#include "io/job.h"
#include "io/manifest.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of;

std::string nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(Json, ErrorsNameTheLine) {
  EXPECT_EQ(parse_json("{\"a\": [1, 2.5]}", "x").at("a").at(1), 2.5);
  EXPECT_EQ(error_of([] { parse_json("{\n\"a\": ]", "x"); }), "x: is not JSON (line 2)");
  EXPECT_EQ(error_of([] { parse_json("", "x"); }), "x: is not JSON (line 1)");
  EXPECT_EQ(error_of([] { parse_json("[1e999]", "x"); }), "x: is not JSON (a number is out of range)");
}

TEST(Json, DepthIsLimited) {
  EXPECT_NO_THROW(parse_json(nested(kDeepestJson), "x"));
  for (const size_t levels : {kDeepestJson + 1, size_t{1'000'000}}) {
    const std::string expected = "x: its JSON is nested more than 64 levels deep";
    EXPECT_EQ(error_of([&] { parse_json(nested(levels), "x"); }), expected);
    EXPECT_EQ(error_of([&] { parse_json<nlohmann::json>(nested(levels), "x"); }), expected);
  }
}

TEST(Json, ManyKeysAndManyObjectsAreReadInLinearTime) {
  std::string object = "{\"k0\": 0", array = "[{}";
  for (int i = 1; i < 1'000'000; ++i) {
    object += ",\"k" + std::to_string(i) + "\":0";
    array += ",{\"a\":1}";
  }
  object += '}', array += ']';
  EXPECT_EQ(error_of([&] { parse_json(object, "x"); }),
            "x: an object of its JSON has 1000000 keys; at most 10000 are read");
  EXPECT_EQ(parse_json<nlohmann::json>(object, "x").size(), 1'000'000);
  EXPECT_EQ(parse_json(array, "x").size(), 1'000'000);
}

TEST(Json, EveryReaderOfFilesLimitsIt) {
  const test::TempDir dir;
  const std::string deep = "{\"a\": " + nested(200'000) + "}", path = dir / "x";
  write_file(path, deep);
  EXPECT_NE(error_of([&] { Manifest::load(path, ""); }).find("levels deep"), std::string::npos);
  EXPECT_NE(error_of([&] { Job::load(path); }).find("levels deep"), std::string::npos);
  const uint64_t size = deep.size();
  write_file(path, std::string(reinterpret_cast<const char*>(&size), 8) + deep);
  EXPECT_NE(error_of([&] { SafetensorsFile file(path); }).find("levels deep"), std::string::npos);
}

TEST(Json, MessagePackIsLimitedToo) {
  std::string bytes;
  nlohmann::json::to_msgpack({{"a", {1, 2.5}}}, bytes);
  EXPECT_EQ(parse_message_pack(bytes, "x").at("a").at(1), 2.5);
  EXPECT_EQ(error_of([&] { parse_message_pack(bytes + "\x01", "x"); }), "x: damaged");
  EXPECT_EQ(error_of([&] { parse_message_pack(bytes.substr(0, bytes.size() - 1), "x"); }), "x: damaged");
  EXPECT_EQ(error_of([] { parse_message_pack(std::string(1'000'000, '\x91'), "x"); }), "x: damaged");
}

TEST(Json, WholeNumbersNeitherWrapNorLoseFractions) {
  const auto number = [](const char* text) { return whole_number(parse_json(text, "x"), -1, 100, "id", "x"); };
  EXPECT_EQ(number("100"), 100);
  EXPECT_EQ(number("-1"), -1);
  for (const char* text : {"101", "-2", "1.5", "4294967297", "18446744073709551615", "\"1\"", "null"})
    EXPECT_EQ(error_of([&] { number(text); }), concat("x: the id ", text, " is not a whole number from -1 to 100"));
}

TEST(Manifest, FilesOutsideOfTheFolderAreRefused) {
  test::TempDir dir;
  const std::string path = dir / "dataset.json";
  for (const std::string name : {"/etc/hosts", "../other", "a/../../other", "..", ""}) {
    write_file(path, R"({"kind": "dataset", "version": "1", "command_line": "", "seed": 1, "inputs": [],
                        "files": [{"name": ")" +
                         name + R"(", "bytes": 1, "md5": ""}]})");
    EXPECT_EQ(test::error_of([&] { Manifest::load(path); }),
              path + ": lists the file '" + name + "', which is not in its folder");
  }
  require_inner("a/..b/c", path);
}

}  // namespace
}  // namespace bigdna::io
