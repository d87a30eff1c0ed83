#include "io/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "io/output.h"
#include "support.h"

namespace bigdna::io {
namespace {

uint64_t number(const std::string& bytes, size_t at, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes.at(at + static_cast<size_t>(i)))} << (8 * i);
  return value;
}

TEST(Npz, HeadersAreWhatNumpyWrites) {
  const auto text = npy_header(std::array<int64_t, 3>{2, 4, 20});
  EXPECT_EQ(text.size() % 64, 0u);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(number(text, 8, 2) + 10, text.size());
  EXPECT_NE(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 20), }"), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_NE(npy_header(std::array<int64_t, 1>{7}).find("'shape': (7,), }"), std::string::npos);
}

TEST(Npz, AnArchiveListsItsArraysWithTheirChecksums) {
  const test::TempDir folder;
  const std::array<float, 6> first{1, 2, 3, 4, 5, 6};
  const std::array<float, 1> second{-1};
  write_npz(folder / "a.npz", {{"first", {2, 3}, first}, {"second", {1}, second}});
  const std::string bytes = read_file(folder / "a.npz");
  const size_t end = bytes.size() - 22;
  ASSERT_EQ(number(bytes, end, 4), 0x06054b50u);
  EXPECT_EQ(number(bytes, end + 10, 2), 2u);
  size_t at = number(bytes, end + 16, 4);
  EXPECT_EQ(at + number(bytes, end + 12, 4), end);
  for (const std::string name : {"first.npy", "second.npy"}) {
    ASSERT_EQ(number(bytes, at, 4), 0x02014b50u);
    EXPECT_EQ(bytes.substr(at + 46, number(bytes, at + 28, 2)), name);
    const size_t local = number(bytes, at + 42, 4), size = number(bytes, at + 24, 4);
    ASSERT_EQ(number(bytes, local, 4), 0x04034b50u);
    const std::string content = bytes.substr(local + 30 + name.size(), size);
    EXPECT_EQ(number(bytes, at + 16, 4), crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    EXPECT_EQ(number(bytes, local + 14, 4), number(bytes, at + 16, 4));
    float last = 0;
    std::memcpy(&last, content.data() + content.size() - sizeof last, sizeof last);
    EXPECT_EQ(last, name == "first.npy" ? 6 : -1);
    at += 46 + name.size();
  }
}

}  // namespace
}  // namespace bigdna::io
