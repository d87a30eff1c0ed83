#!/usr/bin/env python3
"""Makes a wheel of the tree of tree.sh: cmake/packaging/wheel.py TREE FOLDER GLIBC

FOLDER/bigdna-VERSION-py3-none-manylinux_GLIBC_x86_64.whl: bin/, lib/ and share/bigdna (models) of the tree as the package's
data, the rest of share/ (man pages, completions) beside the environment's programs. LibTorch is not in it: the wheel requires
torch of the same minor version, whose libraries the programs find beside the package (apps/libtorch.h). The command is a launcher
that becomes the program (exec). `import bigdna` and `import bigdna_torch` are share/bigdna/python of the tree. Licences and the bill
of materials of what is bundled are in the wheel's dist-info. The same tree gives the same bytes.
"""
import base64, hashlib, pathlib, re, subprocess, sys, zipfile

import sbom

tree, folder, glibc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]


def said(*words):
    return subprocess.run([tree / "bin/bigdna", *words], check=True, capture_output=True, text=True).stdout.strip()


version = said("--version-only")
torch = re.search(r"^LibTorch (\d+\.\d+)", said("--version"), re.MULTILINE)[1]
tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_x86_64"
info, data = f"bigdna-{version}.dist-info", f"bigdna-{version}.data"
readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()

of_torch = ("libtorch", "nvidia_cuda_cupti", "nvidia_cuda_runtime")  # components that torch brings
papers, libtorch = {"LICENSE": tree / "share/doc/bigdna/LICENSE"}, set()
for name, _, _, files, texts in sbom.components(tree):
    if name in of_torch:
        libtorch.update(files)
    else:
        papers.update({str(text.relative_to(tree / "share/doc/bigdna")): text for text in texts})

metadata = f"""Metadata-Version: 2.4
Name: bigdna
Version: {version}
Summary: Models of DNA: BigBird pretraining, networks on bases, and prediction of chromatin, promoters, variant effects and your own labels
License-Expression: Apache-2.0
{"".join(f"License-File: {name}{chr(10)}" for name in papers)}Keywords: genomics,DNA,language model,BigBird,promoter,chromatin
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Bio-Informatics
Requires-Python: >=3.10
Requires-Dist: torch=={torch}.*
Requires-Dist: numpy
Requires-Dist: safetensors
Description-Content-Type: text/markdown

{readme}"""
launcher = b'''#!python
import importlib.util
import os
import runpy

package = importlib.util.find_spec("bigdna").submodule_search_locations[0]
runpy.run_path(os.path.join(package, "_launch.py"), run_name="__main__")
'''
python = pathlib.PurePath("share/bigdna/python")  # of the tree; found by import in the wheel
wheel = f"Wheel-Version: 1.0\nGenerator: bigdna\nRoot-Is-Purelib: false\nTag: {tag}\n"

folder.mkdir(parents=True, exist_ok=True)
path = folder / f"bigdna-{version}-{tag}.whl"
partial = path.with_suffix(".partial")
record = []
with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

    def add(name, content, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")

    for file in sorted(p for p in tree.rglob("*") if p.is_file() and p not in libtorch):
        name = file.relative_to(tree)
        if name.parts[:3] == ("share", "doc", "bigdna"):
            continue
        beside_programs = name.parts[0] != "share" or name.parts[1] == "bigdna"  # share/bigdna: found from bin/
        place = f"bigdna/{name}" if beside_programs else f"{data}/data/{name}"
        if name.is_relative_to(python):
            place = str(name.relative_to(python))
        add(place, file.read_bytes(), 0o644 if name.parts[0] == "share" else 0o755)
    add(f"{data}/scripts/bigdna", launcher, 0o755)
    for name, text in papers.items():
        add(f"{info}/licenses/{name}", text.read_bytes())
    add(f"{info}/sboms/bigdna.cdx.json", sbom.sbom(tree, of_torch).encode())
    add(f"{info}/METADATA", metadata.encode())
    add(f"{info}/WHEEL", wheel.encode())
    record.append(f"{info}/RECORD,,\n")
    archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), "\n".join(record))
partial.rename(path)
print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
if path.stat().st_size > 100e6:
    sys.exit("wheel: PyPI takes at most 100 MB")
