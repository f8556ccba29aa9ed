# The program, its helper process, and the demo and the adapter, at the places relative to the program where it looks for them.
install(TARGETS pccsql)
install(TARGETS pccsql_query DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pccsql)
install(FILES ${PROJECT_BINARY_DIR}/examples/hr.sqlite ${PROJECT_BINARY_DIR}/examples/policy.yaml
  DESTINATION ${CMAKE_INSTALL_DATADIR}/pccsql/demo)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pccsql/models)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
