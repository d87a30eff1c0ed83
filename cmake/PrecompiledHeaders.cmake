# Precompiles headers that many objects include: bigdna_precompiled_header(NAME [LINK target...] HEADERS <header>...), used
# by bigdna_use_precompiled_header(TARGET NAME). TARGET must have the same flags (also -O: g++ 12 crashes otherwise); a
# mismatch that GCC notices is an error. The data libraries have none, because reading one costs as much as it saves.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them, which finds files that lack an include.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty.cpp CONTENT "")  # CMake requires a source for the target
function(bigdna_precompiled_header name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/empty.cpp)
  target_link_libraries(${name} PRIVATE bigdna_flags nlohmann_json::nlohmann_json ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS} <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional>
                            <limits> <map> <memory> <mutex> <nlohmann/json.hpp> <numeric> <optional> <set> <span> <sstream> <string>
                            <string_view> <thread> <unordered_map> <vector>)
endfunction()

function(bigdna_use_precompiled_header target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)  # false warnings of g++ 12 about std::string (GCC bug 105651)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

bigdna_precompiled_header(precompiled_torch LINK Torch::cpu HEADERS <ATen/Parallel.h> <ATen/TensorOperators.h> <ATen/core/Tensor.h>
                          <c10/core/GradMode.h>)
bigdna_precompiled_header(precompiled_cli LINK CLI11::CLI11 HEADERS <CLI/CLI.hpp>)
