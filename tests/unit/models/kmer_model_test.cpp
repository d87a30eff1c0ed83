#include "models/kmer_terms.h"
#include "models/sum.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "genome/alphabet.h"
#include "genome/kmer_frequencies.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "session/small_model.h"
#include "support.h"

namespace bigdna::models {
namespace {

KmerModel random_kmers(const KmerCounts& counts, size_t labels) {
  KmerModel model;
  model.counts = counts;
  Rng rng(3);
  for (size_t f = 0; f < labels; ++f) {
    for (int64_t j = 0; j < counts.columns(); ++j) model.weight.push_back(static_cast<float>(rng.uniform() - 0.5));
    model.bias.push_back(static_cast<float>(f));
    model.base_weight.push_back(0.5f * static_cast<float>(f));
  }
  return model;
}

/// Of three landmarks, which reads so many columns and states of the encoder.
KernelModel random_kernel(int64_t labels, int64_t columns, int64_t states) {
  Rng rng(7);
  const auto numbers = [&](std::vector<int64_t> shape) {
    at::Tensor values = at::empty(shape, at::kFloat);
    auto* value = values.mutable_data_ptr<float>();
    for (int64_t i = 0; i < values.numel(); ++i) value[i] = static_cast<float>(rng.uniform() - 0.5);
    return values;
  };
  const auto input = [&](int64_t size) {
    return KernelModel::Input{numbers({size}), numbers({2, size}), numbers({3, 2})};
  };
  return {input(columns), input(states), numbers({labels, 3}), numbers({labels}), numbers({labels}), numbers({labels})};
}

/// One logit of the kernel model, by its definition.
double kernel_logit(const KernelModel& kernel, size_t label, std::span<const float> kmers,
                    std::span<const float> states) {
  const auto part = [](const KernelModel::Input& input, std::span<const float> x, int64_t landmark) {
    double distance = 0;
    for (int64_t axis = 0; axis < input.axes.size(0); ++axis) {
      double place = 0;
      for (size_t j = 0; j < x.size(); ++j) {
        const auto column = static_cast<int64_t>(j);
        place += (x[j] - input.mean[column].item<double>()) * input.axes[axis][column].item<double>();
      }
      distance += std::pow(place - input.landmarks[landmark][axis].item<double>(), 2);
    }
    return std::exp(-distance);
  };
  const auto f = static_cast<int64_t>(label);
  double logit = kernel.bias[f].item<double>();
  for (int64_t l = 0; l < kernel.weight.size(1); ++l)
    logit += kernel.weight[f][l].item<double>() * (part(kernel.kmers, kmers, l) + part(kernel.states, states, l)) / 2;
  return logit;
}

constexpr int64_t kAll = KmerCounts::Window::kAll;

TEST(KmerCounts, WindowsLieInTheInterval) {
  constexpr int64_t kCanonical4 = 2 + 10 + 32 + 136, kCanonical5 = kCanonical4 + 512;
  EXPECT_EQ(KmerCounts::of_interval(8000, 0.5, dataset::Task::Site::start).columns(),
            2 * 84 + 3 * 340 + 10 * 84 + 4 * kCanonical4 + 3 * kCanonical5);
  // of a site 51 bp before the end: neither 500 bp around it, nor much behind it
  EXPECT_EQ(KmerCounts::of_interval(300, 249.0 / 300, dataset::Task::Site::start).columns(),
            2 * 84 + 2 * 340 + 4 * 84 + 2 * kCanonical4 + 2 * kCanonical5);
  EXPECT_EQ(KmerCounts::of_interval(1000, 0.5, dataset::Task::Site::bin).columns(), 2 * kCanonical5);
  EXPECT_EQ(KmerCounts::of_interval(2000, 0.5, dataset::Task::Site::bin).columns(), 3 * kCanonical5);
  const auto narrow = KmerCounts::of_interval(2000, 0.5, dataset::Task::Site::bin, 50);
  EXPECT_EQ(narrow.columns(), 4 * kCanonical5);
  EXPECT_EQ(narrow.windows.front().from, -25);  // the bin itself
  EXPECT_EQ(KmerCounts::of_interval(70, 0.5, dataset::Task::Site::whole).columns(), 2 * 84 + 340);
}

TEST(KmerCounts, CountAroundTheSite) {
  KmerCounts counts{{{-2, 2, 1}, {-kAll, kAll, 1}}, false};
  const auto x = counts.values("AAAAAACCGG", 0.7);  // bases 5 to 8: ACCG
  EXPECT_EQ(x, (std::vector<float>{0.25f, 0.5f, 0.25f, 0, 0.6f, 0.2f, 0.2f, 0}));
  EXPECT_EQ(counts.values("", 0.5), std::vector<float>(8, 0));
  EXPECT_EQ(counts.values("CC", 0.9), (std::vector<float>{0, 1, 0, 0, 0, 1, 0, 0})) << "cut off at the ends";
  counts = {{{-3, 0, 1}, {0, 2, 1}, {4, 9, 1}}, true};  // upstream AAA, downstream CC, and nothing
  const float root = std::sqrt(0.5f);
  EXPECT_EQ(counts.values("AAAAAACGGG", 0.6), (std::vector<float>{1, 0, 0, 0, 0, root, root, 0, 0, 0, 0, 0}));
}

TEST(KmerCounts, BothStrandsAreOne) {
  const auto counts = KmerCounts::of_interval(500, 0.5, dataset::Task::Site::bin);
  const std::string bases = test::random_bases(500, 9);
  EXPECT_EQ(counts.values(bases, 0.5), counts.values(genome::reverse_complement(bases), 0.5));
}

TEST(KmerTerm, GivesTheBitsOfTheModel) {
  const auto model = random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 3);
  const std::vector<std::string> sequences{test::random_bases(100, 1), test::random_bases(100, 2), "ACGTN"};
  auto readings = readings_of(sequences);
  const auto logits = KmerTerm(model, 0.5).logits(readings);
  for (size_t i = 0; i < 3; ++i) {
    const auto expected = model.logits(sequences[i], 0.5);
    EXPECT_EQ(expected, std::vector<float>(logits.begin() + static_cast<int64_t>(3 * i),
                                           logits.begin() + static_cast<int64_t>(3 * i + 3)));
  }
}

TEST(KmerTerm, OutputsOfAStrandChangePlacesOnTheOther) {
  auto counts = KmerCounts::of_interval(100, 0.5, dataset::Task::Site::bin);
  for (auto& window : counts.windows) window.both_strands = false;
  const auto model = random_kmers(counts, 3);
  const std::vector<std::string> forward{test::random_bases(100, 1)}, reverse{genome::reverse_complement(forward[0])};
  auto given = readings_of(forward), reversed = readings_of(reverse, /*reversed=*/true);
  const KmerTerm term(model, 0.5, {0, 2, 1});
  const auto of_forward = model.logits(forward[0], 0.5), of_reverse = model.logits(reverse[0], 0.5);
  EXPECT_EQ(term.logits(reversed), (std::vector<float>{of_reverse[0], of_reverse[2], of_reverse[1]}));
  const auto mean = term.mean_of_strands(given, reversed);
  EXPECT_EQ(mean[1], (of_forward[1] + of_reverse[2]) / 2);
}

TEST(KmerTerm, MeanOfStrandsIsTheMeanOfBothReadings) {
  for (const auto site : {dataset::Task::Site::bin, dataset::Task::Site::start, dataset::Task::Site::whole}) {
    auto counts = KmerCounts::of_interval(800, 0.5, site);
    if (site == dataset::Task::Site::bin) counts.windows.push_back({-50, 50, 3, false});
    auto kmers = random_kmers(counts, 7);
    int64_t first = 0;
    for (const auto& window : counts.windows) {  // outputs 0 to 2 have weights of both strands, 3 and 4 others
      const int64_t columns = KmerCounts::columns(window);
      for (int64_t f = window.both_strands ? 3 : 0; f < (window.both_strands ? 5 : 3); ++f)
        std::fill_n(kmers.weight.begin() + f * counts.columns() + first, columns, 0.f);
      first += columns;
    }
    const int64_t context = site == dataset::Task::Site::bin ? 800 : 0;
    const KmerTerm term(kmers, 0.5, {0, 1, 2, 4, 3, 5, 6}, context);
    std::vector<std::string> sequences, reversed;
    for (int i = 0; i < 12; ++i) {
      sequences.push_back(test::random_bases(800 + i % 3, static_cast<uint64_t>(i)));
      sequences.back()[static_cast<size_t>(i * 60)] = 'N';
      reversed.push_back(genome::reverse_complement(sequences.back()));
    }
    auto forward = readings_of(sequences), reverse = readings_of(reversed, true);
    auto expected = term.logits(forward);
    const auto other = term.logits(reverse);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = (expected[i] + other[i]) / 2;
    forward = readings_of(sequences), reverse = readings_of(reversed, true);
    EXPECT_EQ(term.mean_of_strands(forward, reverse), expected);
  }
}

TEST(KernelTerm, IsTheKernelOfKmersAndStates) {
  auto model = random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 3);
  model.kernel = random_kernel(3, model.counts.columns(), 4);
  const std::vector<std::string> sequences{test::random_bases(100, 1), test::random_bases(100, 2)};
  const std::vector<std::vector<float>> pooled{{1, -1, 0.5, 0}, {0.25, 0, 2, 1}};
  auto readings = readings_of(sequences);
  for (size_t i = 0; i < 2; ++i) readings[i].pooled = pooled[i];
  const auto logits = KernelTerm(model, 0.5).logits(readings), alone = KernelTerm(model, 0.5, true).logits(readings);
  for (size_t i = 0; i < 2; ++i) {
    for (size_t f = 0; f < 3; ++f) {
      const double kernel = kernel_logit(*model.kernel, f, model.counts.values(sequences[i], 0.5), pooled[i]);
      EXPECT_NEAR(alone[i * 3 + f], kernel, 1e-5);
      const auto output = static_cast<int64_t>(f);
      const auto scale = model.kernel->scale[output].item<double>(), shift = model.kernel->shift[output].item<double>();
      EXPECT_NEAR(logits[i * 3 + f], scale * kernel + shift, 1e-5);
    }
  }
}

