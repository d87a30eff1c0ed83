#!/usr/bin/env bash
# Makes the compiler and libraries for the packages, so that they run on glibc 2.28 and later (RHEL 8, Debian 10, Ubuntu 20.04):
#   cmake/packaging/sysroot.sh FOLDER
# FOLDER becomes a tree of Debian 11 (glibc 2.31: headers and libraries), with Debian 12's g++ 12 unpacked into it, and built there:
# g++'s own libstdc++; htslib, HDF5, Highway and SentencePiece, static. Headers and static archives of the smaller libraries are
# Debian 12's. FOLDER/toolchain.cmake is for CMake. Runs on Debian 12 (the compiler uses its libraries), needs no root, downloads
# 150 MB, takes about 6 minutes on two cores. Safe to run twice: a complete FOLDER is left alone. A FOLDER with anything else in it is refused.
#
# Three measures make code built on Debian 11 run on glibc 2.28: libstdc++ is configured without pthread_cond_clockwait (2.30);
# exp, log and pow of libm are linked in their old versions (old_glibc.c); check_tree.sh checks every symbol afterwards.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
[[ $# == 1 && $1 != -* ]] || { echo "usage: cmake/packaging/sysroot.sh FOLDER" >&2; exit 2; }
root=$(mkdir -p "$1" && readlink -f "$1")
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
readonly mirror=http://deb.debian.org/debian suite=bullseye sources=bookworm
readonly compiler=(gcc-12 g++-12 cpp-12 libgcc-12-dev)
readonly unpacked=(zlib1g-dev libdeflate-dev libbz2-dev liblzma-dev libmatio-dev libre2-dev libcli11-dev nlohmann-json3-dev libgloo-dev)
readonly built=(gcc-12 htscodecs htslib highway hdf5)
readonly lib=usr/lib/x86_64-linux-gnu
say() { echo "sysroot: $*" >&2; }
[[ ! -e $root/.complete ]] || exit 0
[[ -z $(ls -A "$root") ]] || { say "$root is not empty, and not a tree that this script completed: remove it or name another folder"; exit 1; }
unset LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
work=$(mktemp -d "$root.work.XXXXXX")
# a tree that is not complete is removed as well, so that the next run finds an empty folder
trap 'rm -rf "$work"; [[ -e $root/.complete ]] || rm -rf "$root"' EXIT

say "Debian's $suite, its headers and C library"
mmdebstrap -q --variant=extract --include=libc6-dev,linux-libc-dev "$suite" "$root" "$mirror"
say "${compiler[*]} and ${unpacked[*]} of $sources"
mkdir "$work/debs" "$work/lists" "$work/lists/partial"
(cd "$work/debs" && apt-get -qq -o APT::Sandbox::User=root download "${compiler[@]}" "${unpacked[@]}")
for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
# Licences and versions of what the programs contain, for sbom.py: here those of packages, below those of sources
for package in zlib1g-dev libdeflate-dev libbz2-dev liblzma-dev libmatio-dev libre2-dev libcli11-dev nlohmann-json3-dev; do
  name=${package%-dev} name=${name/libcli11/cli11} doc=$root/usr/share/doc/$package
  if [[ ! -e $doc/copyright ]]; then  # a link to the folder of the shared library's package, which is not unpacked
    owner=$(basename "$(readlink "$doc")")
    (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download "$owner" && dpkg-deb -x "$owner"_*.deb owner)
    doc=$work/owner/usr/share/doc/$owner
  fi
  mkdir -p "$root/opt/licences/$name" && cp "$doc/copyright" "$root/opt/licences/$name/"
  dpkg-deb -f "$work/debs/${package}_"*.deb Version >"$root/opt/licences/$name/VERSION"
done
# Links to /lib would lead out of the tree; shared libraries of what is linked statically are not wanted.
while read -r link; do
  target=$root$(readlink "$link")
  if [[ -e $target ]]; then ln -sfn "$(realpath --relative-to="$(dirname "$link")" "$target")" "$link"; else rm "$link"; fi
done < <(find "$root/usr/lib" "$root/lib" "$root/lib64" -type l -lname '/*')
rm -f "$root/$lib"/lib{z,deflate,bz2,lzma,matio,re2}.so

say "sources of ${built[*]}"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $sources main" >"$work/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$work" && "${apt[@]}" source --download-only --tar-only "${built[@]}" && for archive in *.orig.tar.*; do tar -xf "$archive"; done)
tar -xf "$work"/gcc-12-*/gcc-*-dfsg.tar.* -C "$work"

export CC="$root/usr/bin/gcc-12 --sysroot=$root" CXX="$root/usr/bin/g++-12 --sysroot=$root" CFLAGS="-O2 -fPIC" CXXFLAGS="-O2 -fPIC"
mkdir -p "$root/opt"
$CC -O2 -fPIC -c "$here/old_glibc.c" -o "$root/opt/old_glibc.o"
link=$root/opt/old_glibc.o
for name in exp exp2 log log2 pow; do link+=" -Wl,--wrap=$name"; done
# step NAME COMMANDS: runs them in $work/build-NAME, in silence unless they fail
step() {
  local name=$1 started=$SECONDS
  mkdir -p "$work/build-$name"
  (cd "$work/build-$name" && bash -euo pipefail -c "$2") >"$work/$name.log" 2>&1 || { tail -20 "$work/$name.log" >&2; say "$name did not build"; exit 1; }
  say "$name: $((SECONDS - started)) s"
}
configured="--host=x86_64-linux-gnu --prefix=/usr --libdir=/$lib --disable-shared --enable-static"

# A C compiler is told to compile C++, as in GCC's own build: g++ would link the libstdc++ that is not there yet.
export root work lib jobs link
gcc=$(dirname "$(ls -d "$work"/gcc-12.*/libgcc)")
ln -s gthr-posix.h "$gcc/libgcc/gthr-default.h"
export gcc
step libstdc++ '
  export glibcxx_cv_PTHREAD_COND_CLOCKWAIT=no glibcxx_cv_PTHREAD_MUTEX_CLOCKLOCK=no glibcxx_cv_PTHREAD_RWLOCK_CLOCKLOCK=no
  CXX="$CC -shared-libgcc -nostdinc++" CXXFLAGS=-O2 LDFLAGS="-Wl,$link -lm" "$gcc/libstdc++-v3/configure" \
    --host=x86_64-linux-gnu --build=x86_64-linux-gnu --prefix=/usr --libdir="/$lib" --disable-multilib --disable-nls \
    --disable-libstdcxx-pch --with-gxx-include-dir=/usr/include/c++/12
  make -j"$jobs"
  make install DESTDIR="$root"
  mv "$root"/usr/lib/lib/libstdc++* "$root/$lib/"
  cp -r "$root"/usr/include/c++/12/x86_64-linux-gnu/* "$root/usr/include/c++/12/"'
step htscodecs "$work/htscodecs-*/configure $configured && make -j$jobs && make install DESTDIR=$root"
step htslib '
  cp -r "$work"/htslib-*/. . && autoreconf -i
  ./configure --host=x86_64-linux-gnu --prefix=/usr --libdir="/$lib" --disable-libcurl --disable-gcs --disable-s3 --with-libdeflate \
    --with-external-htscodecs LIBS="-lm -lpthread"
  make -j"$jobs" lib-static htslib.pc.tmp
  mkdir -p "$root/usr/include/htslib" && cp htslib/*.h "$root/usr/include/htslib/" && cp libhts.a "$root/$lib/"
  make install-pkgconfig DESTDIR="$root"'
cmake="-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSROOT=$root -DCMAKE_C_COMPILER=$root/usr/bin/gcc-12 -DCMAKE_CXX_COMPILER=$root/usr/bin/g++-12
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON"
export cmake
step highway '
  cmake -S "$work"/highway-*/ -B . $cmake -DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR="${lib#usr/}"
  cmake --build . -j"$jobs" && DESTDIR="$root" cmake --install .'
step hdf5 "$work/hdf5-*/configure $configured --disable-hl --disable-tests --disable-tools --disable-ros3-vfd --with-zlib --enable-build-mode=production
  make -j$jobs -C src && make -C src install DESTDIR=$root"
version=$(sed -n 's/.*sentencepiece_version=\([0-9.]*\).*/\1/p' "$here/../setup.sh")
sentencepiece=opt/sentencepiece-$version
export version sentencepiece
step sentencepiece '
  python3 -m venv venv && venv/bin/pip download -q --disable-pip-version-check --no-deps --no-binary=:all: -d . "sentencepiece==$version"
  tar -xzf sentencepiece-*.tar.gz
  tree=$(dirname "$(find . -path "*/src/sentencepiece_trainer.cc" | head -1)")/..
  cmake -S "$tree" -B build $cmake -DSPM_ENABLE_SHARED=OFF -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="/$sentencepiece" -DCMAKE_POLICY_VERSION_MINIMUM=3.5
  cmake --build build -j"$jobs" && DESTDIR="$root" cmake --install build
  cp "$tree/src/builtin_pb/sentencepiece_model.pb.h" "$root/$sentencepiece/include/"
  cp -r "$tree/third_party/protobuf-lite/google" "$root/$sentencepiece/include/"
  mkdir -p "$root/opt/licences/sentencepiece" && cp "$tree/LICENSE" "$root/opt/licences/sentencepiece/"
  for part in "$tree"/third_party/*/LICENSE; do cp "$part" "$root/opt/licences/sentencepiece/LICENSE.$(basename "$(dirname "$part")")"; done'

# pkg-config: all of these libraries are static, so what they need privately, programs need too.
printf '%s\n' 'Name: HDF5' 'Description: serial, static' 'Version: 1.10' 'Libs: -lhdf5 -lz -ldl -lm -lpthread' >"$root/$lib/pkgconfig/hdf5.pc"
for file in "$root/$lib"/pkgconfig/*.pc; do
  awk '/^Libs.private:/ {sub(/^[^:]*:/, ""); private = $0; next} /^Requires.private:/ {sub(/^[^:]*:/, ""); print "Requires:" $0; next}
       {lines[++n] = $0} END {sub(/ -lhts /, " ", private); for (i = 1; i <= n; i++) print lines[i] (lines[i] ~ /^Libs:/ ? private : "")}' "$file" |
    sed 's|-[LI][^ ]*hdf5/serial[^ ]*||g' >"$work/pc" && mv "$work/pc" "$file"
done

for name in htslib htscodecs highway hdf5; do
  mkdir -p "$root/opt/licences/$name"
  find "$work/$name"-[0-9]* -maxdepth 1 \( -iname 'LICENSE*' -o -name COPYING \) -exec cp {} "$root/opt/licences/$name/" \;
  (cd "$work" && echo "$name"-[0-9]*) | sed 's/^[^-]*-//; s/[+].*//' >"$root/opt/licences/$name/VERSION"
done
mkdir -p "$root/opt/licences/gcc" && cp "$gcc"/COPYING* "$root/opt/licences/gcc/"
cat "$gcc/gcc/BASE-VER" >"$root/opt/licences/gcc/VERSION"
echo "$version" >"$root/opt/licences/sentencepiece/VERSION"

mkdir -p "$root/opt/bin"  # for nvcc
printf '#!/bin/sh\nexec %s/usr/bin/g++-12 --sysroot=%s "$@"\n' "$root" "$root" >"$root/opt/bin/g++" && chmod +x "$root/opt/bin/g++"
cat >"$root/toolchain.cmake" <<EOF
set(ENV{PKG_CONFIG_SYSROOT_DIR} $root)
set(ENV{PKG_CONFIG_LIBDIR} $root/$lib/pkgconfig:$root/usr/share/pkgconfig)
set(CMAKE_SYSROOT $root)
set(CMAKE_C_COMPILER $root/usr/bin/gcc-12)
set(CMAKE_CXX_COMPILER $root/usr/bin/g++-12)
set(CMAKE_CUDA_HOST_COMPILER $root/opt/bin/g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_EXE_LINKER_FLAGS_INIT "$link")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "$link")
set(SENTENCEPIECE_ROOT $root/$sentencepiece CACHE PATH "")
set(BIGDNA_BUNDLE $root/$lib/libstdc++.so.6 $root/lib/x86_64-linux-gnu/libgcc_s.so.1 CACHE STRING "")
set(BIGDNA_LICENCES $root/opt/licences CACHE PATH "")
set(BIGDNA_TESTS OFF CACHE BOOL "")
EOF
touch "$root/.complete"
