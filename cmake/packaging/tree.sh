#!/usr/bin/env bash
# Installs a build into a folder that runs on its own, wherever it is moved to:
#   cmake/packaging/tree.sh BUILD TREE [GLIBC]
# cmake --install, stripped; libraries that are neither there nor the C library's are copied from this machine to lib/bigdna.
# Then checks (check_tree.sh) that nothing in TREE needs anything else, or a glibc newer than GLIBC.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$1 tree=$2 glibc=${3:-}
[[ ! -e $tree ]] || { echo "tree: $tree exists already" >&2; exit 1; }
cmake --install "$build" --prefix "$tree" >/dev/null
tree=$(readlink -f "$tree")
libraries=$tree/lib/bigdna

for program in "$tree"/bin/*; do
  while read -r path; do
    [[ $path == "$tree"/* || $(basename "$path") =~ $("$here/check_tree.sh" --system) ]] || cp -Ln "$path" "$libraries/"
  done < <(env -u LD_LIBRARY_PATH ldd "$program" | awk '$2 == "=>" && $3 != "not" {print $3}')
done
find "$tree/bin" "$tree/lib" -type f -exec strip --strip-unneeded {} +
"$here/check_tree.sh" "$tree" $glibc