TEST(KmerModel, IsRescaledByLabel) {
  const auto model = random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 3);
  auto scaled = model;
  scaled.rescale(1, 2, 0.5);
  const std::string bases = test::random_bases(100, 1);
  const auto before = model.logits(bases, 0.5), after = scaled.logits(bases, 0.5);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NEAR(after[1], 2 * before[1] + 0.5, 1e-4);
}

TEST(KmerModel, IsTheSameWhenReadBack) {
  const auto model = random_kmers(KmerCounts::of_interval(300, 0.5, dataset::Task::Site::bin), 2);
  const test::TempDir directory;
  const std::string path = directory / "kmers.safetensors";
  model.save(path);
  const auto read = KmerModel::load(path);
  const std::string bases = test::random_bases(300, 4);
  EXPECT_EQ(read.logits(bases, 0.4), model.logits(bases, 0.4));
  EXPECT_EQ(read.base_weight, model.base_weight);
  EXPECT_FALSE(read.kernel);

  auto with_kernel = model;
  with_kernel.kernel = random_kernel(2, model.counts.columns(), 5);
  with_kernel.save(path);
  const std::vector<float> pooled{0.1f, 0.2f, 0.3f, 0.4f, 0.5f};
  const auto kernel_of = [&](const KmerModel& kmers) {
    Reading reading{.bases = &bases, .pooled = pooled};
    return KernelTerm(kmers, 0.4).logits({&reading, 1});
  };
  EXPECT_EQ(kernel_of(KmerModel::load(path)), kernel_of(with_kernel));
  with_kernel.kernel->states.landmarks = at::zeros({4, 2});
  with_kernel.save(path);
  EXPECT_NE(test::error_of([&] { KmerModel::load(path); }).find("kmers.safetensors: the shapes of its arrays disagree"),
            std::string::npos);
}

