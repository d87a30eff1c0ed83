#!/usr/bin/env python3
"""tests/unit/sparsity/original_blocks.tsv is what NumPy gives today."""
import io
import os
import sys

import original_blocks

out = io.StringIO()
original_blocks.main(out)
with open(os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "tests/unit/sparsity/original_blocks.tsv")) as file:
    sys.exit(0 if file.read() == out.getvalue() else "original_blocks.tsv differs from what NumPy gives")
