#include "train/ranks.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/error.h"
#include "support.h"
#include "train/gradients.h"
#include "train/loop.h"

namespace bigdna::train {
namespace {

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(socket);
  return ntohs(address.sin_port);
}

/// Calls body(ranks) on `size` threads, each a rank of its own.
template <class Body>
void on_ranks(int size, Body body, double timeout = 60) {
  // LibTorch's recorder of collectives, one a process, does not expect several ranks in it: its map is not locked.
  setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
  const int port = free_port();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        RankLaunch launch;
        launch.rank = launch.local_rank = rank;
        launch.size = size;
        launch.address = "127.0.0.1";
        launch.port = port;
        Ranks ranks(launch, at::kCPU, timeout);
        body(ranks);
      } catch (const std::exception& e) {
        ADD_FAILURE() << "rank " << rank << ": " << e.what();
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(Ranks, AloneNothingHappens) {
  Ranks alone;
  std::vector<double> values{1, 2};
  alone.sum(values);
  EXPECT_EQ(values, (std::vector<double>{1, 2}));
  EXPECT_EQ(alone.broadcast("text"), "text");
  EXPECT_EQ(alone.part(7).end, 7);
}

TEST(Ranks, SumsBroadcastsAndParts) {
  on_ranks(3, [](Ranks& ranks) {
    std::vector<double> values{1, static_cast<double>(ranks.rank())};
    ranks.sum(values);
    EXPECT_EQ(values, (std::vector<double>{3, 3}));
    EXPECT_EQ(ranks.broadcast(ranks.first() ? "from the first" : "", /*patience=*/true), "from the first");
    EXPECT_EQ(ranks.broadcast(ranks.first() ? "" : "mine"), "");
    const auto tensor = at::full({5}, static_cast<double>(ranks.rank() + 1));
    const auto wait = ranks.sum_later(tensor);
    wait();
    EXPECT_EQ(tensor.sum().item<double>(), 30);
    ranks.broadcast(tensor.fill_(ranks.rank()), 2);
    EXPECT_EQ(tensor.sum().item<double>(), 10);
    const auto part = ranks.part(8);
    EXPECT_EQ(part.begin, std::vector<int64_t>({0, 2, 5})[static_cast<size_t>(ranks.rank())]);
    EXPECT_EQ(part.end, std::vector<int64_t>({2, 5, 8})[static_cast<size_t>(ranks.rank())]);
  });
}

model::Parameters parameters() {
  model::Parameters p{{"layer.10.weight", at::ones({3})},
                      {"layer.9.weight", at::ones({2, 2})},
                      {"unused", at::ones({2})},
                      {"zero_here", at::ones({1})}};
  for (auto& [name, tensor] : p) tensor.requires_grad_(true);
  return p;
}

/// Two micro-batches; rank 1 never uses "zero_here".
void backward(const model::Parameters& p, Ranks& ranks, Gradients& gradients) {
  gradients.begin();
  for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
    if (micro_batch == 1) gradients.last();
    auto loss = p.at("layer.10.weight").sum().mul(ranks.rank() + 1).add(p.at("layer.9.weight").sum());
    if (ranks.first()) loss = loss.add(p.at("zero_here").sum());
    loss.backward();
  }
  gradients.finish();
}

TEST(Gradients, AreSummedOverMicroBatchesAndRanks) {
  on_ranks(2, [](Ranks& ranks) {
    const auto p = parameters();
    for (const int64_t bucket_bytes : {4, 1 << 20}) {
      Gradients gradients(p, ranks, /*sharded=*/false, bucket_bytes);
      EXPECT_EQ(gradients.owned().size(), p.size());
      for (int step = 0; step < 2; ++step) {
        backward(p, ranks, gradients);
        EXPECT_TRUE(at::Tensor(p.at("layer.10.weight").grad()).equal(at::full({3}, 6.0)));
        EXPECT_TRUE(at::Tensor(p.at("layer.9.weight").grad()).equal(at::full({2, 2}, 4.0)));
        EXPECT_TRUE(at::Tensor(p.at("zero_here").grad()).equal(at::full({1}, 2.0)));
        EXPECT_FALSE(p.at("unused").grad().defined());
        gradients.share();
        EXPECT_FALSE(p.at("layer.9.weight").grad().defined());
      }
    }
  });
}

TEST(Gradients, ShardedEachIsItsOwners) {
  on_ranks(2, [](Ranks& ranks) {
    const auto p = parameters();
    Gradients gradients(p, ranks, /*sharded=*/true, /*bucket_bytes=*/4);
    std::vector<double> owners;
    for (const auto& [name, tensor] : p) owners.push_back(static_cast<double>(gradients.owned().count(name)));
    ranks.sum(owners);
    EXPECT_EQ(owners, std::vector<double>(4, 1));  // each parameter is one rank's
    EXPECT_FALSE(gradients.owned().empty());
    backward(p, ranks, gradients);
    for (const auto& [name, tensor] : gradients.owned()) {
      EXPECT_EQ(gradients.owner(name), ranks.rank());
      if (name != "unused") tensor.detach().sub_(tensor.grad());
    }
    gradients.share();
    EXPECT_TRUE(p.at("layer.10.weight").detach().equal(at::full({3}, -5.0)));
    EXPECT_TRUE(p.at("layer.9.weight").detach().equal(at::full({2, 2}, -3.0)));
    EXPECT_TRUE(p.at("zero_here").detach().equal(at::full({1}, -1.0)));
    EXPECT_TRUE(p.at("unused").detach().equal(at::ones({2})));
  });
}

/// Rank 0 alone fits a head before a run, and evaluates: that may take longer than a rank may take to answer.
TEST(Ranks, WaitForWhatRankZeroDoesAlone) {
  const auto longer_than_the_timeout = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); };
  const test::TempDir folder;
  TrainingTask task;
  task.example = [](int64_t) {
    corpus::Example example;
    example.ids = {1, 2};
    example.token_types = {0, 0};
    return example;
  };
  task.forward = [](const model::Parameters& p, const model::Batch&, const Totals&, uint64_t) {
    return StepResult{p.at("weight").sum(), {}};
  };
  task.evaluate = [&](const model::Parameters&) {
    longer_than_the_timeout();
    return std::map<std::string, double>{{"value", 3}};
  };
  LoopOptions options;
  options.steps = 2;
  options.batch = 2;
  options.evaluate_every = 1;
  on_ranks(
      2,
      [&](Ranks& ranks) {
        if (ranks.first()) longer_than_the_timeout();
        model::Parameters parameters;
        parameters["weight"] = at::ones({3});
        EXPECT_EQ(run(task, std::move(parameters), options, folder.path(), at::kCPU, ranks).metrics.at("value"), 3);
      },
      /*timeout=*/1);
}

}  // namespace
}  // namespace bigdna::train
