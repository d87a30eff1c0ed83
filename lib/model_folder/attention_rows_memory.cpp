/// Rows of the table of attentions that give distances and blocks a meaning: sentence tokens, priors of distance,
/// memories, trees and sorted blocks.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "model_folder/attention_limits.h"
#include "model_folder/attention_parts.h"
#include "sparsity/pattern.h"
#include "sparsity/references.h"

namespace bigdna::model_folder {
namespace {

namespace references = sparsity::references;

double at_most(int64_t n, double keys) { return std::min(static_cast<double>(n), keys); }
std::vector<int64_t> of_heads(const ModelConfig& config) { return {attention_heads(config)}; }
std::vector<int64_t> of_head_sizes(const ModelConfig& config) { return {attention_heads(config), config.head_size()}; }

// etc
constexpr std::array kEtc{
    Setting{"radius", "tokens on either side that a token of the text attends to", 48, 0, 1e9},
    Setting{"labels", "the largest distance with a label of its own", 12, 0, 65'536},
    Setting{"sentence", "tokens of a sentence (0: so many that the extra tokens suffice for the longest text)", 0, 0,
            1e9},
    Setting{"mask", "whether a sentence token reads its own sentence alone", 1, 0, 1, "no|yes"},
};
std::vector<int64_t> labels_shape(const ModelConfig& config) {
  const int64_t distances = 2 * whole_setting(config, "labels") + 1;
  const bool sentences = sparsity::extra_tokens(config.pattern) > 0;
  return {attention_heads(config), sentences ? 2 * distances + 4 : distances, config.head_size()};
}
constexpr std::array kEtcParameters{OwnParameter{"labels", labels_shape, Start::constant, start_at_zero}};
/// Of a token; a sentence token, of which there are far fewer, may read all of the text.
double etc_pairs(const ModelConfig& config, int64_t n) {
  const auto extra = static_cast<double>(sparsity::extra_tokens(config.pattern));
  return std::min(static_cast<double>(n), 2 * setting_value(config, "radius") + 1) + 2 * extra;
}
double etc_reach(const ModelConfig& config, int64_t, int64_t) { return setting_value(config, "radius"); }
void etc_check(const ModelConfig& config) {
  const int64_t extra = sparsity::extra_tokens(config.pattern);
  if (extra > 0 && (config.max_length + etc_sentence(config) - 1) / etc_sentence(config) > extra)
    throw UsageError(concat("attention etc: ", config.max_length, " tokens are more than ", extra, " sentences of ",
                            etc_sentence(config), " tokens; --global adds sentence tokens"));
}

// prior
constexpr std::array kPrior{Setting{
    "slowest", "the last head's slope begins at 2^-slowest, the others' spread evenly above it", 8, 0, 20, {}, false}};
constexpr std::array kPriorParameters{
    OwnParameter{"slope", of_heads, Start::constant, start_at_zero, Update::undecayed}};
double prior_pairs(const ModelConfig& config, int64_t n) {
  return at_most(n, 2 * kPriorReach * std::exp2(setting_value(config, "slowest")) + 1);
}
double prior_reach(const ModelConfig& config, int64_t, int64_t) {
  return std::floor(kPriorReach * std::exp2(setting_value(config, "slowest")));
}

// xl
constexpr std::array kXl{
    Setting{"reach", "tokens on either side that a token attends to: segment and memory", 512, 0, 1e9}};
std::vector<int64_t> of_distances(const ModelConfig& config) {
  return {attention_heads(config) * config.head_size(), config.hidden};
}
constexpr std::array kXlParameters{
    OwnParameter{"u", of_head_sizes, Start::constant, start_at_zero},
    OwnParameter{"v", of_head_sizes, Start::constant, start_at_zero},
    OwnParameter{"position", of_distances},
};
double xl_pairs(const ModelConfig& config, int64_t n) { return 2 * at_most(n, 2 * setting_value(config, "reach") + 1); }
double xl_reach(const ModelConfig& config, int64_t, int64_t) { return setting_value(config, "reach"); }

// compressive
constexpr std::array kCompressive{
    Setting{"memory", "tokens on either side that a token attends to as they are", 512, 0, 1e9},
    Setting{"compressed", "compressed keys beyond them on either side", 512, 0, 1e9},
    Setting{"rate", "tokens that a compressed key is made of: 1, 2, 4 ... 64", 4, 1, 64},
    Setting{"by", "what makes it of them", 0, 0, 2, "conv|mean|max"},
    Setting{
        "reconstruction", "weight of the convolution's own loss (0: it learns from the model's)", 1, 0, 1e6, {}, false},
};
std::vector<int64_t> taps(const ModelConfig& config) {
  if (setting_value(config, "by") != 0) return {};
  return {attention_heads(config), whole_setting(config, "rate"), config.head_size(), config.head_size()};
}
constexpr std::array kCompressiveParameters{OwnParameter{"keys", taps, Start::mean},
                                            OwnParameter{"values", taps, Start::mean}};
double compressive_pairs(const ModelConfig& config, int64_t n) {
  const double near = at_most(n, 2 * setting_value(config, "memory") + 1);
  const double far = (static_cast<double>(n) - near) / setting_value(config, "rate");
  return near + std::min(far, 2 * setting_value(config, "compressed"));
}
double compressive_reach(const ModelConfig& config, int64_t, int64_t) {
  return setting_value(config, "memory") + setting_value(config, "compressed") * setting_value(config, "rate");
}
void compressive_check(const ModelConfig& config) {
  const int64_t rate = whole_setting(config, "rate");
  if ((rate & (rate - 1)) != 0)
    throw UsageError(concat("attention compressive: rate must be 1, 2, 4, 8, 16, 32 or 64, not ", rate));
  if (whole_setting(config, "memory") < rate - 1)
    throw UsageError(concat("attention compressive: memory must be at least ", rate - 1, " with rate=", rate));
}

// tree
constexpr std::array kTree{Setting{"near", "tokens, and nodes of each level, on either side", 4, 1, 65'536}};
std::vector<int64_t> tree_labels(const ModelConfig& config) {
  return {attention_heads(config), 1 + 2 * kTreeLevels * whole_setting(config, "near"), config.head_size()};
}
constexpr std::array kTreeParameters{OwnParameter{"labels", tree_labels, Start::constant, start_at_zero}};
double tree_pairs(const ModelConfig& config, int64_t n) {
  const double near = setting_value(config, "near");
  return 1 + 2 * near * (1 + std::max(0.0, std::log2(static_cast<double>(n) / near)));
}

// sinkhorn
constexpr std::array kSinkhorn{
    Setting{"blocks", "number of blocks that the sequence is cut into", 16, 1, 4096},
    Setting{"iterations", "how often rows and columns are normalised", 8, 0, 1000},
    Setting{"temperature", "what scores of places are divided by", 0.75, 1e-3, 1e3, {}, false},
};
std::vector<int64_t> sorting_shape(const ModelConfig& config) {
  return {attention_heads(config), whole_setting(config, "blocks"), config.hidden};
}
constexpr std::array kSinkhornParameters{OwnParameter{"sort", sorting_shape}};
double sinkhorn_pairs(const ModelConfig& config, int64_t n) {
  const double blocks = setting_value(config, "blocks");
  return 2 * std::ceil(static_cast<double>(n) / blocks) + blocks;
}

constexpr std::array kRows{
    AttentionRow{
        .name = "etc",
        .title = "ETC's sentence tokens and relative labels",
        .summary = "text attends to text nearby and to a token of each sentence; labels of relations are added to keys",
        .source = references::kEtc,
        .equation =
            "softmax(q_i·(k_j + a_l(i,j)) / √d) v_j; text to text: |j − i| ≤ radius, l = min(max(j − i, −labels), "
            "labels); sentence token to sentence token: all, labels of their own by distance; text to sentence token "
            "and back: own sentence or not, 2 labels each",
        .reads_both_ways =
            "nothing: it is an encoder. Its global input is the pattern's extra tokens (--pattern bigbird-etc), which "
            "are sentence tokens alone; without them it is local attention with labels. DNA has no sentences, so they "
            "have one length. All pairs share projections, an ablation of the paper; labels start as 0",
        .settings = kEtc,
        .parameters = kEtcParameters,
        .linear = true,
        .not_causal = "text is attended to on both sides, and sentence tokens read all of it",
        .dense_when = "radius={n}",
        .oracle = "n × n masks and labels, written from the equations",
        .pairs = etc_pairs,
        .reach = etc_reach,
        .check = etc_check,
    },
    AttentionRow{
        .name = "prior",
        .title = "attention with a prior of distance",
        .summary = "each token of distance takes a learned slope, one for each head, from the score",
        .source = references::kPrior,
        .equation = "softmax(q kᵀ / √d − m_h |i − j|) v, m_h = 2^(−slowest · h / H) · exp(s_h), s_h from 0; keys with "
                    "m_h |i − j| > 20 are not read",
        .reads_both_ways = "distances to either side; the survey names the class, Press et al. the slopes, which are "
                           "fixed there",
        .settings = kPrior,
        .parameters = kPriorParameters,
        .linear = true,
        .oracle = "n × n masks and slopes, written from the equation",
        .pairs = prior_pairs,
        .reach = prior_reach,
    },
    AttentionRow{
        .name = "xl",
        .title = "Transformer-XL's relative positions",
        .summary = "scores of content and of distance, given by projected sinusoids, with learned biases of both",
        .source = references::kTransformerXl,
        .equation = "softmax(((q_i + u)·k_j + (q_i + v)·W_R R_{i−j}) / √d) v_j, |i − j| ≤ reach, R sinusoids of the "
                    "distance; u and v from 0",
        .reads_both_ways =
            "distances to either side. Segment and memory of an input are the tokens within reach, and no gradient is "
            "stopped between them; of a causal model they are those before a token. Positions of the architecture stay",
        .settings = kXl,
        .parameters = kXlParameters,
        .linear = true,
        .oracle = "the four terms pair by pair, in n × n matrices; transformers' XLNet without its segment term, where "
                  "sines stand before cosines (W_R's columns are permuted)",
        .pairs = xl_pairs,
        .reach = xl_reach,
    },
    AttentionRow{
        .name = "compressive",
        .title = "Compressive Transformer's memories",
        .summary = "tokens nearby as they are, and beyond them keys and values made of `rate` tokens each",
        .source = references::kCompressive,
        .equation = "softmax(q [k, c(k)]ᵀ / √d) [v, c(v)] over |i − j| ≤ memory and the next `compressed` groups; loss "
                    "+ reconstruction · mean (Attention(q, k, v) − Attention(q, c(k), c(v)))², by which c alone learns",
        .reads_both_ways =
            "memories on either side; of a causal model on the left. Keys and values are compressed, not states; the "
            "paper's fourth way, the most used, is not there",
        .settings = kCompressive,
        .parameters = kCompressiveParameters,
        .linear = true,
        .dense_when = "rate=1,compressed={n}",
        .oracle = "n × n masks over tokens and groups, and the loss by PyTorch's operations; full attention at rate 1",
        .pairs = compressive_pairs,
        .reach = compressive_reach,
        .check = compressive_check,
    },
    AttentionRow{
        .name = "tree",
        .title = "BP-Transformer's binary tree",
        .summary = "tokens nearby, and nodes of a binary tree that grow with the distance",
        .source = references::kBinaryPartitioning,
        .equation =
            "softmax(q_i·(k_j + r_l(i,j)) / √d) v_j over the token itself, `near` tokens on either side, and of "
            "each level as many nodes from where the level below ended; a label r for each level, side and "
            "place, from 0",
        .reads_both_ways = "nodes on either side; of a causal model on the left. A node holds the means of its tokens' "
                           "keys and values; in the paper it has a state, which attends to its tokens",
        .settings = kTree,
        .parameters = kTreeParameters,
        .dense_when = "near={n}",
        .oracle = "n × n weights of tokens, spread from the nodes; full attention where near covers the sequence",
        .pairs = tree_pairs,
    },
    AttentionRow{
        .name = "sinkhorn",
        .title = "Sparse Sinkhorn attention",
        .summary = "a token attends to its block, and to the one that a learned sorting puts in its place",
        .source = references::kSinkhorn,
        .equation = "softmax(q [k, S k]ᵀ / √d) [v, S v] within each block, S = Sinkhorn(W x̄ / temperature): rows and "
                    "columns of exp(·) normalised in turn; x̄ the means of the blocks' states",
        .reads_both_ways = "the form for encoders. Means stand for sums, and no noise is added in training",
        .settings = kSinkhorn,
        .parameters = kSinkhornParameters,
        .not_causal = "its sorting is normalised over all blocks",
        .dense_when = "blocks=1",
        .oracle = "full attention for one block; sorted keys by an n × n matrix; rows and columns that sum to 1",
        .pairs = sinkhorn_pairs,
    },
};

}  // namespace

int64_t etc_sentence(const ModelConfig& config) {
  const int64_t asked = whole_setting(config, "sentence"), extra = sparsity::extra_tokens(config.pattern);
  return asked > 0 || extra == 0 ? std::max<int64_t>(1, asked) : (config.max_length + extra - 1) / extra;
}

std::span<const AttentionRow> memory_rows() { return kRows; }

}  // namespace bigdna::model_folder
