#!/usr/bin/env bash
# Installs a build into a folder that runs on its own, wherever it is moved to:
#   cmake/packaging/tree.sh BUILD TREE [GLIBC]
# cmake --install, stripped; libraries that are neither there nor the C library's are copied from this machine to lib/bigdna, with the
# licences of their Debian packages. Then checks (check_tree.sh) that nothing in TREE needs anything else, or a glibc newer than GLIBC,
# and with GLIBC writes the bill of materials (sbom.py), which has a licence and a version of everything.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$1 tree=$2 glibc=${3:-}
[[ ! -e $tree ]] || { echo "tree: $tree exists already" >&2; exit 1; }
cmake --install "$build" --prefix "$tree" >/dev/null
tree=$(readlink -f "$tree")
libraries=$tree/lib/bigdna texts=$tree/share/doc/bigdna

copied() {  # PATH: a library of a Debian package, if it is installed
  local file package
  file=$(readlink -f "$1")
  package=$({ dpkg-query -S "$file" "${file#/usr}" 2>/dev/null || true; } | sed -n '1s/:.*//p')  # one of them is in no package
  [[ -n $package && -e /usr/share/doc/$package/copyright ]] || return 0
  mkdir -p "$texts/licences/$package"
  cp -L "/usr/share/doc/$package/copyright" "$texts/licences/$package/"
  dpkg-query -W -f='${Version}\n' "$package" | head -1 >"$texts/licences/$package/VERSION"
  basename "$1" >>"$texts/licences/$package/FILES"
}
for program in "$tree"/bin/*; do
  while read -r path; do
    [[ $path == "$tree"/* || $(basename "$path") =~ $("$here/check_tree.sh" --system) || -e $libraries/$(basename "$path") ]] && continue
    cp -L "$path" "$libraries/"
    copied "$path"
  done < <(env -u LD_LIBRARY_PATH ldd "$program" | awk '$2 == "=>" && $3 != "not" {print $3}')
done
# GCC's libgomp is LibTorch's copy; its text is that of the compiler here
mkdir -p "$texts/licences/libgomp"
if [[ -d $texts/licences/gcc ]]; then cp "$texts"/licences/gcc/COPYING* "$texts/licences/libgomp/"; else cp -L /usr/share/doc/libgomp1/copyright "$texts/licences/libgomp/"; fi
sed 's/^/torch-/' "$texts/licences/libtorch/VERSION" >"$texts/licences/libgomp/VERSION"
find "$tree/bin" "$tree/lib" -type f -exec strip --strip-unneeded {} +
"$here/check_tree.sh" "$tree" $glibc
[[ -z $glibc ]] || "$here/sbom.py" "$tree" >"$texts/sbom.cdx.json"
