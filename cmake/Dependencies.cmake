# What bigdna links, each as an imported target with SYSTEM headers. cmake/setup.sh installs all of it.
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/setup.sh --print OUTPUT_VARIABLE BIGDNA_CACHE
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
if(BIGDNA_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(HTSLIB REQUIRED IMPORTED_TARGET htslib)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")  # its -pthread would keep precompiled headers from use

# SentencePiece: static; its bundled protobuf-lite is part of the archive, its symbols stay inside our programs.
set(SENTENCEPIECE_ROOT ${BIGDNA_CACHE}/sentencepiece-0.2.1 CACHE PATH "SentencePiece, as cmake/setup.sh lays it")
find_library(SENTENCEPIECE_LIBRARY libsentencepiece.a PATHS ${SENTENCEPIECE_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY libsentencepiece_train.a PATHS ${SENTENCEPIECE_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
add_library(SentencePiece::sentencepiece INTERFACE IMPORTED)
target_include_directories(SentencePiece::sentencepiece SYSTEM INTERFACE ${SENTENCEPIECE_ROOT}/include)
target_link_libraries(SentencePiece::sentencepiece INTERFACE ${SENTENCEPIECE_TRAIN_LIBRARY} ${SENTENCEPIECE_LIBRARY} Threads::Threads)
target_link_options(SentencePiece::sentencepiece INTERFACE -Wl,--exclude-libs,libsentencepiece.a:libsentencepiece_train.a)

include(Torch)
