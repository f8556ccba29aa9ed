# The library that is installed, and its CMake package: find_package(pccsql), then link pccsql::pccsql.
#
# One library of all the modules that the public API needs; BUILD_SHARED_LIBS says whether it is shared.
set(pccsql_public_modules base syntax mask schema policy model track paper engine)
set(objects)
foreach(module IN LISTS pccsql_public_modules)
  list(APPEND objects $<TARGET_OBJECTS:pccsql_${module}>)
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
target_link_libraries(pccsql_library PRIVATE SQLite::SQLite3 yaml-cpp $<$<BOOL:${PCCSQL_HAS_LLAMA}>:llama>)

install(TARGETS pccsql_library EXPORT pccsql_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pccsql DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pccsql)
install(EXPORT pccsql_targets FILE pccsqlTargets.cmake NAMESPACE pccsql:: DESTINATION ${package_folder})
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/pccsqlConfig.cmake.in ${PROJECT_BINARY_DIR}/pccsqlConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pccsqlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pccsqlConfig.cmake ${PROJECT_BINARY_DIR}/pccsqlConfigVersion.cmake
  cmake/ggml_cuda.cmake DESTINATION ${package_folder})
