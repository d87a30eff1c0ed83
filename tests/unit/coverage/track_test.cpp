#include "coverage/track.h"

#include <gtest/gtest.h>

#include "base/table.h"
#include "coverage/contigs.h"
#include "support.h"

namespace bigdna::coverage {
namespace {

using test::error_of;

TrackOptions with(const std::string& name, const std::string& text) {
  TrackOptions options;
  row_named(track_settings(), name, "setting").set(options, text);
  return options;
}

TEST(TrackSettings, ReadTheirText) {
  EXPECT_EQ(with("count", "midpoints").count, Count::midpoints);
  EXPECT_EQ(with("unit", "fragments").unit, Unit::fragments);
  EXPECT_EQ(with("strand", "-").strand, '-');
  EXPECT_EQ(with("shift", "+4,-5").shift_plus, 4);
  EXPECT_EQ(with("shift", "4,-5").shift_minus, -5);
  EXPECT_EQ(with("fragment_length", "180-247").least_length, 180);
  EXPECT_EQ(with("fragment_length", "180-247").most_length, 247);
  EXPECT_TRUE(with("duplicates", "keep").duplicates);
  EXPECT_TRUE(with("scale", "cpm").per_million);
  EXPECT_EQ(with("scale", "0.5").scale, 0.5);
}

TEST(TrackSettings, TheInitialTextIsTheDefault) {
  TrackOptions options;
  for (const auto& setting : track_settings()) setting.set(options, setting.initial);
  const TrackOptions initial;
  EXPECT_EQ(options.count, initial.count);
  EXPECT_EQ(options.unit, initial.unit);
  EXPECT_EQ(options.strand, initial.strand);
  EXPECT_EQ(options.most_length, initial.most_length);
  EXPECT_EQ(options.duplicates, initial.duplicates);
  EXPECT_EQ(options.scale, initial.scale);
}

TEST(TrackSettings, RefuseOtherText) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"count", "cut"},
                                                                                   {"unit", "read"},
                                                                                   {"strand", "plus"},
                                                                                   {"shift", "4"},
                                                                                   {"shift", "4,x"},
                                                                                   {"extend", "-1"},
                                                                                   {"fragment_length", "100"},
                                                                                   {"fragment_length", "9-3"},
                                                                                   {"min_mapq", "256"},
                                                                                   {"duplicates", "yes"},
                                                                                   {"scale", "0"},
                                                                                   {"scale", "nan"},
                                                                                   {"scale", "rpm"}})
    EXPECT_NE(error_of([&] { with(name, text); }), "") << name << " " << text;
}

TEST(Contigs, AreFoundByEitherSpelling) {
  const Contigs contigs({{"chr1", 100}, {"2", 50}}, "genome", "");
  EXPECT_EQ(contigs.find("1"), 0u);
  EXPECT_EQ(contigs.find("chr2"), 1u);
  EXPECT_EQ(contigs.find("3"), std::nullopt);
  const auto numbers = contigs.numbers_of({{"chr3", 5}, {"1", 100}}, "file");
  EXPECT_EQ(numbers[0], std::nullopt);
  EXPECT_EQ(numbers[1], 0u);
  EXPECT_NE(error_of([&] { contigs.numbers_of({{"1", 100}, {"chr1", 100}}, "file"); }), "");
  EXPECT_NE(error_of([&] { contigs.numbers_of({{"1", 101}}, "file"); }), "");
}

TEST(Contigs, OfMitochondria) {
  for (const char* name : {"chrM", "MT", "chrMT", "Mito", "M"}) EXPECT_TRUE(is_mitochondrial(name)) << name;
  for (const char* name : {"chr1", "m", "chrX", "MA"}) EXPECT_FALSE(is_mitochondrial(name)) << name;
}

}  // namespace
}  // namespace bigdna::coverage
