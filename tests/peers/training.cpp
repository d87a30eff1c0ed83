/// peer_training CORPUS OUT STEPS: a small model trained by train::run on the corpus, for training_test.py.
/// OUT holds the initial model (initial/), every step's batch (batches.safetensors: N.ids, N.token_types
/// [batch, n], N.lengths [batch], N.masked and N.masked_labels [m] (flat positions), N.nsp_labels [batch],
/// int64) and what train::run writes: metrics.jsonl has a line for each step.
#include <ATen/ops/empty.h>

#include <iostream>

#include "base/error.h"
#include "io/folder.h"
#include "io/safetensors.h"
#include "model/parameters.h"
#include "model_folder/model_folder.h"
#include "mlm/mlm.h"

namespace bigdna {
namespace {

void run(const std::string& corpus_folder, const std::string& out, int64_t steps) {
  const auto corpus = std::make_shared<const corpus::Corpus>(corpus_folder, corpus::Corpus::Split::training);
  mlm::MlmModel model;
  model.vocabulary =
      std::make_shared<const tokenizer::Vocabulary>(tokenizer::Vocabulary::load(corpus->vocabulary_path()));
  auto& config = model.config;
  config.layers = 2, config.heads = 2, config.hidden = 64, config.ffn = 128, config.max_length = 512;
  config.vocab_size = model.vocabulary->size();
  config.dropout = config.attention_dropout = 0;
  config.pattern.block = 16;                                           // 32 blocks: sparse
  config.pattern.random_blocks = sparsity::RandomBlocks::huggingface;  // what transformers computes without dropout

  corpus::ExampleOptions examples;
  examples.max_length = config.max_length;
  train::LoopOptions options;
  options.steps = steps, options.batch = 4, options.log_every = 1, options.learning_rate = 1e-3,
  options.evaluate_every = 0;
  const auto source = std::make_shared<const corpus::ExampleSource>(corpus, *model.vocabulary, examples);
  const train::TrainingTask task = mlm::mlm_task(model, source, {});

  const model::Parameters initial = model::initialise(config, 1);
  io::prepare_output_folder({out + "/initial", "model"});
  model::save_weights(initial, out + "/initial/model.safetensors");
  model_folder::write_model_folder(out + "/initial", config, *model.vocabulary, {});

  std::vector<at::Tensor> kept;
  std::vector<io::ArrayToWrite> arrays;
  const auto add = [&](const std::string& name, const at::Tensor& value) {
    kept.push_back(value);
    arrays.push_back(io::array(name, std::span(value.const_data_ptr<int64_t>(), static_cast<size_t>(value.numel())),
                               value.sizes().vec()));
  };
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<corpus::Example> drawn;
    for (int64_t place = 0; place < options.batch; ++place) drawn.push_back(task.example(step * options.batch + place));
    const model::Batch batch = model::make_batch(drawn, config.pattern.block, config.pad_id, at::kCPU);
    const std::string prefix = concat(step, ".");
    add(prefix + "ids", batch.ids);
    add(prefix + "token_types", batch.token_types);
    at::Tensor lengths = at::empty({batch.size()}, at::kLong);
    std::copy(batch.lengths.begin(), batch.lengths.end(), lengths.mutable_data_ptr<int64_t>());
    add(prefix + "lengths", lengths);
    add(prefix + "masked", batch.masked);
    add(prefix + "masked_labels", batch.masked_labels);
    add(prefix + "nsp_labels", batch.targets.select(1, 0).to(at::kLong).contiguous());
  }
  io::write_safetensors(out + "/batches.safetensors", arrays, {});
  train::run(task, initial, options, out, at::kCPU);
}

}  // namespace
}  // namespace bigdna

int main(int argc, char** argv) {
  try {
    if (argc != 4) bigdna::fail("peer_training CORPUS OUT STEPS");
    bigdna::run(argv[1], argv[2], std::stoll(argv[3]));
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "peer_training: " << e.what() << "\n";
    return 1;
  }
}
