/// The publications that attentions, patterns and stacks are taken from: authors and year, title, and a link, as
/// Markdown. `bigdna info --attentions` and docs/attentions.md show them.
#pragma once

#include <string_view>

namespace bigdna::sparsity::references {

inline constexpr std::string_view kTransformer =
    "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)";
inline constexpr std::string_view kBigBird =
    "[Zaheer et al. 2020, Big Bird: Transformers for Longer Sequences](https://arxiv.org/abs/2007.14062)";
inline constexpr std::string_view kEtc =
    "[Ainslie et al. 2020, ETC: Encoding Long and Structured Inputs in Transformers](https://arxiv.org/abs/2004.08483)";
inline constexpr std::string_view kLongformer =
    "[Beltagy et al. 2020, Longformer: The Long-Document Transformer](https://arxiv.org/abs/2004.05150)";
inline constexpr std::string_view kPerformer =
    "[Choromanski et al. 2020, Rethinking Attention with Performers](https://arxiv.org/abs/2009.14794)";
inline constexpr std::string_view kLinear =
    "[Katharopoulos et al. 2020, Transformers are RNNs](https://arxiv.org/abs/2006.16236)";
inline constexpr std::string_view kLinformer =
    "[Wang et al. 2020, Linformer: Self-Attention with Linear Complexity](https://arxiv.org/abs/2006.04768)";
inline constexpr std::string_view kCompressed =
    "[Liu et al. 2018, Generating Wikipedia by Summarizing Long Sequences](https://arxiv.org/abs/1801.10198)";
inline constexpr std::string_view kAxial =
    "[Ho et al. 2019, Axial Attention in Multidimensional Transformers](https://arxiv.org/abs/1912.12180)";
inline constexpr std::string_view kReformer =
    "[Kitaev et al. 2020, Reformer: The Efficient Transformer](https://arxiv.org/abs/2001.04451)";
inline constexpr std::string_view kRouting =
    "[Roy et al. 2020, Efficient Content-Based Sparse Attention with Routing Transformers]"
    "(https://arxiv.org/abs/2003.05997)";
inline constexpr std::string_view kSpan =
    "[Sukhbaatar et al. 2019, Adaptive Attention Span in Transformers](https://arxiv.org/abs/1905.07799)";
inline constexpr std::string_view kSetTransformer =
    "[Lee et al. 2019, Set Transformer](https://arxiv.org/abs/1810.00825)";
inline constexpr std::string_view kSparse =
    "[Child et al. 2019, Generating Long Sequences with Sparse Transformers](https://arxiv.org/abs/1904.10509)";
inline constexpr std::string_view kBlockBert =
    "[Qiu et al. 2020, Blockwise Self-Attention for Long Document Understanding](https://arxiv.org/abs/1911.02972)";
inline constexpr std::string_view kImage = "[Parmar et al. 2018, Image Transformer](https://arxiv.org/abs/1802.05751)";
inline constexpr std::string_view kStar = "[Guo et al. 2019, Star-Transformer](https://arxiv.org/abs/1902.09113)";
inline constexpr std::string_view kGated =
    "[Parisotto et al. 2019, Stabilizing Transformers for Reinforcement Learning](https://arxiv.org/abs/1910.06764)";
inline constexpr std::string_view kUniversal =
    "[Dehghani et al. 2019, Universal Transformers](https://arxiv.org/abs/1807.03819); "
    "[Graves 2016, Adaptive Computation Time for Recurrent Neural Networks](https://arxiv.org/abs/1603.08983)";
inline constexpr std::string_view kPrior =
    "[Lin et al. 2021, A Survey of Transformers](https://arxiv.org/abs/2106.04554); "
    "[Press et al. 2021, Train Short, Test Long](https://arxiv.org/abs/2108.12409)";
inline constexpr std::string_view kTransformerXl =
    "[Dai et al. 2019, Transformer-XL](https://arxiv.org/abs/1901.02860)";
inline constexpr std::string_view kCompressive =
    "[Rae et al. 2019, Compressive Transformers for Long-Range Sequence Modelling](https://arxiv.org/abs/1911.05507)";
inline constexpr std::string_view kBinaryPartitioning =
    "[Ye et al. 2019, BP-Transformer](https://arxiv.org/abs/1911.04070)";
inline constexpr std::string_view kHibert = "[Zhang et al. 2019, HIBERT](https://arxiv.org/abs/1905.06566)";
inline constexpr std::string_view kDeeperLosses =
    "[Al-Rfou et al. 2018, Character-Level Language Modeling with Deeper Self-Attention]"
    "(https://arxiv.org/abs/1808.04444)";
inline constexpr std::string_view kSinkhorn =
    "[Tay et al. 2020, Sparse Sinkhorn Attention](https://arxiv.org/abs/2002.11296)";

}  // namespace bigdna::sparsity::references
