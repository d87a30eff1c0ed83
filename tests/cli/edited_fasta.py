#!/usr/bin/env python3
"""Variants applied to a genome by plain string editing: what `bigdna variants` is held against.

  edited_fasta.py random GENOME SEED COUNT            a VCF of random variants of all kinds
  edited_fasta.py chromatin GENOME VCF BP OUT [REACH] edited intervals of a model that reads BP to either side of a bin: OUT.fa, OUT.bed
  edited_fasta.py promoter GENOME VCF BP STRIDE OUT   the same for the tiles of a scan of both strands: OUT.fa
  edited_fasta.py sites GENOME VCF BED UP DOWN OUT    the same for the intervals of the start sites of a BED6 file: OUT.fa
  edited_fasta.py around GENOME VCF BP OUT            the same for BP around the variant's first base, for bigdna predict: OUT.fa
  edited_fasta.py selene GENOME VCF BP                the first columns of a table as selene_sdk.predict writes them, for a model
                                                      that reads BP to either side of a bin
  edited_fasta.py compare VARIANTS.tsv PREDICTIONS    largest difference from the predictions on OUT.fa: HDF5, or
                                                      TSV, best with --parts, whose log-odds have more digits

An allele's records are ALLELE|KIND|TILE, where ALLELE counts the ALTs of the VCF from 0 and KIND is ref, left or right: which end of
the interval stays where it was. The contig is edited, and the interval cut from it. Of tiles (0+, 0-, 1+ ...) the largest scores
count, of bins and start sites (bin-1, site7 ...) the largest change.
"""
import bisect
import gzip
import math
import random
import sys

COMPLEMENT = str.maketrans('ACGTN', 'TGCAN')


def read_genome(path):
    contigs, name = {}, None
    for line in gzip.open(path, 'rt') if path.endswith('.gz') else open(path):
        if line.startswith('>'):
            name = line[1:].split()[0]
            contigs[name] = []
        else:
            contigs[name].append(line.strip().upper())
    clean = {ord(c): 'N' for c in 'RYSWKMBDHVX'}
    return {name: ''.join(lines).translate(clean) for name, lines in contigs.items()}


def minimal(start, ref, alt):
    """The change with one base of each at least; what is shared behind goes first."""
    while min(len(ref), len(alt)) > 1 and ref[-1] == alt[-1]:
        ref, alt = ref[:-1], alt[:-1]
    while min(len(ref), len(alt)) > 1 and ref[0] == alt[0]:
        start, ref, alt = start + 1, ref[1:], alt[1:]
    return start, ref, alt


def alleles(path, genome):
    """(number of the ALT, contig, 0-based position, REF, ALT) of those that can be scored, without what REF and ALT share."""
    number = -1
    for line in gzip.open(path, 'rt') if path.endswith('.gz') else open(path):
        if line.startswith('#'):
            continue
        contig, position, _, ref, alts = line.rstrip('\n').split('\t')[:5]
        for alt in alts.split(','):
            number += 1
            start, ref, alt = int(position) - 1, ref.upper(), alt.upper()
            if contig in genome and set(ref + alt) <= set('ACGT') and genome[contig][start:start + len(ref)] == ref and ref != alt:
                yield number, contig, *minimal(start, ref, alt)


def cut(contig, start, end):
    return 'N' * max(0, -start) + contig[max(0, start):max(0, end)] + 'N' * max(0, end - max(start, len(contig)))


def intervals(contig, start, end, position, ref, alt):
    """The interval of the reference, and of the edited contig with its left and with its right end in place."""
    far = max(0, start - 100_000)  # what lies before and behind does not matter, and copying it would take hours
    contig, start, end, position = contig[far:end + 100_000], start - far, end - far, position - far
    edited = contig[:position] + alt + contig[position + len(ref):]
    longer = len(alt) - len(ref)
    return cut(contig, start, end), cut(edited, start, end), cut(edited, start + longer, end + longer)


def reverse_complements(kinds):
    return [bases[::-1].translate(COMPLEMENT) for bases in kinds]


def write(kinds, label, fasta, bed=None, site=0):
    for kind, bases in zip(('ref', 'left', 'right'), kinds):
        fasta.write(f'>{label.format(kind)}\n{bases}\n')
        if bed:
            bed.write(f'{label.format(kind)}\t{site}\t{site + 1}\n')


