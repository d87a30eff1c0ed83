#!/usr/bin/env bash
# Encoding speed per core, bigdna compared with SentencePiece (C++), tokenizers and tiktoken (where installed), N included.
#   encode.sh [MBP]     default 20: so much of the real text, from chr20's first base (60 kb of N) on; VOCAB=DIR takes a vocabulary
source "$(dirname "$0")/common.sh"
mbp=${1:-20}
[[ -s $work/chr20.txt ]] || contigs_of GRCh37.chr20 | tr -d '\n' >"$work/chr20.txt"
dd if="$work/chr20.txt" of="$work/encode.txt" bs=1000000 count="$mbp" iflag=fullblock status=none
vocabulary=${VOCAB:-$work/v20}
[[ -s $vocabulary/dna.model ]] || "$bigdna" vocab "$data/genomes/GRCh37.chr20.fa.gz" -o "$vocabulary" --quiet
compile_with_tokenizer "$here/encode.cpp" "$work/encode"
"$work/encode" "$vocabulary/dna.model" "$work/encode.txt" "${REPEATS:-5}"
RAYON_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false "$peers" - "$vocabulary" "$work/encode.txt" <<'P'
import sys, time
from tokenizers import Tokenizer
text = open(sys.argv[2]).read()
tokenizer = Tokenizer.from_file(sys.argv[1] + "/tokenizer.json")
try:
    import tiktoken
    ranks, table = {}, [line.split("\t")[0] for line in open(sys.argv[1] + "/dna.vocab")][5:]
    single = [p for p in table if len(p) == 1]
    for piece in single + [p for p in table if len(p) > 1]:
        ranks[piece.encode()] = len(ranks)
    rest = [bytes([b]) for b in range(256) if bytes([b]) not in ranks]
    for byte in rest:
        ranks[byte] = len(ranks)
    tik = tiktoken.Encoding("dna", pat_str=r"[A-Z]+", mergeable_ranks=ranks, special_tokens={})
except ImportError:
    tik = None
    print("#tiktoken is not installed (tests/peers/setup.sh --bench)")
print("#tool\tpiece_bp\tMB/s")
for length in (750, 30_000, 1_000_000):
    part = text[: 4_000_000]
    pieces = [part[i:i + length] for i in range(0, len(part), length)]
    start = time.process_time()
    for piece in pieces:
        tokenizer.encode(piece, add_special_tokens=False)
    print(f"tokenizers\t{length}\t{len(part) / (time.process_time() - start) / 1e6:.2f}", flush=True)
    if tik and length < 1_000_000:
        start = time.process_time()
        for piece in pieces:
            tik.encode_ordinary(piece)
        print(f"tiktoken\t{length}\t{len(part) / (time.process_time() - start) / 1e6:.2f}", flush=True)
P
# One chromosome in one piece, by 1 and by 2 threads: wall seconds, and the same ids.
printf '#bigdna tokenize chr20, threads\twall_s\tcpu_s\tpeak_MB\n'
for threads in 1 2; do
  timed "$threads" "$bigdna" tokenize "$data/genomes/GRCh37.chr20.fa.gz" --vocab "$vocabulary" --ids -o "$work/chr20.$threads.tsv" -@"$threads" --quiet
done
cmp "$work/chr20.1.tsv" "$work/chr20.2.tsv"
