#include "genome/signals.h"

#include <cmath>

#include "base/error.h"
#include "genome/assemblies.h"
#include "genome/bigwig.h"
#include "io/output.h"
#include "support.h"

namespace bigdna::genome {
namespace {

using test::error_of;
using test::TempDir;

TEST(NamedFile, IsNamedByItselfOrByItsFileName) {
  const auto text = [](const std::string& given) {
    const auto [name, path] = named_file(given);
    return name + " " + path;
  };
  EXPECT_EQ(text("tracks/phyloP.bw"), "phyloP tracks/phyloP.bw");
  EXPECT_EQ(text("phyloP.hg19.bigWig"), "phyloP.hg19 phyloP.hg19.bigWig");
  EXPECT_EQ(text("cons=tracks/phyloP.bw"), "cons tracks/phyloP.bw");
  EXPECT_EQ(text("a=b=c.bw"), "a b=c.bw");
  EXPECT_EQ(text("./a=b.bw"), "a=b ./a=b.bw");
  EXPECT_THROW(named_file("a="), UsageError);
  EXPECT_THROW(named_file("=a.bw"), UsageError);
  EXPECT_THROW(named_file("two words=a.bw"), UsageError);
  EXPECT_THROW(named_file("folder/.bw"), UsageError);
}

TEST(Signals, AreReadUnderTheGenomesNames) {
  TempDir dir;
  io::write_file(dir / "g.fa", ">chr1\n" + std::string(300, 'A') + "\n>chr2\n" + std::string(100, 'C') + "\n");
  const Genome genome(dir / "g.fa");
  const auto write = [&](const std::string& name, std::vector<Contig> contigs) {
    BigWigWriter writer(dir / name, contigs);
    writer.add(contigs[0].name, 10, 20, 3);
    writer.add(contigs[0].name, 25, 30, -6);
    writer.commit();
    return dir / name;
  };
  const auto one = write("one.bw", {{"1", 300}, {"other", 5}}), both = write("both.bw", {{"chr2", 100}, {"chr1", 300}});
  Signals signals({one, "b=" + both}, genome);
  EXPECT_EQ(signals.names(), (std::vector<std::string>{"one", "b"}));
  auto values = signals.at("chr1", 0, 300);
  EXPECT_EQ(values[0], 0);
  EXPECT_TRUE(std::isnan(values[1]));
  values = signals.at("chr2", 15, 16);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 3);
  EXPECT_TRUE(std::isnan(signals.at("nowhere", 0, 10)[0]));
  EXPECT_TRUE(std::isnan(signals.at("chr1", -1, 0)[0]));  // POS 0
  EXPECT_TRUE(std::isnan(signals.at("chr1", 5000, 5001)[0]));
  EXPECT_EQ(error_of([&] {
              Signals({write("long.bw", {{"chr1", 301}})}, genome);
            }),
            dir / "long.bw" + ": is of another assembly: it has " + contig_and_length("chr1", 301) + ", and " +
                dir / "g.fa" + " has " + contig_and_length("chr1", 300));
  EXPECT_EQ(error_of([&] {
              Signals({write("else.bw", {{"c", 30}})}, genome);
            }),
            dir / "else.bw" + ": none of its contigs (c ...) is in " + dir / "g.fa");
  EXPECT_THROW(Signals({one, "one=" + both}, genome), UsageError);
}

}  // namespace
}  // namespace bigdna::genome
