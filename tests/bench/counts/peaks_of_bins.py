#!/usr/bin/env python3
"""peaks_of_bins.py BEDGRAPH LEAST SIZES: a simple peak caller for benchmarks without a published set of peaks.

BEDGRAPH: sums of bins of 100 bp (bigdna coverage --bin 100). A peak is three bins that hold at least LEAST together, more than any other three
within 300 bp. Prints narrowPeak, whose summits are the middles; what reaches past a contig's end (SIZES) is left out."""
import sys

bedgraph, least, sizes = sys.argv[1], float(sys.argv[2]), sys.argv[3]
with open(sizes) as file:
    length = {name: int(size) for name, size in (line.split()[:2] for line in file)}
bins = {}
with open(bedgraph) as file:
    for line in file:
        if line[0] != "#":
            contig, start, end, value = line.split("\t")
            for place in range(int(start) // 100, (int(end) + 99) // 100):
                bins.setdefault(contig, {})[place] = float(value)
for contig, values in bins.items():
    sums = {place: sum(values.get(place + i, 0) for i in (-1, 0, 1)) for place in values}
    taken = set()
    for place in sorted(sums, key=lambda place: (-sums[place], place)):
        if sums[place] < least:
            break
        if not taken.intersection(range(place - 3, place + 4)):
            taken.add(place)
    for place in sorted(taken):
        if place > 0 and (place + 2) * 100 <= length[contig]:
            print(contig, (place - 1) * 100, (place + 2) * 100, f"{contig}_{place}", int(sums[place]), ".", sums[place], -1, -1, 150, sep="\t")
