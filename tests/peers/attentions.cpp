/// peer_attentions ATTENTION LAYER PATTERN BLOCK GLOBAL WINDOW IN.safetensors OUT.safetensors: what a row of the table
/// of attentions computes for one sequence, in double precision, for attentions_test.py.
/// IN: q, k, v [heads, n, head_size], states [n, hidden], weights (of the loss sum(out * weights)), and own.NAME for
/// the row's own parameters, all float64. OUT: out, grad.q, grad.k, grad.v, grad.states, grad.own.NAME, and what is
/// drawn at random: features, phases (performer), buckets and chunks (lsh).
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>

#include <iostream>

#include "base/error.h"
#include "io/safetensors.h"
#include "model/attention/attentions.h"
#include "model_folder/attention.h"

namespace bigdna {
namespace {

void run(char** argv) {
  const io::SafetensorsFile file(argv[7]);
  model::Parameters inputs;
  for (const auto& [name, array] : file.arrays())
    inputs[name] = at::from_blob(const_cast<std::byte*>(array.bytes.data()), array.shape, at::kDouble)
                       .clone()
                       .requires_grad_(name != "weights");
  model_folder::ModelConfig config;
  config.layers = 8;
  config.heads = inputs.at("q").size(0);
  config.hidden = inputs.at("states").size(1);
  config.attention_dropout = 0;
  config.pattern.name = argv[3];
  config.pattern.block = std::stoll(argv[4]);
  config.pattern.global = std::stoll(argv[5]);
  config.pattern.window = std::stoll(argv[6]);
  config.pattern.global_blocks = sparsity::GlobalBlocks::first;
  config.attention = model_folder::attention_from(argv[1], config.heads);
  config.attention.settings["local"] = 0;
  model_folder::check_attention(config);

  model::Parameters named = inputs;
  for (const auto& [name, value] : inputs)
    if (name.starts_with("own."))
      named["x." + model_folder::own_prefix(config.attention.name) + name.substr(4)] = value;
  model::Choices choices;
  const model::AttentionCall call{.config = config,
                                  .parameters = named,
                                  .layer = std::stoll(argv[2]),
                                  .q = inputs.at("q"),
                                  .k = inputs.at("k"),
                                  .v = inputs.at("v"),
                                  .states = inputs.at("states").unsqueeze(0),
                                  .prefix = "x.",
                                  .backend = "dense",
                                  .choices = &choices};
  const at::Tensor out = model::attention_runs()[model_folder::attention_index(config)].run(call);
  (out * inputs.at("weights")).sum().backward();
  model::Parameters results{{"out", out}};
  for (const auto& [name, value] : inputs)
    if (value.grad().defined()) results["grad." + name] = value.grad();
  if (const auto features = config.attention.settings.find("features"); features != config.attention.settings.end()) {
    const auto count = static_cast<int64_t>(features->second);
    results["features"] = model::orthogonal_features(call, count);
    results["phases"] = model::feature_phases(call, count);
  }
  for (size_t i = 0; i < choices.made.size(); ++i) results[concat("choice.", i)] = choices.made[i].to(at::kDouble);
  model::save_weights(results, argv[8], io::Dtype::f64);
}

}  // namespace
}  // namespace bigdna

int main(int argc, char** argv) {
  try {
    if (argc != 9)
      bigdna::fail("peer_attentions ATTENTION LAYER PATTERN BLOCK GLOBAL WINDOW IN.safetensors OUT.safetensors");
    bigdna::run(argv);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "peer_attentions: " << e.what() << "\n";
    return 1;
  }
}
