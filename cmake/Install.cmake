# cmake --install build --prefix DIR: a tree that runs wherever it is moved to. Run paths begin with $ORIGIN.
#   bin/                 bigdna, bigdna-model
#   lib/                 the CUDA plug-ins, where they were built
#   lib/bigdna/          the part of LibTorch that a run on a CPU loads, and BIGDNA_BUNDLE
#   share/               man pages and completions for bash and zsh (apps/pages), models that have names, licences,
#                        bigdna/python: what a Python may import (apps/python)
# htslib, HDF5 and the like stay the system's; cmake/packaging/tree.sh takes them along.
option(BIGDNA_INSTALL_TORCH "Install LibTorch with the programs; OFF: it lies in the prefix already" ON)
set(BIGDNA_BUNDLE "" CACHE STRING "More libraries to install in lib/bigdna (files)")
set(BIGDNA_LICENCES "" CACHE PATH "Folder of more licences to install")

# LibTorch: in lib/bigdna; a wheel has none, and takes the torch beside its package (apps/libtorch.h); conda's is in lib
if(BIGDNA_INSTALL_TORCH)
  set(libtorch "$ORIGIN/../../torch/lib")
else()
  set(libtorch "$ORIGIN/../lib")
endif()
set_target_properties(bigdna bigdna-model PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/bigdna:${libtorch}")
install(TARGETS bigdna bigdna-model RUNTIME DESTINATION bin)
set(libraries ${BIGDNA_BUNDLE})
if(BIGDNA_INSTALL_TORCH)
  file(GLOB cuda_runtime ${TORCH_SITE}/nvidia/cu*/lib/libcudart.so.* ${TORCH_SITE}/nvidia/cu*/lib/libcupti.so.*)  # libtorch_cpu needs both
  list(APPEND libraries ${TORCH_CPU_LIBRARY} ${TORCH_C10_LIBRARY} ${TORCH_GOMP_LIBRARY} ${cuda_runtime})
endif()
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  get_filename_component(file ${library} REALPATH)
  install(PROGRAMS ${file} DESTINATION lib/bigdna RENAME ${name})
endforeach()

# LibTorch's CUDA half is that of Python's torch: beside the wheel's package, or BIGDNA_TORCH.
set(cuda_half "$ORIGIN/bigdna:$ORIGIN/../../torch/lib")
foreach(plugin bigdna_cuda bigdna_nccl)
  if(TARGET ${plugin})
    set_target_properties(${plugin} PROPERTIES INSTALL_RPATH "${cuda_half}")
    install(TARGETS ${plugin} LIBRARY DESTINATION lib OPTIONAL)
  endif()
endforeach()

install(DIRECTORY ${BIGDNA_PAGES}/ DESTINATION share)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/models/ DESTINATION share/bigdna/models)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/apps/python/ DESTINATION share/bigdna/python PATTERN __pycache__ EXCLUDE PATTERN .mypy_cache EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/bigdna)
if(BIGDNA_LICENCES)
  install(DIRECTORY ${BIGDNA_LICENCES}/ DESTINATION share/doc/bigdna/licences)
endif()
# Licences and versions of what LibTorch's wheels contain, for sbom.py
if(BIGDNA_INSTALL_TORCH)
  foreach(wheel torch nvidia_cuda_cupti nvidia_cuda_runtime)
    string(REPLACE torch libtorch component ${wheel})
    file(GLOB licences ${TORCH_SITE}/${wheel}-*.dist-info/licenses/* ${TORCH_SITE}/${wheel}-*.dist-info/License.txt)
    install(FILES ${licences} DESTINATION share/doc/bigdna/licences/${component})
    file(GLOB information ${TORCH_SITE}/${wheel}-*.dist-info)
    string(REGEX MATCH "${wheel}-([0-9.]+)\\.dist-info" _ "${information}")
    file(WRITE ${CMAKE_BINARY_DIR}/licences/${component}/VERSION "${CMAKE_MATCH_1}\n")
    install(DIRECTORY ${CMAKE_BINARY_DIR}/licences/${component} DESTINATION share/doc/bigdna/licences)
  endforeach()
endif()
