#include "io/formats.h"

#include "base/error.h"
#include "support.h"

namespace bigdna::io {
namespace {

using test::error_of;

constexpr Format kTables[] = {Format::tsv, Format::bed, Format::hdf5};

TEST(Formats, TheSuffixDecides) {
  for (const char* path : {"-", "/dev/stdout", "/dev/fd/63", "scores", "a.b/scores", "scores.1", "x.tsv", "x.TSV.GZ",
                           "x.txt", "x.gz", ".tsv", "run.tsv/.hidden"})
    EXPECT_EQ(format_of(path, kTables), Format::tsv) << path;
  EXPECT_EQ(format_of("x.bed.gz", kTables), Format::bed);
  EXPECT_EQ(format_of("x.bed.bgz", kTables), Format::bed);
  EXPECT_EQ(format_of("x.h5", kTables), Format::hdf5);
  EXPECT_EQ(format_of("x.tsv.HDF5", kTables), Format::hdf5);
  constexpr Format kVariants[] = {Format::vcf, Format::tsv};
  EXPECT_EQ(format_of("-", kVariants), Format::vcf);
  EXPECT_EQ(format_of("x.vcf.gz", kVariants), Format::vcf);
}

TEST(Formats, AnyOtherSuffixIsRefusedWithThoseThatThereAre) {
  for (const char* path : {"x.parquet", "x.csv", "x.json", "x.bw", "x.npy", "x.tsv.xz", "x.tsv.zst", "x.zip", "x.xlsx",
                           "x.vcf", "x.narrowPeak", "x.out", "x.bam", "dir/x.PARQUET", "x.csv.gz"}) {
    EXPECT_THROW(format_of(path, kTables), UsageError) << path;
    EXPECT_EQ(error_of([&] { format_of(path, kTables); }),
              concat(path,
                     ": files of this suffix cannot be used here; the formats are TSV (.tsv, .txt), BED (.bed) "
                     "or HDF5 (.h5, .hdf5); text is compressed if .gz follows"));
  }
  EXPECT_EQ(error_of([&] { format_of("x.h5.gz", kTables); }),
            "x.h5.gz: HDF5 files are compressed internally: leave out .gz");
}

}  // namespace
}  // namespace bigdna::io
