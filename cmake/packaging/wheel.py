#!/usr/bin/env python3
"""Makes a wheel of the tree of tree.sh: cmake/packaging/wheel.py TREE FOLDER GLIBC

FOLDER/bigdna-VERSION-py3-none-manylinux_GLIBC_x86_64.whl: bin/, lib/ and share/bigdna (models) of the tree as the package's
data, the rest of share/ (man pages, completions, licences) beside the environment's programs. The command is a launcher that becomes
the program (exec). `import bigdna` and `import bigdna_torch` are share/bigdna/python of the tree. `bigdna[cuda]` requires the torch
whose CUDA libraries the plug-in then finds beside it. The same tree gives the same bytes.
"""
import base64, hashlib, pathlib, subprocess, sys, zipfile

TORCH = "2.11.0"
tree, folder, glibc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
version = subprocess.run([tree / "bin/bigdna", "--version-only"], check=True, capture_output=True, text=True).stdout.strip()
tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_x86_64"
info, data = f"bigdna-{version}.dist-info", f"bigdna-{version}.data"
readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()

metadata = f"""Metadata-Version: 2.1
Name: bigdna
Version: {version}
Summary: Models of DNA: BigBird pretraining, networks on bases, and prediction of chromatin, promoters, variant effects and your own labels
License: Apache-2.0
Keywords: genomics,DNA,language model,BigBird,promoter,chromatin
Classifier: Environment :: Console
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Bio-Informatics
Provides-Extra: cuda
Requires-Dist: torch=={TORCH}; extra == "cuda"
Provides-Extra: python
Requires-Dist: numpy; extra == "python"
Provides-Extra: torch
Requires-Dist: torch>=2.1; extra == "torch"
Requires-Dist: safetensors; extra == "torch"
Description-Content-Type: text/markdown

{readme}"""
launcher = b'''#!python
import importlib.util
import os
import runpy

package = importlib.util.find_spec("bigdna").submodule_search_locations[0]
runpy.run_path(os.path.join(package, "_launch.py"), run_name="__main__")
'''
of_torch = ("libtorch_cpu.so", "libc10.so", "libcudart.so", "libcupti.so")  # in lib/bigdna
python = pathlib.PurePath("share/bigdna/python")  # of the tree; found by import in the wheel
wheel = f"Wheel-Version: 1.0\nGenerator: bigdna\nRoot-Is-Purelib: false\nTag: {tag}\n"

folder.mkdir(parents=True, exist_ok=True)
path = folder / f"bigdna-{version}-{tag}.whl"
partial = path.with_suffix(".partial")
record = []
with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:

    def add(name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")

    for file in sorted(p for p in tree.rglob("*") if p.is_file()):
        name = file.relative_to(tree)
        beside_programs = name.parts[0] != "share" or name.parts[1] == "bigdna"  # share/bigdna: found from bin/
        place = f"bigdna/{name}" if beside_programs else f"{data}/data/{name}"
        if name.is_relative_to(python):
            place = str(name.relative_to(python))
        add(place, file.read_bytes(), 0o644 if name.parts[0] == "share" else 0o755)
    add(f"{data}/scripts/bigdna", launcher, 0o755)
    add(f"{info}/METADATA", metadata.encode())
    add(f"{info}/WHEEL", wheel.encode())
    record.append(f"{info}/RECORD,,\n")
    archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), "\n".join(record))
partial.rename(path)
print(f"{path}: {path.stat().st_size / 1e6:.0f} MB (PyPI takes 100 MB by default)")
