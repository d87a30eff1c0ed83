# Sourced by test.sh and measure.sh: finds the programs, in a folder pack.sh made or in build/, and LibTorch for them.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=${PYTHON:-python3}
if [[ -d $here/bin ]]; then  # a packed folder: LibTorch is the installed torch's
  bin=$here/bin data=$here/data
  torch=$("$python" -c 'import os, torch; assert torch.__version__.startswith("2.11.0"), torch.__version__; print(os.path.dirname(torch.__file__))') ||
    { echo "needs the torch these programs were built against" >&2; exit 1; }
  # For our programs only: python finds its own libraries.
  ours() { LD_LIBRARY_PATH=$here/lib:$torch/lib:$(dirname "$torch")/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"; }
else
  root=$(cd "$here/../../.." && pwd)
  bin=${BUILD:-$root/build}/bin data=$root/test-data
  ours() { "$@"; }
fi
section() { printf '\n== %s\n' "$*"; }