def chromatin(genome_path, vcf, beside, out, reach=0):
    genome, beside, bins = read_genome(genome_path), int(beside), int(reach) // 200
    with open(out + '.fa', 'w') as fasta, open(out + '.bed', 'w') as bed:
        for number, contig, position, ref, alt in alleles(vcf, genome):
            for k in range(-bins, bins + 1):
                start = position + 200 * k - 100 - beside
                end = start + 200 + 2 * beside
                if 0 <= position + 200 * k < len(genome[contig]) and start <= position and position + len(ref) <= end:
                    write(intervals(genome[contig], start, end, position, ref, alt), f'{number}|{{}}|bin{k}', fasta, bed, beside + 100)


def promoter(genome_path, vcf, length, stride, out):
    genome, length, stride = read_genome(genome_path), int(length), int(stride)
    starts = {}  # of the tiles of each contig
    with open(out + '.fa', 'w') as fasta:
        for number, contig, position, ref, alt in alleles(vcf, genome):
            if contig not in starts:
                size = len(genome[contig])
                starts[contig] = sorted({min(start, size - length) for start in range(0, size - length + stride, stride)})
            near = bisect.bisect_left(starts[contig], position - length), bisect.bisect_right(starts[contig], position)
            for tile in range(*near):
                start = starts[contig][tile]
                if position + len(ref) <= start + length:
                    kinds = intervals(genome[contig], start, start + length, position, ref, alt)
                    if kinds[0].count('N') > length / 2:
                        continue
                    write(kinds, f'{number}|{{}}|{tile}+', fasta)
                    write(reverse_complements(kinds), f'{number}|{{}}|{tile}-', fasta)


def sites(genome_path, vcf, bed, upstream, downstream, out):
    genome, upstream, downstream = read_genome(genome_path), int(upstream), int(downstream)
    starts = {}
    for contig, start, _, _, _, strand in (line.split()[:6] for line in open(bed) if not line.startswith('#')):
        starts.setdefault(contig, set()).add((int(start), strand))
    with open(out + '.fa', 'w') as fasta:
        for number, contig, position, ref, alt in alleles(vcf, genome):
            for tile, (site, strand) in enumerate(sorted(starts.get(contig, ()))):
                start, end = (site - upstream, site + downstream) if strand == '+' else (site + 1 - downstream, site + 1 + upstream)
                if start <= position and position + len(ref) <= end:
                    kinds = intervals(genome[contig], start, end, position, ref, alt)
                    if kinds[0].count('N') <= len(kinds[0]) / 2:
                        write(kinds if strand == '+' else reverse_complements(kinds), f'{number}|{{}}|site{tile}', fasta)


def around(genome_path, vcf, length, out):
    genome, length = read_genome(genome_path), int(length)
    with open(out + '.fa', 'w') as fasta:
        for number, contig, position, ref, alt in alleles(vcf, genome):
            start = position - length // 2
            write(intervals(genome[contig], start, start + length, position, ref, alt), f'{number}|{{}}|0', fasta)


def selene(genome_path, vcf, beside):
    """Selene's header is its identifying columns joined by tabs, then features; a row is str() of each value (so True and False),
    POS as the VCF has it, one row for each ALT; contains_unk is of the reference that is read."""
    genome, beside = read_genome(genome_path), int(beside)
    print('\t'.join(['chrom', 'pos', 'name', 'ref', 'alt', 'strand', 'ref_match', 'contains_unk']))
    for line in open(vcf):
        if line.startswith('#'):
            continue
        chrom, pos, name, ref, alts = line.rstrip('\n').split('\t')[:5]
        start = int(pos) - 1
        for alt in alts.split(','):
            match = genome[chrom][start:start + len(ref)] == ref.upper()
            unknown = match and 'N' in cut(genome[chrom], start - 100 - beside, start + 100 + beside)
            print('\t'.join(str(value) for value in (chrom, int(pos), name, ref, alt, '+', match, unknown)))


def predictions(path):
    """{what: {allele: {tile: {kind: scores}}}}, chromatin's or predict-promoter's: probabilities and, of --parts, log-odds."""
    found = {'probability': {}, 'log-odds': {}}
    if path.endswith('.h5'):
        import h5py
        file = h5py.File(path)
        names = file['contigs'].asstr()[:]
        rows = [(names[contig], values, None) for contig, values in zip(file['chrom'][:], file['predictions'][:].astype(float))]
    else:
        lines = [line.rstrip('\n').split('\t') for line in open(path) if not line.startswith('##')]
        parts = [[i for i, name in enumerate(lines[0]) if name.split(':')[0] == part] for part in ('kmers', 'network', 'encoder', 'kernel')]
        parts = [columns for columns in parts if columns]  # of the terms that the model has
        scores = [lines[0].index('score')] if 'call' in lines[0] else range(6, min([len(lines[0])] + sum(parts, [])))
        rows = []
        for line in lines[1:]:
            log_odds = [sum(float(line[i]) for i in of_feature) for of_feature in zip(*parts)]
            rows.append((line[0], [1 / (1 + math.exp(-x)) for x in log_odds] or [float(line[c]) for c in scores], log_odds))
    for name, scores, log_odds in rows:
        allele, kind, tile = name.split('|')
        for what, values in (('probability', scores), ('log-odds', log_odds)):
            if values:
                found[what].setdefault(int(allele), {}).setdefault(tile, {})[kind] = values
    return found


