# LibTorch from its PyPI wheel, CPU side: libtorch_cpu and libc10 alone. The wheel's own TorchConfig demands a
# CUDA toolkit and links all of it; the CUDA half is reached only through the plug-in (lib/kernels/cuda).
set(TORCH_SITE ${BIGDNA_CACHE}/torch-2.11.0 CACHE PATH "Folder that holds torch/ (and nvidia/) of the wheels")
set(TORCH_ROOT ${TORCH_SITE}/torch)
find_library(TORCH_CPU_LIBRARY torch_cpu PATHS ${TORCH_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
find_library(TORCH_C10_LIBRARY c10 PATHS ${TORCH_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
# Without -fopenmp at::parallel_for, inline in LibTorch's headers, runs on one thread. The wheel's libgomp serves all.
find_library(TORCH_GOMP_LIBRARY libgomp.so.1 PATHS ${TORCH_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
add_library(Torch::cpu INTERFACE IMPORTED)
target_include_directories(Torch::cpu SYSTEM INTERFACE ${TORCH_ROOT}/include ${TORCH_ROOT}/include/torch/csrc/api/include)
target_link_libraries(Torch::cpu INTERFACE ${TORCH_CPU_LIBRARY} ${TORCH_C10_LIBRARY} ${TORCH_GOMP_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})
target_compile_options(Torch::cpu INTERFACE -fopenmp)
# A run path (CMake writes it) that also holds for what LibTorch's libraries need.
target_link_options(Torch::cpu INTERFACE -Wl,--disable-new-dtags,--allow-shlib-undefined)
