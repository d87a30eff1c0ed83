#include "model_folder/stack.h"

#include <array>
#include <string>

#include "base/error.h"
#include "base/table.h"
#include "model_folder/architecture.h"
#include "model_folder/config.h"

namespace bigdna::model_folder {
namespace {

constexpr std::array kStacks{
    StackRow{.name = "residual",
             .summary = "each layer adds to the one before",
             .survey = "001 Multi-Head Self-Attention",
             .equation = "H = X + Attention(X), Y = H + FeedForward(H)",
             .oracle = "transformers' BigBird and ModernBERT",
             .plain = true,
             .branches = false,
             .recomputes = false},
    StackRow{.name = "reversible",
             .summary = "two streams, from which the backward pass finds the input of each layer again, so that memory "
                        "does not grow with the number of layers; feed-forward layers in chunks of tokens",
             .survey = "000 Reformer; 001 Reformer",
             .equation = "Y₁ = X₁ + Attention(X₂), Y₂ = X₂ + FeedForward(Y₁), from embeddings X in both; at the end Y₁ "
                         "+ Y₂ − X, as if all branches were added to one stream",
             .oracle = "the same formula by autograd",
             .plain = false,
             .branches = true,
             .recomputes = true},
};

}  // namespace

std::span<const StackRow> stacks() { return kStacks; }

const StackRow& stack(std::string_view name) { return row_named(kStacks, name, "stack"); }

const StackRow& stack(const ModelConfig& config) { return stack(config.stack); }

size_t stack_index(const ModelConfig& config) { return static_cast<size_t>(&stack(config) - kStacks.data()); }

void check_stack(const ModelConfig& config) {
  if (stack(config).branches && !architecture(config).branches)
    throw UsageError(concat("stack ", config.stack,
                            ": needs an architecture with its norms inside of what is added "
                            "(modern), not ",
                            architecture(config).name));
}

void check_recompute(const ModelConfig& config) {
  if (stack(config).recomputes)
    throw UsageError(concat("--recompute changes nothing: the layers of a ", config.stack, " stack are recomputed"));
}

}  // namespace bigdna::model_folder
