#!/usr/bin/env python3
"""The random blocks of the released BigBird code, written again with NumPy: what tests/unit/sparsity compares with.

Prints tests/unit/sparsity/original_blocks.tsv: for each (seed, tokens, block) a hash over all heads' rows, and the
first rows of head 0 for the reader. The released code seeds NumPy's global generator with the layer's index and
draws the heads in turn. At 1024, 3072 and 4096 tokens ("paper") it draws for 4096 tokens, from the keys of the first
1024, and cuts the rows off; elsewhere ("general") it draws from the first 5 + 2 r blocks, or, where there are fewer
than that, r // 2 from the first 5 + r and the others from the rest.
"""
import sys

import numpy as np

HEADS, RANDOM = 12, 3


def paper_rows(block):
    """One head: rows of query blocks 1 .. n - 2 of 4096 tokens."""
    n = 4096 // block
    keys = np.arange(1, n - 1)
    end = 1024 // block - 1 if 1024 > 2 * block else n - 1
    for query in range(1, n - 1):
        if query <= 2:
            choices = keys[query + 1:end]
        elif query >= n - 3:
            choices = keys[:end]
        elif query - 2 > end:
            choices = keys[:end]
        elif query + 1 == end:
            choices = keys[:query - 2]
        else:
            choices = np.concatenate([keys[:query - 2], keys[query + 1:end]])
        yield list(np.random.permutation(choices)[:RANDOM])


def allowed(query, key, end):
    if abs(query - key) <= 1 or key == 0 or key == end - 1:
        return False
    return not (query == 1 and key == end - 2) and not (query == end - 2 and key == 1)


def general_rows(n):
    """All heads: rows[head][query]. Queries by key part: the order in which the generator is asked."""
    if 2 * RANDOM + 5 < n:
        parts = [(0, 2 * RANDOM + 5, RANDOM), (2 * RANDOM + 5, n, 0)]
    elif RANDOM + 5 < n:
        parts = [(0, RANDOM + 5, RANDOM // 2), (RANDOM + 5, n, RANDOM - RANDOM // 2)]
    else:
        parts = [(0, n, RANDOM)]
    rows = [[[] for _ in range(n)] for _ in range(HEADS)]

    def draw(queries, begin, end, count):
        for query in queries:
            for head in range(HEADS):
                order = np.random.permutation(np.arange(begin, end))
                if count:
                    rows[head][query] += [k for k in order if allowed(query, k, end)][:count]

    for index, (begin, end, count) in enumerate(parts):
        if index == 0:
            draw(range(1, end), begin, end, count)
            continue
        if count:
            draw(range(1, begin), begin, end, count)
        for other_begin, other_end, other_count in parts[:index]:
            if other_count:
                draw(range(begin, end), other_begin, other_end, other_count)
        if count:
            draw(range(begin, end), begin, end, count)
    return [head[1:-1] for head in rows]


def random_rows(seed, tokens, block):
    np.random.seed(seed)
    if tokens in (1024, 3072, 4096):
        return [list(paper_rows(block))[:tokens // block - 2] for _ in range(HEADS)]
    return general_rows(tokens // block)


def fnv(numbers):
    value = 14695981039346656037
    for number in numbers:
        value = ((value ^ int(number)) * 1099511628211) % 2**64
    return value


def main(out):
    print("#seed\ttokens\tblock\thash\thead 0, query blocks 1 to 4", file=out)
    for seed in range(12):
        for tokens in (1024, 1536, 2048, 3072, 3584, 4096):
            for block in (16, 32, 64):
                heads = random_rows(seed, tokens, block)
                # rows are told apart by their length, put before them
                value = fnv(number for head in heads for row in head for number in [len(row), *row])
                first = " ".join(",".join(str(k) for k in row) for row in heads[0][:4])
                print(seed, tokens, block, f"{value:016x}", first, sep="\t", file=out)


if __name__ == "__main__":
    main(sys.stdout)
