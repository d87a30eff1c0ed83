#!/usr/bin/env bash
# Packs the tree of tree.sh: cmake/packaging/tarball.sh TREE FOLDER [LEVEL]
# Writes FOLDER/bigdna-VERSION-linux-x86_64.tar.zst and its line of FOLDER/SHA256SUMS. LEVEL: zstd's, default 19. The same tree
# gives the same bytes.
set -euo pipefail
tree=$1 folder=$2 level=${3:-19}
name=bigdna-$("$tree/bin/bigdna" --version-only)-linux-x86_64
mkdir -p "$folder"
tar -C "$tree" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --transform "s,^\.,$name," -cf - . |
  zstd -q -T2 "-$level" --long=27 -f -o "$folder/$name.tar.zst"
cd "$folder"
sha256sum "$name.tar.zst" >SHA256SUMS.partial
{ grep -v " $name.tar.zst\$" SHA256SUMS 2>/dev/null || true; } >>SHA256SUMS.partial
mv SHA256SUMS.partial SHA256SUMS
echo "$folder/$name.tar.zst: $(du -m "$name.tar.zst" | cut -f1) MiB"
