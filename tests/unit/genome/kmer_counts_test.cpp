/// Frequencies of k-mers against a count of every substring.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "genome/alphabet.h"
#include "genome/kmer_frequencies.h"
#include "corpus/corpora.h"

namespace bigdna::genome {
namespace {

TEST(KmerFrequencies, AreThoseOfEverySubstringWithoutN) {
  for (const std::string& bases : {std::string("ACGTTGCANACNNTTTGGNA"), std::string("N"), std::string("ACG"),
                                   std::string(), test::random_bases(300, 1) + "N" + test::random_bases(7, 2)})
    for (const bool both : {false, true})
      for (int longest = 1; longest <= 6; ++longest) {
        const auto all = kmer_frequencies(bases, longest, both);
        size_t first = 0;
        for (int length = 1; length <= longest; ++length) {
          int64_t columns = 0;
          const auto of_bases = kmer_columns(bases, length, both, columns);
          std::map<int32_t, double> counts;
          double total = 0;
          for (const int32_t column : of_bases)
            if (column >= 0) ++counts[column], ++total;
          for (int64_t column = 0; column < columns; ++column) {
            const double count =
                counts.contains(static_cast<int32_t>(column)) ? counts.at(static_cast<int32_t>(column)) : 0;
            EXPECT_EQ(all.at(first + static_cast<size_t>(column)), static_cast<float>(total > 0 ? count / total : 0))
                << bases << " " << length << " " << column;
          }
          first += static_cast<size_t>(columns);
        }
        EXPECT_EQ(all.size(), first);
      }
}

}  // namespace
}  // namespace bigdna::genome
