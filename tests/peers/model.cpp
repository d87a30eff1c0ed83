/// peer_model MODEL IN.safetensors OUT.safetensors [BACKEND]: what our encoder and heads compute, for model_test.py.
/// IN: ids, token_types [batch, n], lengths [batch], masked, masked_labels [m] (flat positions), nsp_labels [batch],
/// all int64. OUT: hidden, mlm_logits (at `masked`), nsp_logits, loss, and grad.NAME of every parameter.
/// A model with a task head: OUT holds hidden and task_logits.
#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/from_blob.h>

#include <iostream>

#include "base/error.h"
#include "io/safetensors.h"
#include "model/encoder.h"
#include "model/parameters.h"
#include "model_folder/model_folder.h"

namespace bigdna {
namespace {

at::Tensor read(const io::SafetensorsFile& file, const std::string& name) {
  const auto& array = file.at(name);
  return at::from_blob(const_cast<std::byte*>(array.bytes.data()), array.shape, at::kLong).clone();
}

/// Pads the columns to whole blocks, as transformers does.
at::Tensor pad(const at::Tensor& x, int64_t block, int64_t value) {
  return at::constant_pad_nd(x, {0, (block - x.size(1) % block) % block}, value);
}

void run(const std::string& model_path, const std::string& input, const std::string& output,
         const std::string& backend) {
  const auto config = model_folder::load_config(model_path + "/config.json");
  auto parameters = model::load_weights(config, model_path + "/model.safetensors");
  for (auto& [name, value] : parameters) value.requires_grad_(true);

  const io::SafetensorsFile file(input);
  model::Batch batch;
  const at::Tensor ids = read(file, "ids");
  batch.ids = pad(ids, config.pattern.block, config.pad_id);
  batch.token_types = pad(read(file, "token_types"), config.pattern.block, 0);
  const at::Tensor lengths = read(file, "lengths");
  batch.lengths.assign(lengths.const_data_ptr<int64_t>(), lengths.const_data_ptr<int64_t>() + lengths.numel());
  const at::Tensor masked = read(file, "masked");
  batch.masked = masked.div(ids.size(1), "floor") * batch.ids.size(1) + masked.remainder(ids.size(1));
  batch.masked_labels = read(file, "masked_labels");

  model::ForwardOptions options;
  options.backend = backend;
  const at::Tensor hidden = model::encode(config, parameters, batch, options);
  model::Parameters results{{"hidden", hidden.narrow(1, 0, ids.size(1))}};
  if (config.has_task()) {
    results["task_logits"] = model::task_logits(config, parameters, hidden, batch, options);
  } else {
    at::Tensor loss = at::cross_entropy_loss(
        results["mlm_logits"] = model::mlm_logits(config, parameters, hidden, batch.masked), batch.masked_labels);
    if (config.has_nsp())
      loss = loss + at::cross_entropy_loss(results["nsp_logits"] = model::nsp_logits(config, parameters, hidden),
                                           read(file, "nsp_labels"));
    loss.backward();
    results["loss"] = loss;
    for (const auto& [name, value] : parameters)
      if (value.grad().defined()) results["grad." + name] = value.grad();
  }
  model::save_weights(results, output);
}

}  // namespace
}  // namespace bigdna

int main(int argc, char** argv) {
  try {
    if (argc < 4) bigdna::fail("peer_model MODEL IN.safetensors OUT.safetensors [BACKEND]");
    bigdna::run(argv[1], argv[2], argv[3], argc > 4 ? argv[4] : "auto");
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "peer_model: " << e.what() << "\n";
    return 1;
  }
}
