/// Models of random weights that Keras and bpnet-lite have saved, beside what these programs predict with them
/// (tests/peers/make_profile_models.py).
#include "profile/foreign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/rng.h"
#include "genome/fasta.h"
#include "io/safetensors.h"
#include "profile/network.h"
#include "support.h"

namespace bigdna::profile {
namespace {

constexpr double kTolerance = 1e-5;

std::string file(const std::string& name) { return test::source_folder() + "/test-data/profile/" + name; }

std::vector<std::string> sequences() {
  std::vector<std::string> all;
  genome::FastaReader reader(file("sequences.fa"));
  while (auto record = reader.next()) all.push_back(record->bases);
  return all;
}

struct Expected {
  explicit Expected(const std::string& name) : arrays(file(name)) {}
  io::SafetensorsFile arrays;
  std::span<const float> of(const std::string& name) const { return arrays.at(name).as<float>(); }
  /// The largest difference of predictions from those of `model`, and of their logarithms of counts.
  double difference(const std::string& model, const std::vector<ProfilePrediction>& predictions) const {
    const auto logits = of(model + "/logits"), counts = of(model + "/log_counts");
    EXPECT_EQ(counts.size(), predictions.size());
    double largest = 0;
    for (size_t i = 0; i < predictions.size(); ++i) {
      const auto& own = predictions[i].logits;
      EXPECT_EQ(own.size() * predictions.size(), logits.size());
      for (size_t k = 0; k < own.size(); ++k)
        largest = std::max<double>(largest, std::abs(own[k] - logits[i * own.size() + k]));
      largest = std::max(largest, std::abs(predictions[i].log_counts - counts[i]));
    }
    return largest;
  }
};

ProfileNetwork network(const Foreign& model) {
  return {model.config, model.parameters, session::Placement(), "folder"};
}

std::vector<ProfilePrediction> predictions(const Foreign& model, size_t count, Part part = Part::whole) {
  const auto of = network(model);
  std::vector<ProfilePrediction> all;
  for (size_t i = 0; i < count; ++i) all.push_back(of.predict(sequences()[i], part));
  return all;
}

TEST(Foreign, KerasModelsPredictWhatKerasPredicts) {
  const Expected expected("keras.safetensors");
  for (const std::string name : {"chrombpnet.h5", "chrombpnet_nobias.h5", "bias.h5"}) {
    const auto model = read_keras(file(name));
    EXPECT_EQ(model.config.window, 2114);
    EXPECT_EQ(model.config.output, 1000);
    EXPECT_LT(expected.difference(name, predictions(model, 3)), kTolerance) << name;
  }
}

TEST(Foreign, PartsOfAWholeModelAreTheModelsThatWereSavedAlone) {
  const Expected expected("keras.safetensors");
  const auto whole = read_keras(file("chrombpnet.h5"));
  EXPECT_TRUE(whole.config.has_bias());
  EXPECT_LT(expected.difference("chrombpnet_nobias.h5", predictions(whole, 3, Part::model)), kTolerance);
  EXPECT_LT(expected.difference("bias.h5", predictions(whole, 3, Part::bias)), kTolerance);
  EXPECT_GT(expected.difference("bias.h5", predictions(whole, 3, Part::model)), 0.1);
}

TEST(Foreign, BpnetLiteModelsPredictWhatItPredicts) {
  const Expected expected("bpnet_lite.safetensors");
  EXPECT_LT(expected.difference("chrombpnet.torch", predictions(read_bpnet_lite(file("chrombpnet.torch")), 3)),
            kTolerance);
  const auto stranded = read_bpnet_lite(file("bpnet.torch"));
  EXPECT_EQ(stranded.config.strands, 2);
  EXPECT_EQ(stranded.config.controls, 2);
  EXPECT_EQ(stranded.config.window, 2114);
  EXPECT_LT(expected.difference("bpnet.torch", predictions(stranded, 2)), kTolerance);
  EXPECT_LT(expected.difference("bpnet.torch", predictions(read_bpnet_lite(file("bpnet_state.torch")), 2)), kTolerance);
}

TEST(Foreign, ControlTracksAreReadAsBpnetLiteReadsThem) {
  const Expected expected("bpnet_lite.safetensors");
  const auto of = network(read_bpnet_lite(file("bpnet.torch")));
  const auto bytes = expected.arrays.at("controls").as<uint8_t>();
  const std::vector<float> controls(bytes.begin(), bytes.end());
  EXPECT_LT(expected.difference("with_controls", {of.predict(sequences()[0], Part::whole, controls)}), kTolerance);
}

// sequences() has a sequence and its reverse complement
TEST(Foreign, BothStrandsAreAveraged) {
  const auto of = network(read_bpnet_lite(file("bpnet.torch")));
  const auto both = of.predict(sequences()[0], Part::whole, session::Strands::average);
  const auto forward = of.predict(sequences()[0], Part::whole), reverse = of.predict(sequences()[1], Part::whole);
  EXPECT_NEAR(std::exp(both.log_counts), (std::exp(forward.log_counts) + std::exp(reverse.log_counts)) / 2, 1e-3);
  const size_t last = both.logits.size() - 1;
  EXPECT_EQ(last, 1999);
  for (const size_t k : {0, 400, 999, 1000, 1999})
    EXPECT_NEAR(both.logits[k], (forward.logits[k] + reverse.logits[last - k]) / 2, 1e-5);
}

// Only what an edit reaches is computed again; at the ends and in the middle, of one base and of many.
TEST(Foreign, EditsHaveThePredictionsOfTheEditedSequences) {
  for (const auto& model : {read_bpnet_lite(file("bpnet.torch")), read_keras(file("chrombpnet.h5"))}) {
    const auto of = network(model);
    const std::string bases = sequences()[0];
    for (const auto strands : {session::Strands::forward, session::Strands::average}) {
      const auto original = of.original(bases, Part::whole, strands);
      double changed = 0;
      for (const auto& [at, count] :
           {std::pair{0, 1}, {5, 1}, {700, 1}, {1057, 1}, {1000, 60}, {2100, 1}, {2113, 1}, {0, 2114}}) {
        auto other = bases;
        for (int i = at; i < at + count; ++i) {
          char& base = other[static_cast<size_t>(i)];
          base = base == 'A' ? 'G' : 'A';
        }
        const auto edited = of.edited(original, other), whole = of.predict(other, Part::whole, strands);
        EXPECT_NEAR(edited.log_counts, whole.log_counts, 2e-6) << at;
        double largest = 0;
        for (size_t k = 0; k < whole.logits.size(); ++k) {
          largest = std::max<double>(largest, std::abs(edited.logits[k] - whole.logits[k]));
          changed = std::max<double>(changed, std::abs(whole.logits[k] - original.prediction.logits[k]));
        }
        EXPECT_LT(largest, kTolerance) << at;
      }
      EXPECT_GT(changed, 0.1);
      EXPECT_EQ(of.edited(original, bases).logits, original.prediction.logits);
    }
  }
}

TEST(Foreign, OtherFilesAreRefusedByNameAndCause) {
  const test::TempDir folder;
  const std::string other = folder / "other.torch";
  std::ofstream(other) << "not a zip";
  EXPECT_EQ(test::error_of([&] { read_bpnet_lite(other); }),
            other + ": is not a file of torch.save (a zip, since PyTorch 1.6), or is damaged");
  EXPECT_NE(test::error_of([&] { read_keras(other); }).find(other + ": is not an HDF5 file"), std::string::npos);
  std::filesystem::copy(file("bpnet.torch"), folder / "cut.torch");
  std::filesystem::resize_file(folder / "cut.torch", 9000);
  EXPECT_NE(test::error_of([&] { read_bpnet_lite(folder / "cut.torch"); }).find("damaged"), std::string::npos);
}

// Whatever a file of PyTorch holds, reading it ends with a model or an Error. (libhdf5 1.10 itself crashes on some
// damaged files.)
TEST(Foreign, DamagedFilesAreErrors) {
  const test::TempDir folder;
  Rng rng(1);
  int read = 0, refused = 0;
  for (const std::string name : {"bpnet.torch", "chrombpnet.torch", "bpnet_state.torch"}) {
    std::ifstream in(file(name), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    for (int i = 0; i < 300; ++i) {
      auto damaged = bytes;
      for (uint64_t k = 0; k <= rng.below(3); ++k)
        damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
      if (i % 10 == 0) damaged.resize(rng.below(damaged.size()));
      const std::string path = folder / name;
      std::ofstream(path, std::ios::binary) << damaged;
      try {
        read_bpnet_lite(path);
        ++read;
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with(path)) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 100);
}

TEST(Foreign, WeightsAreCheckedByNameAndShape) {
  const auto model = read_keras(file("bias.h5"));
  auto arrays = model.parameters;
  arrays["extra/kernel:0"] = arrays.at("model.count.weight");
  HalfReader reader(arrays, "model.h5");
  reader.take("model.count.weight", "model.first.weight");
  reader.take("absent", "model.count.bias");
  const auto message = test::error_of([&] { reader.finish(model.config); });
  EXPECT_NE(
      message.find(
          "model.h5: these are not the weights of a BPNet or ChromBPNet; missing: absent; unknown: extra/kernel:0"),
      std::string::npos)
      << message;
  EXPECT_NE(message.find("model.count.weight has the shape [1, 5] instead of [5, 4, 21]"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace bigdna::profile
