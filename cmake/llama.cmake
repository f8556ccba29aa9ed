# Finds llama.cpp and sets PCCSQL_HAS_LLAMA. Looks at what the user has installed (CMAKE_PREFIX_PATH, the system) and at
# the prefix of scripts/llama.sh in the cache folder (PCCSQL_BACKEND in the environment says which, of several). Nothing is
# ever fetched or built here.
set(PCCSQL_LLAMA AUTO CACHE STRING "Use llama.cpp: AUTO (where it is found), ON (must be found), OFF")
set_property(CACHE PCCSQL_LLAMA PROPERTY STRINGS AUTO ON OFF)

set(PCCSQL_HAS_LLAMA OFF)
if(PCCSQL_LLAMA)
  include(cmake/cuda_toolkit.cmake)
  set(oldest_llama 0.5.0)
  # Looked for anew each time: a prefix that has gone, or one that has come, must not stay hidden behind the last answer.
  unset(llama_DIR CACHE)
  unset(llama_LIBRARY CACHE)
  unset(ggml_DIR CACHE)
  find_package(llama ${oldest_llama} CONFIG QUIET)
  if(NOT llama_FOUND)
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/llama.sh --prefix-only
      RESULT_VARIABLE status OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      find_package(llama ${oldest_llama} CONFIG QUIET PATHS ${prefix} NO_DEFAULT_PATH)
    endif()
  endif()
  if(llama_FOUND)
    set(PCCSQL_HAS_LLAMA ON)
    include(cmake/ggml_cuda.cmake)
    message(STATUS "llama.cpp ${llama_VERSION}: ${llama_DIR}")
  elseif(PCCSQL_LLAMA STREQUAL "AUTO")
    message(STATUS "llama.cpp: not found, built without it (scripts/llama.sh makes it)")
  else()
    message(FATAL_ERROR "PCCSQL_LLAMA is ${PCCSQL_LLAMA}, but no llama.cpp of version ${oldest_llama} or newer was "
      "found. Run scripts/llama.sh, or name its prefix with -DCMAKE_PREFIX_PATH=…")
  endif()
endif()