TEST(KmerModel, AFolderListsItsKmers) {
  const test::TempDir directory;
  const std::string folder = directory.path();
  model_folder::ModelFolder model{folder, test::small_promoter_model(), test::letters(), {}};
  model.network.emplace();
  model.manifest.kind = "model";
  EXPECT_FALSE(KmerModel::of(model)) << "it may have none";
  const std::string path = folder + "/kmers.safetensors";
  random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 1).save(path);
  EXPECT_FALSE(KmerModel::of(model)) << "a file that is not listed is not the model's";
  model.manifest.add_file(folder, "kmers.safetensors");
  EXPECT_TRUE(KmerModel::of(model));
  std::string bytes = io::read_file(path);
  bytes.back() ^= 1;
  io::write_file(path, bytes);
  EXPECT_NE(test::error_of([&] {
              KmerModel::of(model);
            }).find("kmers.safetensors: its checksum differs from the recorded one"),
            std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(test::error_of([&] { KmerModel::of(model); }).find("kmers.safetensors: is missing"), std::string::npos);
  random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 2).save(path);
  model.manifest.details.erase("files");
  model.manifest.add_file(folder, "kmers.safetensors");
  EXPECT_NE(test::error_of([&] { KmerModel::of(model); }).find("k-mers of 2 features, but the model has 1"),
            std::string::npos);
  auto kmers = random_kmers(KmerCounts::of_interval(100, 0.5, dataset::Task::Site::start), 1);
  kmers.kernel = random_kernel(1, kmers.counts.columns(), 5);
  EXPECT_NE(
      test::error_of([&] { kmers.check_kernel("it", 4); }).find("it: its kernel reads 5 numbers of the encoder, but"),
      std::string::npos);
  model.network.reset();
  EXPECT_NE(test::error_of([&] {
              KmerModel::of(model);
            }).find("lists kmers.safetensors, which only models of bigdna train have"),
            std::string::npos);
}

}  // namespace
}  // namespace bigdna::models
