#include "context_mixing/order_counts.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "genome/alphabet.h"

namespace bigdna::context_mixing {
namespace {

void read(OrderCounts& counts, const std::string& bases) {
  for (const char base : bases) counts.add(genome::base_code(base));
  counts.refresh();
}

TEST(OrderCounts, CountsBothStrandsOfEachOrder) {
  OrderCounts counts;
  read(counts, "ACGTTG");  // backwards CAACGT
  counts.add(-1);
  read(counts, "CA");
  // Behind CA: A once (order 2 adds 1 to each count). Two bases are too few for the others.
  EXPECT_FLOAT_EQ(counts.next()[0][0], 2. / 5);
  EXPECT_FLOAT_EQ(counts.next()[0][1], 1. / 5);
  EXPECT_FLOAT_EQ(counts.next()[1][0], 0.25);
  read(counts, "AC");
  // Behind CAAC: G once, and behind AC of either strand: G twice.
  EXPECT_FLOAT_EQ(counts.next()[1][2], 2. / 5);
  EXPECT_FLOAT_EQ(counts.next()[0][2], 3. / 6);
  EXPECT_EQ(counts.seen()[0], 2);
}

TEST(OrderCounts, CountsNothingAcrossWhatIsUnknown_AndProbabilitiesAddUpToOne) {
  OrderCounts counts;
  read(counts, "CANACG");
  counts.add(-1);
  read(counts, "CA");
  EXPECT_FLOAT_EQ(counts.next()[0][0], 0.25);
  for (const auto& of_order : counts.next())
    EXPECT_NEAR(std::accumulate(of_order.begin(), of_order.end(), 0.F), 1, 1e-6);
}

}  // namespace
}  // namespace bigdna::context_mixing
