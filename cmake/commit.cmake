# cmake -DSOURCE=DIR -DOUTPUT=FILE -P commit.cmake: writes a header with the commit that DIR is at, followed by -dirty if tracked files differ
# from it; "" outside git, as in a tarball. FILE is left alone where it says so already, so that a build recompiles one small source
# after a commit.
cmake_minimum_required(VERSION 3.25)
set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${SOURCE}" source)
if("${top}" STREQUAL "${source}")  # not some other repository's folder in which a tarball was unpacked
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs EQUAL 1)
    string(APPEND commit -dirty)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define BIGDNA_COMMIT \"@commit@\"\n" @ONLY)
