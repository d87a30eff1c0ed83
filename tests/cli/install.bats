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

@test "the wheel: the same bytes twice, the command, and import bigdna beside it" {
  cp -al "$tree" light
  rm light/lib/bigdna/libtorch_cpu.so  # most of the bytes; info needs none of it
  "$packaging/wheel.py" light one 2.28
  "$packaging/wheel.py" light two 2.28
  same_files one two
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  "$python" -c 'import numpy' || skip "no peer environment"
  "$python" -m pip install -q --no-index --no-deps --disable-pip-version-check --target site one/bigdna-*.whl
  [ "$(PYTHONPATH=site "$python" site/bin/bigdna --version-only)" = "$(bigdna --version-only)" ]
  cat >use.py <<'END'
import os, bigdna, bigdna_torch
assert bigdna.program() == os.path.abspath("site/bigdna/bin/bigdna"), bigdna.program()
assert "human-chr20-chrX" in bigdna.run("info", "--models")
assert len(bigdna_torch.load("human-chr20-chrX").names) == 43
END
  elsewhere PYTHONPATH=site "$python" use.py
  [ ! -e site/bigdna/share/bigdna/python ]
  elsewhere PYTHONPATH="$tree/share/bigdna/python" "$python" -c 'import bigdna; print(bigdna.program())' >found
  [ "$(cat found)" = "$tree/bin/bigdna" ]
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