def alternative(of):
    return (of['left'] + of['right']) / 2


EFFECTS = {'DIFF': ('probability', lambda of: alternative(of) - of['ref']), 'LOGIT': ('log-odds', lambda of: alternative(of) - of['ref']),
           'P_REF': ('probability', lambda of: of['ref']), 'P_ALT': ('probability', alternative)}


def effect_of(tiles, feature, effect):
    """The effect of one allele: of the largest scores of its tiles, or the largest of all bins or sites."""
    scores = [{kind: values[feature] for kind, values in of.items()} for of in tiles.values()]
    if next(iter(tiles))[0].isdigit():
        scores = [{kind: max(of[kind] for of in scores) for kind in scores[0]}]
    return max(map(effect, scores), key=abs)


def compare(variants, predicted):
    lines = [line.rstrip('\n').split('\t') for line in open(variants) if not line.startswith('##')]
    found = predictions(predicted)
    for effect, (what, formula) in EFFECTS.items():
        expected = found[what]
        columns = [i for i, name in enumerate(lines[0]) if name.split(':')[0] == effect]
        if not expected or not columns:
            continue
        worst, largest, compared = 0, 0, 0
        for allele, line in enumerate(lines[1:]):
            if (line[8] == '.') != (allele in expected):
                sys.exit(f'allele {allele} ({line[:5]}): skipped is {line[8]}')
            if line[8] != '.':
                continue
            for k, column in enumerate(columns):
                value = effect_of(expected[allele], k, formula)
                # logits are computed in single precision, so their differences count relative to them
                logits = [abs(values[k]) for of in expected[allele].values() for values in of.values()] if effect == 'LOGIT' else []
                difference = abs(float(line[column]) - value) / max([1, *logits])
                largest, compared, worst = max(largest, abs(value)), compared + 1, max(worst, difference)
        print(f'{effect} of {len(expected)} alleles: {compared} effects of up to {largest:.3g}, largest difference {worst:.3g}')


def random_variants(genome_path, seed, count):
    genome, draw = read_genome(genome_path), random.Random(int(seed))
    names = sorted(name for name in genome if len(genome[name]) > 10000)
    print('##fileformat=VCFv4.2')
    for name in names:
        print(f'##contig=<ID={name},length={len(genome[name])}>')
    print('#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO')
    places = set()
    while len(places) < int(count):
        name = draw.choice(names)
        size = len(genome[name])  # the first and the last kilobase of contigs, neighbours, and anywhere
        position = draw.choice([draw.randrange(0, 1000), size - 1 - draw.randrange(0, 1000), draw.randrange(size), draw.randrange(size)])
        for place in (position, position + draw.randrange(1, 4)) if draw.random() < 0.2 else (position,):
            if 'N' not in genome[name][place:place + 1] + 'N' * (place >= size - 12):
                places.add((names.index(name), place))
    for index, place in sorted(places):
        contig, kind = genome[names[index]], draw.choice(['snv', 'snv', 'mnv', 'insertion', 'deletion', 'many', 'both'])
        other = lambda base: draw.choice([b for b in 'ACGT' if b != base])
        some = lambda: ''.join(draw.choice('ACGT') for _ in range(draw.randrange(1, 12)))
        length = {'mnv': 3, 'deletion': draw.randrange(2, 12), 'both': 4}.get(kind, 1)
        ref = contig[place:place + length]
        alts = {'snv': [other(ref[0])], 'mnv': [''.join(other(b) if b != 'N' else 'A' for b in ref)], 'insertion': [ref + some()], 'deletion': [ref[0]],
                'many': [b for b in 'ACGT' if b != ref[0]], 'both': [ref[0], ref + some(), some()]}[kind]
        print(f'{names[index]}\t{place + 1}\t{kind}{place}\t{ref}\t{",".join(alts)}\t.\t.\t.')


if __name__ == '__main__':
    commands = {'random': random_variants, 'chromatin': chromatin, 'promoter': promoter, 'sites': sites, 'around': around, 'selene': selene, 'compare': compare}
    commands[sys.argv[1]](*sys.argv[2:])
