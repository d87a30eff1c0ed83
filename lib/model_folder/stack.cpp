#include "model_folder/stack.h"

#include <array>
#include <string>

#include "base/error.h"
#include "base/table.h"
#include "model_folder/architecture.h"
#include "model_folder/config.h"
#include "sparsity/references.h"

namespace bigdna::model_folder {
namespace {

// gated
constexpr std::array kGated{
    Setting{"bias", "b at the start: the larger, the nearer a gate is to passing on its input", 2, 0, 100, {}, false}};
std::vector<int64_t> gates_of_branch(const ModelConfig& config) { return {3 * config.hidden, config.hidden}; }
std::vector<int64_t> gates_of_stream(const ModelConfig& config) { return {2 * config.hidden, config.hidden}; }
std::vector<int64_t> square(const ModelConfig& config) { return {config.hidden, config.hidden}; }
std::vector<int64_t> of_hidden(const ModelConfig& config) { return {config.hidden}; }
double first_bias(const ModelConfig& config) { return config.stack.at("bias"); }
constexpr std::array kGates{
    OwnParameter{"attention.branch", gates_of_branch},  // W_r, W_z and W_g
    OwnParameter{"attention.stream", gates_of_stream},  // U_r and U_z
    OwnParameter{"attention.candidate", square},        // U_g
    OwnParameter{"attention.bias", of_hidden, Start::constant, first_bias, Update::undecayed},
    OwnParameter{"feed_forward.branch", gates_of_branch},
    OwnParameter{"feed_forward.stream", gates_of_stream},
    OwnParameter{"feed_forward.candidate", square},
    OwnParameter{"feed_forward.bias", of_hidden, Start::constant, first_bias, Update::undecayed},
};

// universal
constexpr std::array kUniversal{
    Setting{"steps", "how often the layers (--layers) are repeated, at most", 4, 1, 1000},
    Setting{"halting", "whether tokens halt by themselves (adaptive computation time), or all make every step", 1, 0, 1,
            "no|yes"},
    Setting{"epsilon", "ε", 0.01, 0, 1, {}, false},
    Setting{"ponder", "what a step of all tokens adds to the loss", 0.01, 0, 1000, {}, false},
};
int64_t universal_steps(const ModelConfig& config) { return static_cast<int64_t>(config.stack.at("steps")); }
bool halts(const ModelConfig& config) { return config.stack.at("halting") != 0; }
std::vector<int64_t> halting_weight(const ModelConfig& config) {
  return halts(config) ? std::vector{config.hidden} : std::vector<int64_t>();
}
std::vector<int64_t> halting_offset(const ModelConfig& config) {
  return halts(config) ? std::vector<int64_t>{1} : std::vector<int64_t>();
}
double first_offset_of_halting(const ModelConfig&) { return 1; }
void universal_check(const ModelConfig& config) {
  if (halts(config)) return;
  for (const char* name : {"epsilon", "ponder"})
    if (config.stack.at(name) != setting_of("stack universal", kUniversal, name).start)
      throw UsageError(concat("stack universal: ", name, " has no effect with halting=no"));
}
constexpr std::array kHaltingUnit{
    OwnParameter{"weight", halting_weight},
    OwnParameter{"offset", halting_offset, Start::constant, first_offset_of_halting, Update::undecayed},
};

constexpr std::array kStacks{
    StackRow{.name = "residual",
             .summary = "each layer adds to the one before",
             .source = sparsity::references::kTransformer,
             .equation = "H = X + Attention(X), Y = H + FeedForward(H)",
             .oracle = "transformers' BigBird and ModernBERT",
             .plain = true},
    StackRow{.name = "reversible",
             .summary = "two streams, from which the backward pass finds the input of each layer again, so that memory "
                        "does not grow with the number of layers; feed-forward layers in chunks of tokens",
             .source = sparsity::references::kReformer,
             .equation = "Y₁ = X₁ + Attention(X₂), Y₂ = X₂ + FeedForward(Y₁), from embeddings X in both; at the end Y₁ "
                         "+ Y₂ − X, as if all branches were added to one stream",
             .oracle = "the same formula by autograd",
             .branches = true,
             .recomputes = true},
    StackRow{.name = "gated",
             .summary = "a gate at each residual, as in a gated recurrent unit (GTrXL's), which begins near passing on "
                        "its input; norms lie within the branches",
             .source = sparsity::references::kGated,
             .equation = "y = relu(branch), r = σ(W_r y + U_r x), z = σ(W_z y + U_z x − b), h = tanh(W_g y + U_g (r ⊙ "
                         "x)), x ← (1 − z) ⊙ x + z ⊙ h, after attention and after the feed-forward layer. The relu is "
                         "the paper's; 12 d² weights in each layer",
             .oracle = "the equations in PyTorch, outputs and gradients; embeddings where b = 100",
             .settings = kGated,
             .parameters = kGates,
             .branches = true,
             .adds = false,
             .kept = 14},
    StackRow{.name = "universal",
             .summary = "the layers are repeated, and each token may halt after fewer repetitions than others "
                        "(Universal Transformer, adaptive computation time)",
             .source = sparsity::references::kUniversal,
             .equation =
                 "sⁿ = Layers(sⁿ⁻¹ + Pⁿ), P the sinusoids of n (positions are the architecture's own); h = σ(w·sⁿ + "
                 "b), N = min(min{n: Σh ≥ 1 − ε}, steps), p = h and at N what is left of 1, result Σ p sⁿ, loss + "
                 "ponder · mean(N + p_N). Tokens that have halted stay as they are for the others: results jump where "
                 "a token halts earlier",
             .oracle = "copied layers bit for bit; the equations token by token; PyTorch, outputs and gradients",
             .settings = kUniversal,
             .parameters = kHaltingUnit,
             .parameters_once = true,
             .adds = false,
             .steps = universal_steps,
             .check = universal_check,
             .kept = 2},
};

}  // namespace

std::span<const StackRow> stacks() { return kStacks; }

const StackRow& stack(std::string_view name) { return row_named(kStacks, name, "stack"); }

const StackRow& stack(const ModelConfig& config) { return stack(config.stack.name); }

size_t stack_index(const ModelConfig& config) { return static_cast<size_t>(&stack(config) - kStacks.data()); }

StackConfig stack_from(std::string_view text) {
  return StackConfig(chosen_from("stack", text, stack(row_name(text)).settings));
}

std::string to_string(const StackConfig& config) { return to_string(config, stack(config.name).settings); }

int64_t layer_runs(const ModelConfig& config) {
  const StackRow& row = stack(config);
  return row.steps ? row.steps(config) * config.layers : config.layers;
}

int64_t layer_of_run(const ModelConfig& config, int64_t run) { return stack(config).steps ? run % config.layers : run; }

int64_t attention_turn(const ModelConfig& config, int64_t run) {
  const auto from = static_cast<int64_t>(config.attention.at("from"));
  const int64_t layer = layer_of_run(config, run), steps = (run - layer) / config.layers;
  return steps * (config.layers - from) + layer - from;
}

bool first_layer_is_normed(const ModelConfig& config) { return config.normed_input && !stack(config).steps; }

void stack_shapes(const ModelConfig& config, std::string_view prefix,
                  std::map<std::string, std::vector<int64_t>>& shapes) {
  const StackRow& row = stack(config);
  for (int64_t layer = row.parameters_once ? config.layers - 1 : 0; layer < config.layers; ++layer)
    for (const auto& own : row.parameters)
      if (auto shape = own.shape(config); !shape.empty())
        shapes[concat(prefix, layer, ".", own_prefix(row.name), own.name)] = std::move(shape);
}

void check_stack(const ModelConfig& config) {
  if (stack(config).branches && !architecture(config).branches)
    throw UsageError(concat("stack ", config.stack.name,
                            ": needs an architecture with its norms inside of what is added "
                            "(modern), not ",
                            architecture(config).name));
  if (stack(config).check) stack(config).check(config);
}

void check_recompute(const ModelConfig& config) {
  if (stack(config).recomputes)
    throw UsageError(
        concat("--recompute changes nothing: the layers of a ", config.stack.name, " stack are recomputed"));
}

}  // namespace bigdna::model_folder
