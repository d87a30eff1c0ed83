#!/usr/bin/env bash
# Makes the Python environment the peer tests compare with (PyTorch, transformers, tokenizers, scikit-learn ...), and installs
# Chromium without a window (Debian's, 64 MB), which opens reports in tests, if this user may install packages.
# --bench: also the tokenisers that only tests/bench compares with (tiktoken, YouTokenToMe). Safe to run twice. bigdna itself needs none of it. Prints the environment's folder.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
peers=$("$here/../../cmake/setup.sh" --print)/peers
if ! cmp -s "$here/requirements.txt" "$peers/requirements.txt"; then
  echo "peers: installs PyTorch, transformers and others in $peers (downloads 2 GB, takes 6 GB)" >&2
  python3 -m venv "$peers"
  "$peers/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" >&2
  cp "$here/requirements.txt" "$peers/requirements.txt"
fi
if ! command -v chromium-headless-shell >/dev/null; then
  as_root=()
  if ((EUID)); then as_root=(sudo -n); fi
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium-headless-shell >&2 ||
    echo "peers: chromium-headless-shell is not installed, so reports are not opened in tests" >&2
fi
if [[ ${1:-} == --bench ]]; then
  "$peers/bin/pip" install -q --disable-pip-version-check tiktoken "cython<3" setuptools wheel >&2
  # Unmaintained: no wheels, and its build needs the Cython that is there.
  "$peers/bin/pip" install -q --disable-pip-version-check --no-build-isolation youtokentome >&2 || echo "peers: YouTokenToMe does not build here" >&2
fi
echo "$peers"
