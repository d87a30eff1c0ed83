#include "sparsity/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace bigdna::sparsity {
namespace {

LayoutGraph graph(const std::vector<std::vector<int32_t>>& rows) {
  return graph_of(BlockLayout::from_rows(rows), {.blocks = std::ssize(rows)});
}

/// Blocks on a line: the walk's eigenvalues are cos(pi k / (n - 1)).
TEST(LayoutGraph, OfALine) {
  constexpr int32_t kBlocks = 12;
  std::vector<std::vector<int32_t>> rows;
  for (int32_t i = 0; i < kBlocks; ++i) {
    rows.push_back({i});
    if (i > 0) rows.back().push_back(i - 1);
    if (i + 1 < kBlocks) rows.back().push_back(i + 1);
  }
  const auto line = graph(rows);
  EXPECT_DOUBLE_EQ(line.keys, 34.0 / kBlocks);
  EXPECT_EQ(line.layers, kBlocks - 1);
  EXPECT_DOUBLE_EQ(line.path, (kBlocks + 1) / 3.0);
  EXPECT_EQ(line.clustering, 0);
  EXPECT_NEAR(line.spectral_gap, 1 - std::cos(std::numbers::pi / (kBlocks - 1)), 1e-9);
}

/// All blocks read all: one eigenvalue is 1, the others are -1 / (n - 1).
TEST(LayoutGraph, OfFullAttention) {
  std::vector<std::vector<int32_t>> rows(7);
  for (auto& row : rows)
    for (int32_t key = 0; key < 7; ++key) row.push_back(key);
  const auto full = graph(rows);
  EXPECT_EQ(full.layers, 1);
  EXPECT_EQ(full.path, 1);
  EXPECT_EQ(full.clustering, 1);
  EXPECT_NEAR(full.spectral_gap, 1 + 1.0 / 6, 1e-9);
}

/// A ring with chords to the second neighbour has the clustering 1/2 (Watts and Strogatz 1998: 3 (k - 2) / 4 (k - 1)).
TEST(LayoutGraph, OfARingOfFourNeighbours) {
  constexpr int32_t kBlocks = 20;
  std::vector<std::vector<int32_t>> rows(kBlocks);
  for (int32_t i = 0; i < kBlocks; ++i)
    for (const int32_t step : {1, 2}) rows[static_cast<size_t>(i)].push_back((i + step) % kBlocks);
  const auto ring = graph(rows);  // each reads two blocks ahead, and is read by two
  EXPECT_DOUBLE_EQ(ring.clustering, 0.5);
  EXPECT_EQ(ring.layers, 10);
  const auto wave = [](double k) { return std::cos(2 * std::numbers::pi * k / kBlocks); };
  EXPECT_NEAR(ring.spectral_gap, 1 - (wave(1) + wave(2)) / 2, 1e-9);
}

TEST(LayoutGraph, WhatFallsApartIsNeverRead) {
  const auto apart = graph({{0, 1}, {0, 1}, {2, 3}, {2, 3}});
  EXPECT_FALSE(apart.layers);
  EXPECT_EQ(apart.path, 1);
  EXPECT_NEAR(apart.spectral_gap, 0, 1e-9);
  EXPECT_EQ(graph({{0}, {1}}).spectral_gap, 0);
}

/// A causal block has nothing to read behind itself.
TEST(LayoutGraph, OfCausalPatterns) {
  const PatternConfig config{.name = "window", .causal = true};
  const Place place{.blocks = 8, .causal = true};
  EXPECT_EQ(graph_of(make_layout(config, place), place).layers, 7);
}

TEST(LayoutGraph, RandomBlocksShortenPaths) {
  const Place place{.blocks = 128};
  const auto of = [&](const char* name) { return graph_of(make_layout({.name = name}, place), place); };
  const auto window = of("window"), bigbird = of("bigbird"), random = of("random");
  EXPECT_EQ(window.layers, 127);
  EXPECT_EQ(bigbird.layers, 2);
  EXPECT_GT(random.spectral_gap, 20 * window.spectral_gap);
  EXPECT_GT(bigbird.clustering, random.clustering);
}

// As Child et al. 2019 say of both; a window beside the stride needs more layers the longer the sequence is.
TEST(LayoutGraph, TwoLayersOfStridedAndFixedJoinAllPairs) {
  for (const int64_t blocks : {9, 16, 64, 100, 256}) {
    const Place place{.blocks = blocks};
    for (const char* name : {"strided", "fixed"})
      EXPECT_LE(graph_of(make_layout({.name = name}, place), place).layers, 2) << name << " " << blocks;
  }
  const Place place{.blocks = 64}, causal{.blocks = 64, .causal = true};
  EXPECT_EQ(graph_of(make_layout({.name = "strided", .near = Near::window}, place), place).layers, 5);
  EXPECT_EQ(graph_of(make_layout({.name = "strided", .stride = 8, .causal = true}, causal), causal).layers, 2);
}

}  // namespace
}  // namespace bigdna::sparsity
