#!/usr/bin/env bash
# What recipe.yaml builds with. NOT RUN. conda-forge's LibTorch lies in the prefix: cmake/Torch.cmake is shown it as if it were
# the wheel's, and it is not installed again.
set -euo pipefail
version=$(sed -n 's/.*sentencepiece_version=\([0-9.]*\).*/\1/p' cmake/setup.sh)
tree=$(dirname "$(find sentencepiece -path '*/src/sentencepiece_trainer.cc' | head -1)")/..
cmake -S "$tree" -B sentencepiece-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPM_ENABLE_SHARED=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$SRC_DIR/sentencepiece-$version" -DCMAKE_POLICY_VERSION_MINIMUM=3.5
cmake --build sentencepiece-build --target install
cp "$tree/src/builtin_pb/sentencepiece_model.pb.h" "$SRC_DIR/sentencepiece-$version/include/"
cp -r "$tree/third_party/protobuf-lite/google" "$SRC_DIR/sentencepiece-$version/include/"
mkdir -p site/torch
ln -s "$PREFIX/lib" "$PREFIX/include" site/torch/
echo "__version__ = '2.11.0'" >site/torch/version.py
cmake -S . -B build -G Ninja $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DBIGDNA_TESTS=OFF -DBIGDNA_CUDA=OFF -DBIGDNA_INSTALL_TORCH=OFF \
  -DTORCH_SITE="$PWD/site" -DSENTENCEPIECE_ROOT="$SRC_DIR/sentencepiece-$version"
cmake --build build --target programs
cmake --install build --prefix "$PREFIX"
