#include "mutation.h"

#include <htslib/bgzf.h>
#include <htslib/hts_log.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "io/output.h"

namespace bigdna::fuzz {

namespace {
constexpr std::array<std::string_view, 27> kNumbers{"0",
                                                    "-1",
                                                    "1",
                                                    "2",
                                                    "255",
                                                    "256",
                                                    "65535",
                                                    "65536",
                                                    "2147483647",
                                                    "2147483648",
                                                    "4294967295",
                                                    "4294967296",
                                                    "9007199254740993",
                                                    "9223372036854775807",
                                                    "9223372036854775808",
                                                    "-9223372036854775808",
                                                    "18446744073709551615",
                                                    "99999999999999999999",
                                                    "1e308",
                                                    "1e999",
                                                    "-1e999",
                                                    "nan",
                                                    "inf",
                                                    "0.1",
                                                    "1000000000",
                                                    "1e9",
                                                    "00"};
constexpr std::array<std::string_view, 26> kWords{
    "",     ".",   "-",    "NA",      "nan", "N",  "*",  "<DEL>", "chr1",     "chr9",         "null",
    "true", "[]",  "{}",   "\"",      "\\",  "\t", "\n", "\r\n",  "\xff\xfe", "\xef\xbb\xbf", std::string_view("\0", 1),
    "A,C",  "a|b", "../x", "[[[[[[[["};

template <class Range>
const auto& any(const Range& range, Rng& rng) {
  return range[rng.below(range.size())];
}

size_t place(const std::string& bytes, Rng& rng) { return rng.below(bytes.size() + 1); }
size_t size_of_range(const std::string& bytes, size_t at, Rng& rng) {
  const size_t most = bytes.size() - at;
  return std::min<size_t>(most, rng.below(8) ? rng.below(32) : rng.below(most + 1));
}

/// The part around a place that `belongs` to it.
template <class Belongs>
std::pair<size_t, size_t> around(const std::string& bytes, size_t at, Belongs belongs) {
  size_t begin = at, end = at;
  while (begin > 0 && belongs(bytes[begin - 1])) --begin;
  while (end < bytes.size() && belongs(bytes[end])) ++end;
  return {begin, end - begin};
}

void change(std::string& bytes, Rng& rng) {
  const size_t at = place(bytes, rng), size = size_of_range(bytes, at, rng);
  const auto replace = [&](std::pair<size_t, size_t> range, std::string_view text) {
    bytes.replace(range.first, range.second, text);
  };
  switch (rng.below(13)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
      return;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(rng.below(256));
      return;
    case 2:
      bytes.erase(at, size);
      return;
    case 3:
      bytes.insert(place(bytes, rng), bytes.substr(at, size));
      return;
    case 4:
      bytes.insert(at, any(kWords, rng));
      return;
    case 5:
      bytes.resize(at);
      return;
    case 6:
      bytes.insert(at, std::string(1 + rng.below(rng.below(20) ? 40 : 300'000), "A9 [{\"\t"[rng.below(7)]));
      return;
    case 7: {  // the next number
      size_t digit = at;
      while (digit < bytes.size() && !std::isdigit(static_cast<unsigned char>(bytes[digit]))) ++digit;
      const auto is_number = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-'; };
      return replace(around(bytes, digit, is_number), any(kNumbers, rng));
    }
    case 8:
      return replace(around(bytes, at, [](char c) { return c != '\n'; }), any(kWords, rng));
    case 9: {  // a line again
      const auto [begin, length] = around(bytes, at, [](char c) { return c != '\n'; });
      bytes.insert(begin, bytes.substr(begin, length) + "\n");
      return;
    }
    case 10: {
      const auto is_field = [](char c) { return c != '\n' && c != '\t' && c != ',' && c != ';' && c != ' '; };
      return replace(around(bytes, at, is_field), rng.below(2) ? any(kWords, rng) : any(kNumbers, rng));
    }
    case 11: {  // a binary number
      constexpr std::array<uint64_t, 8> kValues{0, 1, 0xff, 0x7fffffff, 0xffffffff, 1ull << 40, 1ull << 63, ~0ull};
      const uint64_t value = any(kValues, rng);
      const size_t width = size_t{1} << rng.below(4);
      if (at + width <= bytes.size()) std::memcpy(bytes.data() + at, &value, width);
      return;
    }
    default: {  // two ranges exchanged
      const size_t other = place(bytes, rng);
      const auto moved = bytes.substr(at, size);
      bytes.replace(at, size, bytes.substr(other, size));
      bytes.replace(std::min(other, bytes.size()), std::min(size, bytes.size() - std::min(other, bytes.size())), moved);
    }
  }
}

/// What is compressed in a file; "" if nothing is.
std::string within(const std::string& path) {
  hts_set_log_level(HTS_LOG_OFF);
  const std::unique_ptr<BGZF, decltype(&bgzf_close)> file(bgzf_open(path.c_str(), "r"), bgzf_close);
  if (!file || bgzf_compression(file.get()) == 0) return "";
  std::string all(1 << 22, 0);
  const auto size = bgzf_read(file.get(), all.data(), all.size());
  all.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
  return all;
}

std::string as_bgzf(const std::string& bytes, const std::string& scratch) {
  BGZF* file = bgzf_open(scratch.c_str(), "w");
  const auto written = bgzf_write(file, bytes.data(), bytes.size());
  bgzf_close(file);
  return written < 0 ? "" : io::read_file(scratch);
}
}  // namespace

std::string mutated(std::string bytes, Rng& rng) {
  for (uint64_t left = 1 + rng.below(4); left > 0; --left) change(bytes, rng);
  return bytes;
}

std::string mutated_file(const std::string& path, Rng& rng) {
  if (io::has_suffix(path, {".gz", ".bcf"}) && rng.below(2))
    if (const auto text = within(path); !text.empty()) return as_bgzf(mutated(text, rng), path + ".scratch");
  return mutated(io::read_file(path), rng);
}

}  // namespace bigdna::fuzz
