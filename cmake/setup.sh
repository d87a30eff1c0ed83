#!/usr/bin/env bash
# Installs what building bigdna needs. Safe to run twice; once everything is there it needs no network and takes a moment.
#   cmake/setup.sh            installs what is missing
#   cmake/setup.sh --print    prints the folder of the downloaded dependencies and stops
# Debian or Ubuntu packages are installed by apt; LibTorch (its PyPI wheel) and SentencePiece (its PyPI source) go to
# ${BIGDNA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/bigdna}, never into the clone. A user who may not install packages gets them unpacked
# there too: all but the compiler and Python. CACHE/debian/environment then has what cmake and the programs need; cmake/build.sh and
# tests/run.sh read it. Other distributions: docs/install.md has packages that are already built.
set -euo pipefail

readonly torch_version=2.11.0 sentencepiece_version=0.2.1
readonly cuda_wheels=(nvidia-cuda-cupti==13.0.85 nvidia-cuda-runtime==13.0.96)  # libtorch_cpu.so needs both
readonly packages=(build-essential cmake ninja-build ccache git ca-certificates unzip pkg-config python3 python3-pip python3-venv
  libhts-dev libbigwig-dev libcli11-dev nlohmann-json3-dev zlib1g-dev liblzma-dev libgtest-dev libhwy-dev libhdf5-dev libmatio-dev libre2-dev libgloo-dev bats samtools bcftools tabix bedtools openmpi-bin)
readonly not_unpacked=(build-essential git ca-certificates python3 python3-pip python3-venv)  # they work only where they are installed

cache=${BIGDNA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/bigdna}
case ${1:-} in
  '') ;;
  --print) echo "$cache"; exit 0 ;;
  -h | --help) sed -n '2,8s/^# \?//p' "$0"; exit 0 ;;
  *) echo "setup: unknown argument $1 (see --help)" >&2; exit 2 ;;
esac
say() { echo "setup: $*" >&2; }

# 1. Debian packages
debian=$cache/debian
is_there() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed' || grep -qxF "$1" "$debian/packages" 2>/dev/null; }

# Unpacks packages, and what they depend on and is not installed, in $debian. Lists of packages are the user's own: the system's may be old.
unpack() {
  local apt=(apt-get -qq -o "Dir::State::Lists=$cache/apt/lists" -o "Dir::Cache=$cache/apt" -o APT::Sandbox::User=) pc
  mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial" "$debian/debs"
  "${apt[@]}" update
  (cd "$debian/debs"
   "${apt[@]}" --simulate --no-install-recommends install "$@" | awk '/^Inst/ {print $2}' | sort >needed
   xargs -r "${apt[@]}" download <needed
   for deb in *.deb; do dpkg-deb -x "$deb" .. && rm "$deb"; done)
  rm -rf "$debian/debs" "$cache/apt"
  ln -sf hdf5-serial.pc "$debian/usr/lib/$(uname -m)-linux-gnu/pkgconfig/hdf5.pc"  # what Debian's alternatives do
  while read -r pc; do sed -Ei "s#([= LI])/usr(/| |\$)#\1$debian/usr\2#g" "$pc"; done < <(find "$debian/usr" -name '*.pc' -type f)
  printf '%s\n' "$@" >>"$debian/packages"
  local lib=$debian/usr/lib/$(uname -m)-linux-gnu
  local libs=$lib:$debian/lib/$(uname -m)-linux-gnu
  cat >"$debian/environment" <<EOF
export PATH=$debian/usr/bin:\$PATH LD_LIBRARY_PATH=$libs\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} LIBRARY_PATH=$lib
export CPLUS_INCLUDE_PATH=$debian/usr/include PKG_CONFIG_PATH=$lib/pkgconfig:$debian/usr/share/pkgconfig CMAKE_PREFIX_PATH=$debian/usr
EOF
}

missing=()
for package in "${packages[@]}"; do is_there "$package" || missing+=("$package"); done
if ((${#missing[@]})); then
  if ((EUID == 0)) || sudo -n true 2>/dev/null; then
    run() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }
    say "installing with apt: ${missing[*]}"
    run apt-get update -qq
    run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
  else
    needed=()
    for package in "${missing[@]}"; do [[ " ${not_unpacked[*]} " != *" $package "* ]] || needed+=("$package"); done
    if ((${#needed[@]})) || ! command -v apt-get >/dev/null; then
      say "this user may not install packages, and these must be installed: ${needed[*]:-${missing[*]}}"
      say "ask an administrator for:  apt-get install ${needed[*]:-${missing[*]}}"
      exit 1
    fi
    say "this user may not install packages: unpacking them in $debian: ${missing[*]}"
    unpack "${missing[@]}"
  fi
fi
# shellcheck source=/dev/null
[[ ! -e $debian/environment ]] || . "$debian/environment"

# 2. LibTorch: three wheels, without their dependencies, unzipped side by side (any Python and PEP 668 are fine)
torch=$cache/torch-$torch_version
if [[ ! -e $torch/.complete ]]; then
  say "LibTorch $torch_version: downloads 0.55 GB, takes 1.4 GB in $torch"
  rm -rf "$torch" "$torch.partial"; mkdir -p "$torch.partial/wheels"
  platforms=(--platform manylinux2014_x86_64)
  for glibc in 17 24 25 26 27 28; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --implementation cp \
    --python-version 3.12 "${platforms[@]}" -d "$torch.partial/wheels" "torch==$torch_version" "${cuda_wheels[@]}"
  for wheel in "$torch.partial"/wheels/*.whl; do unzip -q -o "$wheel" -d "$torch.partial"; done
  rm -rf "$torch.partial/wheels"; touch "$torch.partial/.complete"
  mv "$torch.partial" "$torch"
fi

# 3. SentencePiece: static, with its tools (the tests compare with spm_train) and its generated protobuf classes
spm=$cache/sentencepiece-$sentencepiece_version
if [[ ! -e $spm/.complete ]]; then
  say "SentencePiece $sentencepiece_version: downloads 3 MB, builds in under a minute, takes 20 MB in $spm"
  rm -rf "$spm" "$spm.partial"; mkdir -p "$spm.partial"
  python3 -m venv "$spm.partial/venv"  # pip reads a source distribution's metadata by building it: keep that apart
  "$spm.partial/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary=:all: -d "$spm.partial" \
    "sentencepiece==$sentencepiece_version"
  tar -xzf "$spm.partial"/sentencepiece-*.tar.gz -C "$spm.partial"
  tree=$(dirname "$(find "$spm.partial" -path '*/src/sentencepiece_trainer.cc' | head -1)")/..
  cmake -S "$tree" -B "$spm.partial/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPM_ENABLE_SHARED=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$spm.partial/install" \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 >"$spm.partial/log" 2>&1 &&
    cmake --build "$spm.partial/build" --target install >>"$spm.partial/log" 2>&1 ||
    { tail -20 "$spm.partial/log" >&2; say "SentencePiece did not build"; exit 1; }
  cp "$tree/src/builtin_pb/sentencepiece_model.pb.h" "$spm.partial/install/include/"
  cp -r "$tree/third_party/protobuf-lite/google" "$spm.partial/install/include/"
  touch "$spm.partial/install/.complete"
  mv "$spm.partial/install" "$spm"; rm -rf "$spm.partial"
fi
say "dependencies are complete in $cache"
