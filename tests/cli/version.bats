load helpers

@test "--version names what is linked" {
  bigdna --version >version
  for line in '^bigdna [0-9.]+ \(commit [0-9a-f]+(-dirty)?\)$' '^htslib [0-9]' '^SentencePiece 0\.2\.1$' '^LibTorch 2\.' '^CUDA ' '^CPU kernels: ' '^CUDA plug-in: ' '^GPU'; do
    grep -qE "$line" version || { echo "no line $line"; cat version; false; }
  done
  [[ $(wc -l <version) == 8 ]]
}

@test "both programs are of the same build" {
  [[ $(bigdna --version) == "$("${BIGDNA%/*}/bigdna-model" --version)" ]]
}

@test "--version-only is the bare version" {
  [[ $(bigdna --version-only) =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
  [[ $(bigdna --version | head -1) == "bigdna $(bigdna --version-only) (commit "* ]]
}

@test "a version or help that cannot be written is an error" {
  fails 1 "stdout: No space left on device" bash -c "bigdna --version >/dev/full"
  fails 1 "stdout: No space left on device" bash -c "bigdna --help >/dev/full"
}

@test "help and version are words, too" {
  bigdna version | diff - <(bigdna --version)
  bigdna help | diff - <(bigdna --help)
  bigdna help evaluate | diff - <(bigdna evaluate --help)
  bigdna help evaluate | diff - <(bigdna evaluate --help)
  fails 2 "nothing is not a command of bigdna" bigdna help nothing
}
