#!/usr/bin/env bash
# Sets up (cmake/setup.sh), configures and builds build/: what both README commands begin with.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
"$root/cmake/setup.sh"
started=$SECONDS
cd "$root"
mkdir -p build
cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
cmake --build build
echo "build: $((SECONDS - started)) s" >&2
