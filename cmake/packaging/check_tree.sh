#!/usr/bin/env bash
# Checks that an installed tree runs anywhere:
#   cmake/packaging/check_tree.sh TREE [GLIBC]
#   - every library that a program or library in it needs is in it or belongs to the C library
#   - run paths begin with $ORIGIN, and are RPATH in programs: RUNPATH would not hold for what their libraries need
#   - with GLIBC (2.28): no symbol is of a newer glibc, nor of a newer libstdc++ than the one in the tree, and no file holds a path of
#     the checkout or the cache (an ordinary build does, in LibTorch's assertions)
# Prints what the tree needs; each fault is a line on stderr and exit code 1.
#   cmake/packaging/check_tree.sh --system    prints which libraries are the C library's, as a regular expression
set -euo pipefail
readonly system='^(linux-vdso|ld-linux-x86-64|libc|libm|libpthread|libdl|librt|libutil)\.so'
if [[ ${1:-} == --system ]]; then echo "$system"; exit 0; fi
here=$(dirname "$(readlink -f "$0")")
tree=$1 glibc=${2:-}
readonly cuda='^(libtorch_cuda|libc10_cuda)\.so'  # the plug-ins take these from the user's torch
status=0
fault() { echo "check_tree: $*" >&2; status=1; }

cache=$("$here/../setup.sh" --print) checkout=$(readlink -f "$here/../..")
mapfile -t files < <(find "$tree/bin" "$tree/lib" -type f)
((${#files[@]})) || fault "$tree holds no program"
newest=0
for file in "${files[@]}"; do
  name=${file#"$tree"/}
  while read -r needed; do
    [[ $needed =~ $system || -e $tree/lib/bigdna/$needed ]] || { [[ $name == lib/libbigdna_* && $needed =~ $cuda ]]; } || fault "$name needs $needed, which is not in the tree"
  done < <(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  while read -r path; do
    for folder in ${path//:/ }; do [[ $folder == '$ORIGIN'* ]] || fault "$name: its run path has $folder"; done
  done < <(readelf -d "$file" | sed -n 's/.*R\(UN\)\?PATH).*\[\(.*\)\]/\2/p')
  [[ $name != bin/* ]] || ! readelf -d "$file" | grep -q '(RUNPATH)' || fault "$name has a RUNPATH"
  for folder in ${glibc:+"$cache" "$checkout"}; do
    ! grep -qaF "$folder/" "$file" || fault "$name holds the path $folder: $(grep -aoF -m1 "$folder/" "$file" | head -1)"
  done
  version=$(objdump -T "$file" | grep -oE '\(?GLIBC_[0-9.]+' | grep -oE '[0-9.]+' | sort -Vu | tail -1)
  newest=$(printf '%s\n' "$newest" "${version:-0}" | sort -V | tail -1)
  if [[ -n $glibc && $(printf '%s\n' "$glibc" "${version:-0}" | sort -V | tail -1) != "$glibc" ]]; then
    fault "$name needs glibc $version: $(objdump -T "$file" | awk -v v="GLIBC_$version" 'index($0, v) {print $NF}' | sort -u | paste -sd' ')"
  fi
done
if [[ -n $glibc ]]; then
  has=$(objdump -T "$tree"/lib/bigdna/libstdc++.so.6 | grep -oE 'GLIBCXX_[0-9.]+' | sort -Vu | tail -1)
  needs=$(objdump -T "${files[@]}" | grep -oE 'GLIBCXX_[0-9.]+' | sort -Vu | tail -1)
  [[ $has == "$needs" ]] || fault "something needs $needs, and libstdc++ here has $has"
fi
echo "$tree: $(du -sm "$tree" | cut -f1) MiB; needs glibc $newest and nothing else"
exit $status
