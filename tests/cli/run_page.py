#!/usr/bin/env python3
"""run_page.py PAGE: runs a tutorial's blocks of sh and python in this folder, in order, and compares a block of text behind one with what
it printed. Numbers with a decimal point may differ by 0.05, because machines round training differently; numbers below 0.05 by a tenth of themselves. BIGDNA_RECORD=1 writes what is
printed into the page instead. Python blocks need the peers' environment (tests/peers/setup.sh): without it they are skipped, and said so."""
import os
import pathlib
import re
import subprocess
import sys

from log_lines import STAMP

page = pathlib.Path(sys.argv[1])
record = bool(os.environ.get("BIGDNA_RECORD"))
cache = subprocess.run([os.environ["BIGDNA_SOURCE_DIR"] + "/cmake/setup.sh", "--print"], capture_output=True, text=True, check=True).stdout.strip()
python = pathlib.Path(cache) / "peers/bin/python"
parts = re.split(r"^```(\w+)\n(.*?)^```\n", page.read_text(), flags=re.M | re.S)  # text, language, code, text, ...
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?$")


def near(x, y):
    size = max(abs(x), abs(y))
    return abs(x - y) <= (0.05 if size >= 0.05 else 0.1 * size)


def same(printed, expected):
    a, b = printed.split(), expected.split()
    return len(printed.splitlines()) == len(expected.splitlines()) and len(a) == len(b) and all(
        x == y or (NUMBER.match(x) and NUMBER.match(y) and near(float(x), float(y))) for x, y in zip(a, b))


ran = 0
printed = None  # by the last block; None where it did not run
for i in range(1, len(parts), 3):
    language, code = parts[i], parts[i + 1]
    if language in ("sh", "python"):
        printed = None
        if language == "python" and not python.exists():
            print(f"SKIPPED: no Python environment for a block of {page.name}")
            continue
        command = ["bash", "-euo", "pipefail", "-c", code] if language == "sh" else [str(python), "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"BASH_ENV": str(pathlib.Path(__file__).with_name("whole_pipes.sh"))})
        if done.returncode:
            sys.exit(f"{page}: exit code {done.returncode}\n{code}{done.stdout[-1000:]}{done.stderr[-2000:]}")
        printed = STAMP.sub("", done.stdout)
        ran += 1
    elif language == "text" and printed is not None:
        if record:
            parts[i + 1] = printed
        elif not same(printed, code):
            sys.exit(f"{page}: prints\n{printed}and not\n{code}for\n{parts[i - 2]}")
if record:
    for i in range(1, len(parts), 3):
        parts[i], parts[i + 1] = f"```{parts[i]}\n", parts[i + 1] + "```\n"
    page.write_text("".join(parts))
assert ran, page
print(f"{page.name}: {ran} blocks")
