#include "sparsity/graph.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bigdna::sparsity {
namespace {

/// Symmetric, row-major.
class Matrix {
 public:
  explicit Matrix(size_t size) : size_(size), values_(size * size) {}
  double& at(size_t i, size_t j) { return values_[i * size_ + j]; }
  double at(size_t i, size_t j) const { return values_[i * size_ + j]; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  std::vector<double> values_;
};

/// 1 where one of two blocks reads the other.
Matrix neighbours(const BlockLayout& layout) {
  Matrix all(static_cast<size_t>(layout.blocks));
  for (size_t query = 0; query < all.size(); ++query)
    for (const auto key : layout.keys_of(static_cast<int64_t>(query)))
      if (const auto other = static_cast<size_t>(key); other != query) all.at(query, other) = all.at(other, query) = 1;
  return all;
}

/// How many reads lead from a block to each other; -1: none do.
std::vector<int64_t> reads_from(const BlockLayout& layout, int64_t query) {
  std::vector<int64_t> distance(static_cast<size_t>(layout.blocks), -1), queue{query};
  distance[static_cast<size_t>(query)] = 0;
  for (size_t next = 0; next < queue.size(); ++next)
    for (const auto key : layout.keys_of(queue[next]))
      if (auto& there = distance[static_cast<size_t>(key)]; there < 0) {
        there = distance[static_cast<size_t>(queue[next])] + 1;
        queue.push_back(key);
      }
  return distance;
}

double clustering(const Matrix& adjacent) {
  double sum = 0;
  for (size_t block = 0; block < adjacent.size(); ++block) {
    std::vector<size_t> around;
    for (size_t other = 0; other < adjacent.size(); ++other)
      if (adjacent.at(block, other) > 0) around.push_back(other);
    if (around.size() < 2) continue;
    double joined = 0;
    for (size_t i = 0; i < around.size(); ++i)
      for (size_t j = 0; j < i; ++j) joined += adjacent.at(around[i], around[j]);
    sum += 2 * joined / static_cast<double>(around.size() * (around.size() - 1));
  }
  return sum / static_cast<double>(adjacent.size());
}

/// Rotates rows and columns p and q so that the value between them becomes 0.
void rotate(Matrix& a, size_t p, size_t q) {
  const double theta = (a.at(q, q) - a.at(p, p)) / (2 * a.at(p, q));
  const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < a.size(); ++k) {
    const double kp = a.at(k, p), kq = a.at(k, q);
    a.at(k, p) = c * kp - s * kq, a.at(k, q) = s * kp + c * kq;
  }
  for (size_t k = 0; k < a.size(); ++k) {
    const double pk = a.at(p, k), qk = a.at(q, k);
    a.at(p, k) = c * pk - s * qk, a.at(q, k) = s * pk + c * qk;
  }
}

/// Jacobi's method.
std::vector<double> eigenvalues(Matrix a) {
  constexpr int kMostSweeps = 50;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double rest = 0;
    for (size_t p = 0; p < a.size(); ++p)
      for (size_t q = 0; q < p; ++q)
        if (std::abs(a.at(p, q)) > 1e-14) {
          rest += a.at(p, q) * a.at(p, q);
          rotate(a, q, p);
        }
    if (rest < 1e-20) break;
  }
  std::vector<double> values;
  for (size_t i = 0; i < a.size(); ++i) values.push_back(a.at(i, i));
  std::ranges::sort(values, std::greater<>());
  return values;
}

/// The walk has the eigenvalues of the symmetric matrix D^(-1/2) A D^(-1/2).
double spectral_gap(Matrix adjacent) {
  const size_t size = adjacent.size();
  if (size < 2) return 0;
  std::vector<double> degree(size);
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) degree[i] += adjacent.at(i, j);
  if (std::ranges::min(degree) == 0) return 0;  // a block of its own
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j) adjacent.at(i, j) /= std::sqrt(degree[i] * degree[j]);
  return std::max(0.0, 1 - eigenvalues(std::move(adjacent))[1]);
}

}  // namespace

LayoutGraph graph_of(const BlockLayout& layout, const Place& place) {
  LayoutGraph graph;
  graph.keys = static_cast<double>(layout.pairs()) / static_cast<double>(layout.blocks);
  int64_t farthest = 0, pairs = 0, sum = 0;
  bool reads_all = true;
  for (int64_t query = 0; query < layout.blocks; ++query) {
    const auto distance = reads_from(layout, query);
    for (int64_t key = 0; key < layout.blocks; ++key) {
      const int64_t reads = distance[static_cast<size_t>(key)];
      if (reads < 0 && key < place.visible(query)) reads_all = false;
      if (reads <= 0) continue;
      farthest = std::max(farthest, reads), sum += reads, ++pairs;
    }
  }
  if (reads_all) graph.layers = std::max<int64_t>(1, farthest);
  if (pairs > 0) graph.path = static_cast<double>(sum) / static_cast<double>(pairs);
  const auto adjacent = neighbours(layout);
  graph.clustering = clustering(adjacent);
  graph.spectral_gap = spectral_gap(adjacent);
  return graph;
}

}  // namespace bigdna::sparsity
