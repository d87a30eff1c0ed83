# bigdna_library(NAME [TORCH] [SHARDS n] [DEPENDS lib...] [LINK target...])
#   A static library from every .cpp in this folder and below, included as "NAME/header.h". DEPENDS names the
#   bigdna libraries whose headers it includes (checked), LINK external targets. Its tests are every .cpp in tests/unit/NAME: one program, one ctest
#   entry (a program with LibTorch takes 0.24 s to start) or, where they take long, SHARDS of them. Without TORCH the configure fails where it would
#   reach LibTorch, so that the data commands stay free of it.
add_library(bigdna_flags INTERFACE)
target_compile_options(bigdna_flags INTERFACE -Wall -Wextra -Wpedantic -Werror
                       -Wno-restrict)  # false warnings of g++ 12 about std::string concatenation (GCC bug 105651)
if(BIGDNA_SANITIZE)
  target_compile_options(bigdna_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(bigdna_flags INTERFACE -fsanitize=address,undefined)
endif()

include(PrecompiledHeaders)
include(CheckIncludes)

# Six sources of a library or program are compiled as one object, because most of the time goes into their headers; so files of a library
# must not use one name for two things, not even in anonymous namespaces. -DBIGDNA_UNITY=OFF makes one object of each source: quicker
# while editing, and it finds a file that forgot an include. Tests are compiled one by one.
option(BIGDNA_UNITY "Compile several sources of a library as one object" ON)
function(bigdna_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BIGDNA_UNITY} UNITY_BUILD_BATCH_SIZE 6)
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # g++ takes the sources of such an object for headers
endfunction()

function(bigdna_library name)
  cmake_parse_arguments(ARG "TORCH" "SHARDS" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/lib/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/lib/${name}/(.*/)?(cuda|plugin)/")  # the CUDA and NCCL plug-ins have a CMakeLists.txt of their own
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/lib)
  target_link_libraries(${name} PRIVATE bigdna_flags PUBLIC ${ARG_DEPENDS} ${ARG_LINK})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME bigdna_${name})
  bigdna_unity(${name})
  bigdna_check_includes(${name} ${ARG_DEPENDS})
  if(ARG_TORCH)
    target_link_libraries(${name} PUBLIC Torch::cpu)
    set_property(TARGET ${name} PROPERTY BIGDNA_TORCH ON)
    bigdna_use_precompiled_header(${name} precompiled_torch)
  else()
    foreach(dependency IN LISTS ARG_DEPENDS ARG_LINK)
      get_target_property(torch ${dependency} BIGDNA_TORCH)
      if(torch OR dependency MATCHES "^Torch::")
        message(FATAL_ERROR "lib/${name} is torch-free but reaches LibTorch through ${dependency}")
      endif()
    endforeach()
  endif()

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${name}/*.cpp)
  if(tests AND BIGDNA_TESTS)
    add_executable(test_${name} ${tests})
    target_link_libraries(test_${name} PRIVATE bigdna_flags ${name} test_support)
    if(ARG_TORCH)
      bigdna_use_precompiled_header(test_${name} precompiled_torch)
    endif()
    if(NOT ARG_SHARDS)
      add_test(NAME unit_${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/leaves_nothing.sh $<TARGET_FILE:test_${name}>)
      set_tests_properties(unit_${name} PROPERTIES LABELS unit)
      return()
    endif()
    foreach(shard RANGE 1 ${ARG_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME unit_${name}_${shard} COMMAND ${CMAKE_SOURCE_DIR}/tests/leaves_nothing.sh $<TARGET_FILE:test_${name}>)
      set_tests_properties(unit_${name}_${shard} PROPERTIES LABELS unit COST 100
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endif()
endfunction()
