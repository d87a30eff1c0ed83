# bigdna_check_includes(TARGET [DEPENDENCY ...]): makes the build of the library in the folder TARGET fail, before anything
# is compiled, if a file includes a header of another library that is not among the dependencies (cmake/check_includes.sh).
set(BIGDNA_CHECK_INCLUDES ${CMAKE_CURRENT_LIST_DIR}/check_includes.sh)
function(bigdna_check_includes name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*.cpp ${folder}/*.cpp.in ${folder}/*.cu ${folder}/*.cuh)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.includes)
  add_custom_command(OUTPUT ${stamp} COMMAND ${BIGDNA_CHECK_INCLUDES} ${CMAKE_CURRENT_SOURCE_DIR} ${name} ${ARGN}
                     COMMAND ${CMAKE_COMMAND} -E touch ${stamp} DEPENDS ${files} ${BIGDNA_CHECK_INCLUDES} VERBATIM
                     COMMENT "Checking what lib/${name} includes")
  target_sources(${name} PRIVATE ${stamp})
endfunction()
