#include "session/profile_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "genome/alphabet.h"
#include "model/profile.h"
#include "support.h"

namespace bigdna::session {
namespace {

class ProfileModelTest : public testing::Test {
 protected:
  ProfileModelTest() {
    config_.stages = {{6, 5, 2}, {9, 3, 5}};
    config_.dilations = {1, 2};
    config_.window = 160;
    config_.labels = 2;
    config_.networks = 2;
    Rng rng(1);
    for (int i = 0; i < 2000; ++i) genome_ += "ACGT"[rng.below(4)];
  }
  ProfileModel model() const { return {config_, model::initialise(config_, 3), Placement(), "folder"}; }
  std::string around(const ProfileModel& model, size_t bin) const {
    return genome_.substr(10 * bin - static_cast<size_t>(model.margin() * 10), static_cast<size_t>(model.context()));
  }
  static double difference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) largest = std::max<double>(largest, std::abs(a[i] - b[i]));
    return largest;
  }

  model_folder::ProfileConfig config_;
  std::string genome_;
};

TEST_F(ProfileModelTest, SequencesThatOverlapGiveWhatEachGivesAlone) {
  const auto model = this->model();
  for (const auto strands : {Strands::forward, Strands::average}) {
    std::vector<std::string> sequences;
    std::vector<float> alone;
    for (const size_t bin : {20, 21, 22, 24, 25, 7}) {
      sequences.push_back(around(model, bin));
      const auto logits = model.middle_logits({&sequences.back(), 1}, strands);
      alone.insert(alone.end(), logits.begin(), logits.end());
    }
    EXPECT_LT(difference(model.middle_logits(sequences, strands), alone), 1e-6);
  }
}

TEST_F(ProfileModelTest, TheMeanOfStrandsIsTheSameForTheReverseComplement) {
  auto model = this->model();
  std::vector<std::string> sequences{around(model, 30)}, reversed{genome::reverse_complement(sequences[0])};
  const auto changed = [&](Strands strands) {
    return difference(model.middle_logits(sequences, strands), model.middle_logits(reversed, strands));
  };
  EXPECT_LT(changed(Strands::average), 1e-6);
  EXPECT_GT(changed(Strands::forward), 1e-4);
  config_.reversed = {1, 0};  // labels of a strand
  const auto stranded = this->model();
  auto logits = stranded.middle_logits(sequences, Strands::average);
  std::swap(logits[0], logits[1]);
  EXPECT_LT(difference(logits, stranded.middle_logits(reversed, Strands::average)), 1e-6);
}

TEST_F(ProfileModelTest, OtherLengthsAreCutOrSurroundedByN) {
  const auto model = this->model();
  const std::string exact = around(model, 30);
  const std::vector<std::string> longer{"ACG" + exact + "TTT"}, shorter{exact.substr(20, exact.size() - 40)},
      padded{std::string(20, 'N') + shorter[0] + std::string(20, 'N')}, whole{exact};
  EXPECT_EQ(model.middle_logits(longer, Strands::forward), model.middle_logits(whole, Strands::forward));
  EXPECT_EQ(model.middle_logits(shorter, Strands::forward), model.middle_logits(padded, Strands::forward));
}

TEST_F(ProfileModelTest, ValuesThatAreNotFiniteAreAnErrorThatNamesTheModel) {
  auto parameters = model::initialise(config_, 3);
  parameters.at("networks.1.head.bias").fill_(std::numeric_limits<float>::infinity());
  const ProfileModel model(config_, parameters, Placement(), "folder");
  const std::vector<std::string> sequences{genome_.substr(0, static_cast<size_t>(model.context()))};
  EXPECT_NE(test::error_of([&] { model.middle_logits(sequences, Strands::forward); }).find("folder: "),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::session
