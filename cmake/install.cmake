# The library that is installed, and its CMake package: find_package(pccsql), then link pccsql::pccsql.
#
# One library of all the modules that the public API needs; BUILD_SHARED_LIBS says whether it is shared.
set(pccsql_public_modules base syntax mask schema policy model track check paper engine)
set(objects)
foreach(module IN LISTS pccsql_public_modules)
  # Catalogues of PostgreSQL servers are read by the program alone: without them nobody needs libpq.
  list(APPEND objects $<FILTER:$<TARGET_OBJECTS:pccsql_${module}>,EXCLUDE,/pg_[a-z]+\\.cc\\.o$>)
endforeach()
add_library(pccsql_library ${objects})
add_library(pccsql::pccsql ALIAS pccsql_library)
set_target_properties(pccsql_library PROPERTIES
  OUTPUT_NAME pccsql EXPORT_NAME pccsql LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
include(GNUInstallDirs)
target_include_directories(pccsql_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(pccsql_library INTERFACE cxx_std_20)
find_package(Threads REQUIRED)
target_link_libraries(pccsql_library PRIVATE SQLite::SQLite3 yaml-cpp Threads::Threads $<$<BOOL:${PCCSQL_HAS_LLAMA}>:llama>)

# A shared library shows what include/pccsql declares, and nothing else.
if(BUILD_SHARED_LIBS AND NOT APPLE)
  target_link_options(pccsql_library PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map -Wl,--no-undefined)
  set_target_properties(pccsql_library PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
endif()

install(TARGETS pccsql_library EXPORT pccsql_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pccsql DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pccsql)
install(EXPORT pccsql_targets FILE pccsqlTargets.cmake NAMESPACE pccsql:: DESTINATION ${package_folder})
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/pccsqlConfig.cmake.in ${PROJECT_BINARY_DIR}/pccsqlConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pccsqlConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# For builds without CMake. A static library leaves it to its users to link what it needs.
set(pc_needs_libraries "-lstdc++ -lm -pthread")
if(PCCSQL_HAS_LLAMA)
  set(pc_needs_packages "sqlite3 yaml-cpp llama")
  # By their files' names: llama.cpp's own file for pkg-config, which is asked for the folder, names them in an order that
  # static libraries cannot be linked in, and what is named twice is printed once.
  string(PREPEND pc_needs_libraries "-l:libllama.a -l:libggml.a -l:libggml-cpu.a -l:libggml-base.a ")
else()
  set(pc_needs_packages "sqlite3 yaml-cpp")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_requires "")
  set(pc_libraries "")
else()
  set(pc_requires ${pc_needs_packages})
  set(pc_libraries ${pc_needs_libraries})
endif()
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/pccsql.pc.in ${PROJECT_BINARY_DIR}/pccsql.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pccsql.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_BINARY_DIR}/pccsqlConfig.cmake ${PROJECT_BINARY_DIR}/pccsqlConfigVersion.cmake
  cmake/cuda_toolkit.cmake cmake/ggml_cuda.cmake DESTINATION ${package_folder})
