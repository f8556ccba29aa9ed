# Finds cpp-httplib and OpenSSL. PCCSQL_HAS_HTTPLIB: chat endpoints can be asked. PCCSQL_HAS_SERVER: `pccsql serve` is there
# too; that takes the version which scripts/llama.sh leaves in the cache folder, because a server must not listen with one
# that lacks years of security fixes, as those of some distributions do. Nothing is fetched here.
set(PCCSQL_HAS_HTTPLIB OFF)
set(PCCSQL_HAS_SERVER OFF)
find_package(OpenSSL QUIET)
find_package(Threads REQUIRED)
if(OPENSSL_FOUND)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/llama.sh --http-prefix
    RESULT_VARIABLE status OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_path(HTTPLIB_INCLUDE_DIR httplib.h)
  find_library(HTTPLIB_LIBRARY cpp-httplib)
  mark_as_advanced(HTTPLIB_INCLUDE_DIR HTTPLIB_LIBRARY)
  if(status EQUAL 0)
    add_library(pccsql_httplib STATIC ${prefix}/httplib.cpp)
    target_include_directories(pccsql_httplib SYSTEM PUBLIC ${prefix})
    target_compile_definitions(pccsql_httplib PUBLIC CPPHTTPLIB_OPENSSL_SUPPORT
      CPPHTTPLIB_LISTEN_BACKLOG=1024)  # a burst of callers waits instead of being turned away
    # Somebody else's code: compiled once, without warnings of ours.
    set_target_properties(pccsql_httplib PROPERTIES UNITY_BUILD OFF)
    # Its assertions name their file, which lies in somebody's home: what is installed does not say whose.
    target_compile_options(pccsql_httplib PRIVATE -w -fmacro-prefix-map=${prefix}=cpp-httplib $<$<NOT:$<CONFIG:Debug>>:-O1>)
    target_link_libraries(pccsql_httplib PUBLIC OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
    set(PCCSQL_HAS_HTTPLIB ON)
    set(PCCSQL_HAS_SERVER ON)
    message(STATUS "cpp-httplib: ${prefix}")
  elseif(HTTPLIB_INCLUDE_DIR)
    # Debian splits cpp-httplib into a header and a library; elsewhere the header is all there is.
    add_library(pccsql_httplib INTERFACE)
    target_include_directories(pccsql_httplib SYSTEM INTERFACE ${HTTPLIB_INCLUDE_DIR})
    target_compile_definitions(pccsql_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT)
    target_link_libraries(pccsql_httplib INTERFACE OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
    if(HTTPLIB_LIBRARY)
      target_link_libraries(pccsql_httplib INTERFACE ${HTTPLIB_LIBRARY})
    endif()
    set(PCCSQL_HAS_HTTPLIB ON)
    message(STATUS "cpp-httplib: ${HTTPLIB_INCLUDE_DIR}, without `pccsql serve` (scripts/llama.sh fetches what that needs)")
  endif()
endif()
