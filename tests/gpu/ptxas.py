#!/usr/bin/env python3
"""Registers, shared memory and spills of each CUDA kernel, as ptxas reported them while the plug-in was built.

    ptxas.py BUILD [--write FILE]

Prints a Markdown table (to FILE: docs/benchmarks/ptxas_nvcc-13.0_2026-11-26.md is made so, of preset cuda). Exit code 1 where a kernel spills registers or its wgmma are serialised, 77 where BUILD has no
plug-in. Dynamic shared memory is what tensor.cuh's Plan asks for with blocks of 64.
"""

import pathlib
import re
import subprocess
import sys


def dynamic_shared(kernel):
    """Bytes, as Plan<D, N>::bytes(row_tiles, 64)."""
    found = re.match(r"tensor_(forward|queries|keys)<\w+, (\d+), \w+>", kernel)
    if not found:
        return None
    size = int(found[2])
    tile = 64 if found[1] == "forward" or size < 128 else 32
    stage = (2 * tile * size * 2 + 2 * tile * 4 + 64 * tile // 8 + tile // 16 * 4 + 1023) // 1024 * 1024
    return (1 if found[1] == "forward" else 2) * 64 * size * 2 + 2 * stage


def name(signature):
    """tensor_forward<bf16, 64, wgmma>, say."""
    short = re.sub(r"bigdna::kernels::|\(anonymous namespace\)::|^void |\(int\)", "", signature)
    for old, new in (("__nv_bfloat16", "bf16"), ("__half", "fp16"), ("(Unit)0", "mma"), ("(Unit)1", "wgmma")):
        short = short.replace(old, new)
    return short.split("(")[0]


def main():
    build = pathlib.Path(sys.argv[1])
    files = sorted(build.glob("lib/kernels/cuda/**/*.ptxas"))
    if not files:
        print(f"SKIPPED: no CUDA plug-in in {build}")
        sys.exit(77)
    text = subprocess.run(["c++filt"], input="".join(f.read_text() for f in files), capture_output=True, text=True, check=True).stdout
    serialised = [line for line in text.splitlines() if "wgmma" in line and "serializ" in line]
    rows = {}
    kernel = architecture = None
    spills = (0, 0)
    for line in text.splitlines():
        if found := re.search(r"Compiling entry function '(.*)' for '(\w+)'", line):
            kernel, architecture = name(found[1]), found[2]
        elif found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spills = (int(found[1]), int(found[2]))
        elif (found := re.search(r"Used (\d+) registers", line)) and kernel:
            if "wgmma" in kernel and architecture != "sm_90a":
                continue  # empty there
            static = re.search(r"(\d+) bytes smem", line)
            rows[kernel, architecture] = (int(found[1]), int(static[1]) if static else 0, *spills)
            kernel, spills = None, (0, 0)
    architectures = sorted({a for _, a in rows}, key=lambda a: int(re.sub(r"\D", "", a)))
    lines = ["# What ptxas says of the CUDA kernels", "",
             f"Registers of a thread, and bytes of shared memory of a thread block (dynamic, for blocks of 64). `tests/gpu/ptxas.py {build} --write docs/benchmarks/ptxas_nvcc-13.0_2026-11-26.md` made this;",
             "the ctest entry `ptxas` fails where a kernel spills.", "",
             "| kernel | shared | " + " | ".join(architectures) + " |", "| --- | --- |" + " --- |" * len(architectures)]
    failed = False
    for kernel in sorted({k for k, _ in rows}):
        cells = []
        for architecture in architectures:
            row = rows.get((kernel, architecture))
            cells.append("" if row is None else f"{row[0]}" + (f", spills {row[2]} + {row[3]} bytes" if row[2] + row[3] else ""))
            failed |= row is not None and row[2] + row[3] > 0
        lines.append(f"| `{kernel}` | {dynamic_shared(kernel) or ''} | " + " | ".join(cells) + " |")
    output = "\n".join(lines) + "\n"
    if "--write" in sys.argv:
        pathlib.Path(sys.argv[sys.argv.index("--write") + 1]).write_text(output)
    else:
        print(output, end="")
    if failed:
        print("FAILED: a kernel spills registers", file=sys.stderr)
    for line in serialised:
        print("FAILED:", line, file=sys.stderr)
    sys.exit(failed or bool(serialised))


main()
