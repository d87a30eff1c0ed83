/// The rows of the table of attentions: what is known of each without LibTorch.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "model_folder/attention_parts.h"
#include "model_folder/stack.h"
#include "sparsity/pattern.h"
#include "sparsity/references.h"

namespace bigdna::model_folder {
namespace {

/// The tokens of the longest input, extra global ones included.
int64_t longest(const ModelConfig& config) { return config.max_length + sparsity::extra_tokens(config.pattern); }

double pattern_pairs(const ModelConfig& config, int64_t n) {
  const int64_t block = config.pattern.block, blocks = (n + block - 1) / block;
  const auto layout = sparsity::make_layout(config.pattern, {.layer = 1, .heads = config.heads, .blocks = blocks});
  return static_cast<double>(layout.pairs() * block) / static_cast<double>(blocks);
}

// longformer
double longformer_pairs(const ModelConfig& config, int64_t n) {
  return pattern_pairs(config, n) + static_cast<double>(config.pattern.global * config.pattern.block);
}
void longformer_check(const ModelConfig& config) {
  if (!(sparsity::pattern(config.pattern.name).parts & sparsity::kGlobalPart) || config.pattern.global == 0)
    throw UsageError(concat("attention longformer: pattern ", config.pattern.name,
                            " has no global blocks (--pattern global-window --global 2 has)"));
}
std::vector<int64_t> projection_shape(const ModelConfig& config) {
  return {attention_heads(config) * config.head_size(), config.hidden};
}
constexpr std::array kProjections{OwnParameter{"query", projection_shape, Start::projection},
                                  OwnParameter{"key", projection_shape, Start::projection},
                                  OwnParameter{"value", projection_shape, Start::projection}};

// performer and linear
constexpr std::array kPerformer{
    Setting{"features", "number of random features M", 256, 1, 65'536},
    Setting{"kernel", "f: relu; exp or cos, which estimate softmax", 0, 0, 2, "relu|exp|cos"},
    Setting{"directions", "how the rows of W are drawn; independent: not orthogonal", 0, 0, 3,
            "gram-schmidt|hadamard|givens|independent"},
};
void performer_check(const ModelConfig& config) {
  const int64_t size = config.head_size();
  if (whole_setting(config, "directions") == 1 && (size & (size - 1)) != 0)
    throw UsageError(concat("attention performer: directions=hadamard needs heads of 2, 4, 8 ... numbers, not ", size));
}
double performer_pairs(const ModelConfig& config, int64_t) { return 2 * setting_value(config, "features"); }
double linear_pairs(const ModelConfig& config, int64_t) { return static_cast<double>(config.head_size()); }

// linformer
constexpr std::array kLinformer{Setting{"rank", "tokens that keys and values are projected to", 128, 1, 1e6}};
std::vector<int64_t> linformer_shape(const ModelConfig& config) {
  return {whole_setting(config, "rank"), longest(config)};
}
double linformer_scale(const ModelConfig& config) { return 1 / std::sqrt(setting_value(config, "rank")); }
constexpr std::array kLinformerParameters{
    OwnParameter{"keys", linformer_shape, Start::normal, linformer_scale},
    OwnParameter{"values", linformer_shape, Start::normal, linformer_scale},
};
double linformer_pairs(const ModelConfig& config, int64_t) { return 2 * setting_value(config, "rank"); }

// compressed
constexpr std::array kCompressed{Setting{"stride", "tokens that one key and one value are made of", 4, 1, 65'536}};
std::vector<int64_t> compressed_shape(const ModelConfig& config) {
  return {attention_heads(config), whole_setting(config, "stride"), config.head_size(), config.head_size()};
}
constexpr std::array kCompressedParameters{OwnParameter{"keys", compressed_shape, Start::mean},
                                           OwnParameter{"values", compressed_shape, Start::mean}};
double compressed_pairs(const ModelConfig& config, int64_t n) {
  return std::ceil(static_cast<double>(n) / setting_value(config, "stride")) + static_cast<double>(config.head_size());
}

// axial
constexpr std::array kAxial{
    Setting{"width", "tokens in a row (0: the square root of the sequence's length)", 0, 0, 1e9}};
double axial_width(const ModelConfig& config, int64_t n) {
  const double width = setting_value(config, "width");
  return width > 0 ? std::min(static_cast<double>(n), width) : std::ceil(std::sqrt(n));
}
double axial_pairs(const ModelConfig& config, int64_t n) {
  const double width = axial_width(config, n);
  return (width + static_cast<double>(n) / width) / 2;  // of a layer of rows and one of columns
}
double axial_reach(const ModelConfig& config, int64_t n, int64_t layer) {
  return attention_turn(config, layer) % 2 == 0 ? axial_width(config, n) - 1 : static_cast<double>(n);
}

// lsh
constexpr std::array kLsh{
    Setting{"chunk", "tokens of a chunk of the sorted sequence", 64, 1, 65'536},
    Setting{"rounds", "rounds of hashing, whose sets of keys are joined", 4, 1, 64},
    Setting{"buckets", "buckets of each round (0: two for each chunk)", 0, 0, 1e6},
};
double lsh_pairs(const ModelConfig& config, int64_t n) {
  const auto buckets = lsh_buckets(whole_setting(config, "buckets"), n, whole_setting(config, "chunk"));
  const double hashing = static_cast<double>(buckets.first + buckets.second) / 4;
  return setting_value(config, "rounds") *
         (std::min(static_cast<double>(n), 3 * setting_value(config, "chunk")) + hashing);
}

// routing
constexpr std::array kRouting{
    Setting{"clusters", "number of clusters k; the square root of the length costs least", 32, 1, 65'536},
    Setting{"decay", "decay of the centroids' moving averages", 0.999, 0, 1, {}, false},
};
std::vector<int64_t> centroids_shape(const ModelConfig& config) {
  return {attention_heads(config), whole_setting(config, "clusters"), config.head_size()};
}
constexpr std::array kRoutingParameters{
    OwnParameter{"centroids", centroids_shape, Start::directions, nullptr, Update::average}};
double routing_pairs(const ModelConfig& config, int64_t n) {
  return std::ceil(static_cast<double>(n) / setting_value(config, "clusters")) + setting_value(config, "clusters");
}

// span
constexpr std::array kSpan{
    Setting{"limit", "longest span S in tokens", 1024, 1, 1e9},
    Setting{"ramp", "tokens R over which weights fall to 0", 32, 1, 1e6},
    Setting{"cost", "what a token of mean span adds to the loss", 2e-6, 0, 1, {}, false},
    Setting{"dynamic", "whether the span is a function of the token", 0, 0, 1, "no|yes"},
};
bool is_dynamic(const ModelConfig& config) { return setting_value(config, "dynamic") != 0; }
std::vector<int64_t> fixed_span_shape(const ModelConfig& config) {
  return is_dynamic(config) ? std::vector<int64_t>() : std::vector{attention_heads(config)};
}
std::vector<int64_t> direction_shape(const ModelConfig& config) {
  return is_dynamic(config) ? std::vector{attention_heads(config), config.hidden} : std::vector<int64_t>();
}
std::vector<int64_t> offset_shape(const ModelConfig& config) {
  return is_dynamic(config) ? std::vector{attention_heads(config)} : std::vector<int64_t>();
}
constexpr double kFirstSpan = 0.1;  // of the limit
double first_span(const ModelConfig&) { return kFirstSpan; }
double first_offset(const ModelConfig&) { return std::log(kFirstSpan / (1 - kFirstSpan)); }
constexpr std::array kSpanParameters{
    OwnParameter{"span", fixed_span_shape, Start::constant, first_span, Update::clamped},
    OwnParameter{"direction", direction_shape},
    OwnParameter{"offset", offset_shape, Start::constant, first_offset, Update::undecayed},
};
double span_reach(const ModelConfig& config, int64_t, int64_t) {
  return setting_value(config, "limit") + setting_value(config, "ramp") - 1;
}
double span_pairs(const ModelConfig& config, int64_t n) {
  return std::min(static_cast<double>(n), 2 * (setting_value(config, "limit") + setting_value(config, "ramp")) + 1);
}

// inducing
constexpr std::array kInducing{
    Setting{"points", "inducing points m", 32, 1, 65'536},
    Setting{"inner", "what the points pass through: a whole MAB, or attention alone", 0, 0, 1, "full|light"},
};
int64_t width_of(const ModelConfig& config) { return attention_heads(config) * config.head_size(); }
std::vector<int64_t> points_shape(const ModelConfig& config) {
  return {whole_setting(config, "points"), width_of(config)};
}
std::vector<int64_t> square_shape(const ModelConfig& config) { return {width_of(config), width_of(config)}; }
bool is_full(const ModelConfig& config) { return setting_value(config, "inner") == 0; }
std::vector<int64_t> inner_square_shape(const ModelConfig& config) {
  return is_full(config) ? square_shape(config) : std::vector<int64_t>();
}
std::vector<int64_t> inner_gain_shape(const ModelConfig& config) {
  return is_full(config) ? std::vector{width_of(config)} : std::vector<int64_t>();
}
double one(const ModelConfig&) { return 1; }
double lengths_kept(const ModelConfig& config) { return 1 / std::sqrt(static_cast<double>(width_of(config))); }
constexpr std::array kInducingParameters{
    OwnParameter{"points", points_shape, Start::normal, one},
    OwnParameter{"key", square_shape, Start::normal, lengths_kept},
    OwnParameter{"value", square_shape, Start::normal, lengths_kept},
    OwnParameter{"query", inner_square_shape, Start::normal, lengths_kept},
    OwnParameter{"output", inner_square_shape, Start::normal, lengths_kept},
    OwnParameter{"dense", inner_square_shape, Start::normal, lengths_kept},
    OwnParameter{"norm", inner_gain_shape, Start::constant, one, Update::undecayed},
    OwnParameter{"last_norm", inner_gain_shape, Start::constant, one, Update::undecayed},
};
double inducing_pairs(const ModelConfig& config, int64_t n) {
  const double inner = static_cast<double>((is_full(config) ? 5 : 2) * width_of(config));
  return setting_value(config, "points") * (2 + inner / static_cast<double>(n) / 2);
}

constexpr std::array kAttentions{
    AttentionRow{
        .name = "blocks",
        .title = "block-sparse softmax",
        .summary = "softmax over the key blocks that --pattern gives, by --backend; linear where the pattern is",
        .source = sparsity::references::kBigBird,
        .equation = "softmax(q kᵀ / √d) v over the pattern's keys",
        .reads_both_ways = "patterns are symmetric in time, unless the model is causal (`pretrain --objective next`)",
        .linear = true,
        .oracle = "backend dense in double precision; transformers' BigBird and ModernBERT",
        .pairs = pattern_pairs,
        .follows_pattern = true,
    },
    AttentionRow{
        .name = "longformer",
        .title = "Longformer's own global projections",
        .summary = "global blocks ask with projections of their own; linear where the pattern is",
        .source = sparsity::references::kLongformer,
        .equation =
            "rows of global tokens: softmax(q_g k_gᵀ / √d) v_g over all tokens, with q_g, k_g, v_g = W_g x; other "
            "rows as blocks",
        .reads_both_ways =
            "nothing: it is an encoder; rotary positions do not turn q_g and k_g, which see no positions. W_g starts "
            "as "
            "a copy of the layer's own projections, also of a trained encoder (convert --attention); biases (bigbird) "
            "are not copied",
        .parameters = kProjections,
        .linear = true,
        .not_causal = "tokens of global blocks read the text that follows",
        .oracle = "transformers' LongformerSelfAttention, outputs and gradients",
        .pairs = longformer_pairs,
        .follows_pattern = true,
        .check = longformer_check,
    },
    AttentionRow{
        .name = "performer",
        .title = "Performer (FAVOR)",
        .summary = "random features of queries and keys: softmax is estimated, or replaced by another kernel",
        .source = sparsity::references::kPerformer,
        .equation = "D⁻¹ Q'(K'ᵀ v), D = diag(Q'(K'ᵀ 1)), x' = f(W x / d^¼) / √M, W of orthogonal rows",
        .reads_both_ways = "the bidirectional form; sums run over all tokens",
        .settings = kPerformer,
        .linear = true,
        .equivariant = true,
        .not_causal = "its sums run over all tokens",
        .oracle = "(Q' K'ᵀ) v in full; for exp and cos also softmax, whose error falls as M^-½",
        .pairs = performer_pairs,
        .check = performer_check,
    },
    AttentionRow{
        .name = "linear",
        .title = "linearised attention",
        .summary = "softmax replaced by products of elu(x) + 1",
        .source = sparsity::references::kLinear,
        .equation = "D⁻¹ Q'(K'ᵀ v), D = diag(Q'(K'ᵀ 1)), x' = elu(x) + 1",
        .reads_both_ways = "sums run over all tokens",
        .linear = true,
        .equivariant = true,
        .not_causal = "its sums run over all tokens",
        .oracle = "(Q' K'ᵀ) v in full",
        .pairs = linear_pairs,
    },
    AttentionRow{
        .name = "linformer",
        .title = "Linformer",
        .summary = "keys and values projected along the sequence to a fixed number",
        .source = sparsity::references::kLinformer,
        .equation =
            "softmax(q (E k)ᵀ / √d) F v, E, F ∈ ℝ^{rank × longest}; a shorter sequence uses their first columns",
        .reads_both_ways = "nothing: it is an encoder; E and F are shared by the heads of a layer",
        .settings = kLinformer,
        .parameters = kLinformerParameters,
        .linear = true,
        .any_length = false,
        .not_causal = "its keys are made of all tokens",
        .dense_when = "rank={n}",
        .oracle = "full attention where E and F are the identity; the equation with n × n matrices",
        .pairs = linformer_pairs,
    },
    AttentionRow{
        .name = "compressed",
        .title = "memory-compressed attention",
        .summary = "keys and values made of `stride` tokens each by a learned convolution",
        .source = sparsity::references::kCompressed,
        .equation = "softmax(q c(k)ᵀ / √d) c(v), c_i = Σ_t C_t x_{i·stride + t}, zeros past the end",
        .reads_both_ways = "keys reach to both sides; the convolution starts as the mean. Queries stay as they "
                           "are",
        .settings = kCompressed,
        .parameters = kCompressedParameters,
        .not_causal = "a key is made of tokens that may follow",
        .dense_when = "stride=1",
        .oracle = "full attention at stride 1; PyTorch's conv1d",
        .pairs = compressed_pairs,
    },
    AttentionRow{
        .name = "axial",
        .title = "Axial Transformer",
        .summary = "the sequence as a rectangle: even layers attend along rows, odd ones along columns",
        .source = sparsity::references::kAxial,
        .equation = "softmax(q kᵀ / √d) v over the tokens of the row, or of the column; layers count from `from`",
        .reads_both_ways = "the unmasked form",
        .settings = kAxial,
        .not_causal = "columns hold tokens that follow",
        .dense_when = "width={n}",
        .oracle = "full attention for one row; a mask of rows and columns",
        .pairs = axial_pairs,
        .reach = axial_reach,
        .gaps = true,
    },
    AttentionRow{
        .name = "lsh",
        .title = "Reformer's locality-sensitive hashing",
        .summary = "a token attends to those that fall into its bucket in some round",
        .source = sparsity::references::kReformer,
        .equation =
            "softmax(q·k + m) v, k = q / ‖q‖, over ∪_r {j: h_r(j) = h_r(i)}, h_r(x) = argmax([x R_r; −x R_r]); not "
            "itself unless alone",
        .reads_both_ways =
            "a chunk attends to itself and to the chunks on both sides, not to the previous one alone, with "
            "which 15 % of a bucket's pairs would not meet",
        .settings = kLsh,
        .discrete = true,
        .shares_queries = true,
        .not_causal = "tokens are sorted over the whole sequence",
        .dense_when = "chunk={n}",
        .oracle = "full attention with k = q / ‖q‖ in one bucket; n × n masks that join the sets",
        .pairs = lsh_pairs,
    },
    AttentionRow{
        .name = "routing",
        .title = "Routing Transformer",
        .summary = "tokens of a learned cluster attend to one another",
        .source = sparsity::references::kRouting,
        .equation =
            "softmax(q̂ k̂ᵀ / √d) v within each cluster, q̂, k̂ = LayerNorm without scale; a cluster takes the ⌈n/k⌉ "
            "tokens nearest to its centroid; μ ← λ μ + (1 − λ) mean of what is nearest to it, length 1",
        .reads_both_ways =
            "queries and keys are not shared, which only causality asks for. Sums are means here, so "
            "that λ does not depend on the batch. (A survey has R = Q W_R + K W_R with W_R orthonormal in place "
            "of normalised q and k; this is the paper's form.)",
        .settings = kRouting,
        .parameters = kRoutingParameters,
        .discrete = true,
        .equivariant = true,
        .not_causal = "clusters choose among the tokens of the whole sequence",
        .dense_when = "clusters=1",
        .oracle = "full attention on normalised q and k with one cluster; each cluster by itself",
        .pairs = routing_pairs,
    },
    AttentionRow{
        .name = "span",
        .title = "adaptive attention span",
        .summary = "each head learns how far it attends; the loss asks for short spans",
        .source = sparsity::references::kSpan,
        .equation =
            "a = m exp(s) / Σ m exp(s), m = min(max((R + z − |i − j|) / R, 0), 1), loss + cost · mean z; dynamic: "
            "z_t = S σ(vᵀ x_t + b)",
        .reads_both_ways = "distances to either side, and the token itself; positions are the encoder's, not p_{t−r}",
        .settings = kSpan,
        .parameters = kSpanParameters,
        .linear = true,
        .dense_when = "limit={n}",
        .oracle = "full attention where z covers the sequence; n × n masks",
        .pairs = span_pairs,
        .reach = span_reach,
    },
    AttentionRow{
        .name = "inducing",
        .title = "Set Transformer's ISAB",
        .summary = "learned points attend to the tokens, and tokens to the points",
        .source = sparsity::references::kSetTransformer,
        .equation =
            "MAB(X, MAB(I, X)), MAB(X, Y) = LN(H + rFF(H)), H = LN(X + MHA(X, Y, Y)); the outer residual, norm and "
            "feed-forward are the layer's",
        .reads_both_ways = "nothing: sets have no order (rotary positions turn queries and keys, not the points). The "
                           "paper's pooling by learned seeds (PMA) is `train --pooling-seeds`",
        .settings = kInducing,
        .parameters = kInducingParameters,
        .linear = true,
        .equivariant = true,
        .not_causal = "its points read all tokens",
        .oracle = "the MABs from their equations; permutations",
        .pairs = inducing_pairs,
    },
};

}  // namespace

std::span<const AttentionRow> attentions() {
  static const std::vector<AttentionRow> all = [] {
    std::vector<AttentionRow> rows(kAttentions.begin(), kAttentions.end());
    rows.insert(rows.end(), memory_rows().begin(), memory_rows().end());
    return rows;
  }();
  return all;
}

}  // namespace bigdna::model_folder
