# pccsql_module(NAME [USES module...] [LINKS library...] SOURCES file...): one room of src/, a static library of its own.
function(pccsql_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(pccsql_${name} STATIC ${ARG_SOURCES})
  target_include_directories(pccsql_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM ARG_USES PREPEND pccsql_)
  target_link_libraries(pccsql_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINKS} pccsql_warnings)
endfunction()

# pccsql_cold(TARGET): code that runs once a command, or once a question. It is compiled in two thirds of the time.
function(pccsql_cold target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()
