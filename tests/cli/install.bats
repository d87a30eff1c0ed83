# cmake --install and what cmake/packaging makes of it: the tree runs wherever it is moved, with no path of this machine in it.
load helpers

setup_file() {
  packaging=$BIGDNA_SOURCE_DIR/cmake/packaging
  [[ -e ${BIGDNA%/bin/*}/cmake_install.cmake ]] || skip "BIGDNA is not in a build folder"
  "$packaging/tree.sh" "${BIGDNA%/bin/*}" "$BATS_FILE_TMPDIR/tree" >"$BATS_FILE_TMPDIR/said"
  mv "$BATS_FILE_TMPDIR/tree" "$BATS_FILE_TMPDIR/moved"
  genome=$TEST_DATA/genome.fa.gz
  cd "$BATS_FILE_TMPDIR"
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 2 --batch 2 --hold-out chr3 \
    --evaluation-tokens 1000 -o pre --quiet -@1
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
  bigdna finetune pre promoters --steps 4 --no-baseline -o promoter --quiet -@1 >/dev/null
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  tree=$BATS_FILE_TMPDIR/moved shared=$BATS_FILE_TMPDIR packaging=$BIGDNA_SOURCE_DIR/cmake/packaging
}

# Without this user's cache, folders of libraries or PATH.
elsewhere() { env -i HOME=/nonexistent PATH="$tree/bin:/usr/bin:/bin" LC_ALL=C "$@"; }

@test "every library of the moved tree is its own, or the C library's" {
  grep -q 'needs glibc 2\.[0-9]* and nothing else' "$shared/said"
  "$packaging/check_tree.sh" "$tree"
  elsewhere ldd "$tree/bin/bigdna" "$tree/bin/bigdna-model" | awk '$2 == "=>" {print $3}' >used
  grep -vE "^$tree/" used | sed 's,.*/,,' | grep -vE "$("$packaging/check_tree.sh" --system)" >others || true
  [ ! -s others ]
  grep -q "^$tree/.*libtorch_cpu" used
}

@test "the moved tree predicts what the build predicts" {
  bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" --quiet -@1 >built.tsv
  elsewhere bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" --quiet -@1 >moved.tsv
  [ -s built.tsv ]
  cmp built.tsv moved.tsv
}

@test "a tree with a library missing, an absolute run path or a newer glibc is refused" {
  mkdir -p bad/bin bad/lib/bigdna
  cp "$tree/bin/bigdna-model" bad/bin/
  run "$packaging/check_tree.sh" bad
  [ "$status" -eq 1 ]
  [[ $output == *"bin/bigdna-model needs libtorch_cpu.so, which is not in the tree"* ]]
  cp "$BIGDNA" bad/bin/bigdna
  cp "${BIGDNA%/*}/bigdna-model" bad/bin/
  run "$packaging/check_tree.sh" bad
  [[ $output == *"bin/bigdna-model: its run path has /"* ]]
  run "$packaging/check_tree.sh" "$tree" 2.5
  [ "$status" -eq 1 ]
  [[ $output == *"bin/bigdna needs glibc 2."* ]]
}

@test "the tarball: the same bytes twice, a checksum, one folder with the programs" {
  "$packaging/tarball.sh" "$tree" one 1
  "$packaging/tarball.sh" "$tree" two 1
  same_files one two
  (cd one && sha256sum -c --quiet SHA256SUMS)
  tar --zstd -xf one/bigdna-*-linux-x86_64.tar.zst
  version=$(bigdna --version-only)
  [ "$("./bigdna-$version-linux-x86_64/bin/bigdna" --version-only)" = "$version" ]
  [ -s "bigdna-$version-linux-x86_64/share/doc/bigdna/licences/libtorch/LICENSE" ]
}

@test "the wheel: the same bytes twice, below PyPI's limit, without LibTorch, with licences and the bill of materials" {
  "$packaging/wheel.py" "$tree" "$shared/wheel" 2.28
  "$packaging/wheel.py" "$tree" one 2.28
  same_files "$shared/wheel" one
  [ "$(stat -c %s one/bigdna-*.whl)" -lt 100000000 ]
  python3 - one/bigdna-*.whl >names <<'END'
import base64, csv, hashlib, io, json, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
names = wheel.namelist()
[record] = [name for name in names if name.endswith("/RECORD")]
rows = list(csv.reader(io.TextIOWrapper(wheel.open(record))))
assert sorted(row[0] for row in rows) == sorted(names), "RECORD lists other files"
for name, digest, size in rows[:-1]:
    content = wheel.read(name)
    assert (digest, size) == ("sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("="), str(len(content))), name
info = record[: -len("RECORD")]
metadata = wheel.read(info + "METADATA").decode().split("\n\n")[0].splitlines()
assert "Requires-Dist: torch==2.11.*" in metadata, metadata
papers = [line.split(": ")[1] for line in metadata if line.startswith("License-File: ")]
assert "LICENSE" in papers and all(wheel.getinfo(f"{info}licenses/{paper}").file_size for paper in papers), papers
bill = json.loads(wheel.read(info + "sboms/bigdna.cdx.json"))
files = {file["name"]: file["hashes"][0]["content"] for part in bill["components"] for file in part.get("components", [])}
bundled = [name for name in names if name.startswith("bigdna/lib/bigdna/")]
assert sorted(files) == sorted(name[len("bigdna/"):] for name in bundled), (files, bundled)
assert all(hashlib.sha256(wheel.read(f"bigdna/{name}")).hexdigest() == digest for name, digest in files.items())
print(*bundled, sep="\n")
END
  not grep -E 'libtorch|libc10|libcud|libcupti' names
  grep -q 'libgomp' names
}

# An empty virtual environment with the wheel. What it requires is the peers': the wheel's own file comes from no index.
environment() {  # NAME
  local python
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  [[ -x $python ]] && "$python" -c 'import numpy, safetensors, torch' || skip "no Python with torch, numpy and safetensors (tests/peers/setup.sh)"
  [[ -e $shared/wheel ]] || "$packaging/wheel.py" "$tree" "$shared/wheel" 2.28
  "$python" -m venv "$1"
  "$1/bin/pip" install -q --no-index --no-deps --disable-pip-version-check --find-links "$shared/wheel" bigdna
  required=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  site=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
}

@test "pip install of the wheel in an empty environment: a bigWig and a NumPy array, with torch beside it or elsewhere" {
  environment empty
  printf 'chr3\t100000\t101000\n' >regions.bed
  cat >use.py <<'END'
import os, sys, bigdna, bigdna_torch
assert bigdna.program() == os.path.join(sys.argv[1], "bigdna/bin/bigdna"), bigdna.program()
assert "human-chr20-chrX" in bigdna.run("info", "--models")
values = bigdna.load("yeast").predict(regions="regions.bed", genome=sys.argv[2]).values
assert values.shape[0] >= 1 and values.dtype == "float32" and values.std() > 0, values
assert len(bigdna_torch.load("human-chr20-chrX").names) == 43
END
  bigdna chromatin yeast regions.bed -g "$TEST_DATA/genome.fa.gz" --bigwig built --quiet -o built.tsv -@1
  for place in beside elsewhere; do
    if [ $place = beside ]; then
      for path in "$required"/*; do [[ -e $site/${path##*/} ]] || ln -s "$path" "$site/"; done
    else
      find "$site" -maxdepth 1 -type l -delete
      echo "$required" >"$site/required.pth"
    fi
    elsewhere empty/bin/bigdna chromatin yeast regions.bed -g "$TEST_DATA/genome.fa.gz" --bigwig $place --quiet -o $place.tsv -@1
    same_files built $place
    elsewhere empty/bin/python use.py "$site" "$TEST_DATA/genome.fa.gz"
    elsewhere empty/bin/bigdna doctor >report
    grep -E '^  LibTorch +2\.11\.[0-9]+, .*/torch/lib/libtorch_cpu\.so$' report
  done
}

@test "the wheel without torch, or with another one: what is needed and how to get it; data commands work" {
  environment empty
  remedy="pip install 'torch==2.11.*' in the environment of bigdna"
  elsewhere empty/bin/bigdna vocab "$TEST_DATA/records.fa" --vocab-size 12 -o vocabulary --quiet
  run elsewhere empty/bin/bigdna predict yeast "$TEST_DATA/records.fa"
  [ "$status" -eq 1 ]
  [[ $output == *" bigdna predict: models need LibTorch 2.11 of Python's torch, and $site/torch is no torch ($remedy)" ]]
  mkdir "$site/torch"
  touch "$site/torch/__init__.py"
  echo "__version__ = '2.9.1+cu128'" >"$site/torch/version.py"
  run elsewhere empty/bin/bigdna predict yeast "$TEST_DATA/records.fa"
  [ "$status" -eq 1 ]
  [[ $output == *" bigdna predict: models need LibTorch 2.11, and $site/torch is torch 2.9.1+cu128 ($remedy)" ]]
  rc=0
  elsewhere empty/bin/bigdna doctor >report || rc=$?
  [ $rc = 1 ]
  grep -qF "models need LibTorch 2.11, and $site/torch is torch 2.9.1+cu128" report
  grep -qF "$remedy" report
  run elsewhere BIGDNA_TORCH="$PWD" "$tree/bin/bigdna" predict yeast "$TEST_DATA/records.fa"
  [ "$status" -eq 1 ]
  [[ $output == *"$PWD is no torch"* ]]
}

@test "import bigdna of the tarball takes its own program" {
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  "$python" -c 'import numpy' || skip "no peer environment"
  elsewhere PYTHONPATH="$tree/share/bigdna/python" "$python" -c 'import bigdna; print(bigdna.program()); bigdna.load("yeast").predict(["ACGT" * 500])' >found
  [ "$(cat found)" = "$tree/bin/bigdna" ]
}

@test "a bill of materials is refused if a library, a text or a version is missing" {
  licences=share/doc/bigdna/licences
  mkdir -p bad/bin bad/lib/bigdna "bad/$licences"
  cp "$tree/bin/bigdna" bad/bin/
  cp -r "$tree/$licences/libtorch" "bad/$licences/"
  touch bad/lib/bigdna/libunknown.so.1
  run "$packaging/sbom.py" bad
  [ "$status" -eq 1 ]
  [[ $output == *"no component has libunknown.so.1"* ]]
  rm "bad/$licences/libtorch/VERSION" bad/lib/bigdna/libunknown.so.1
  run "$packaging/sbom.py" bad
  [[ $output == *"libtorch: no VERSION"* ]]
}

@test "doctor finds a broken and a missing LibTorch" {
  cp -al "$tree" broken
  rm broken/lib/bigdna/libtorch_cpu.so
  rc=0
  elsewhere broken/bin/bigdna doctor >report || rc=$?
  [ $rc = 1 ]
  grep -qE '^  error +.*bigdna-model does not run: .*libtorch_cpu\.so: cannot open shared object file' report
  head -c 100000 "$tree/lib/bigdna/libtorch_cpu.so" >broken/lib/bigdna/libtorch_cpu.so
  rc=0
  elsewhere broken/bin/bigdna doctor >report || rc=$?
  [ $rc = 1 ]
  grep -qE '^  error +.*bigdna-model does not run: .*(libtorch_cpu\.so|signal)' report
  elsewhere "$tree/bin/bigdna" doctor >report
  grep -qE ", $tree/(bin/\.\./)?lib/bigdna/libtorch_cpu\.so$" report
}

@test "the conda recipe has the versions of the source, and rattler-build renders it" {
  recipe=$packaging/conda/recipe.yaml setup=$BIGDNA_SOURCE_DIR/cmake/setup.sh
  context() { sed -n "s/^  $1: \"\(.*\)\"/\1/p" "$recipe"; }
  [ "$(context version)" = "$(bigdna --version-only)" ]
  [ "$(context sentencepiece)" = "$(sed -n 's/.*sentencepiece_version=\([0-9.]*\).*/\1/p' "$setup")" ]
  [[ $(sed -n 's/.*torch_version=\([0-9.]*\) .*/\1/p' "$setup") == "$(context libtorch)".* ]]
  python=$("$setup" --print)/workflows/bin/python
  "$python" -c 'import rattler_build' || skip "no rattler-build: tests/peers/setup.sh --workflows installs it"
  "$python" - "$recipe" <<'END'
import sys
from rattler_build import Stage0Recipe, VariantConfig
recipe = Stage0Recipe.from_file(sys.argv[1])
[rendered] = recipe.render(VariantConfig.from_yaml("cxx_compiler: [gxx]\nc_stdlib: [sysroot]\nc_stdlib_version: ['2.28']\n"))
needs = rendered.recipe.requirements.to_dict()
assert needs["run"] == ["libtorch 2.11.*"] == needs["host"][:1], needs
END
}
