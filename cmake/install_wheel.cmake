# What the Python package carries beside its own files: the library, and the program with its helper process and the demo,
# laid out as an installation, so that the program finds them. pyproject.toml asks for the component `wheel` alone.
#
# PCCSQL_WHEEL_PROGRAM names a build folder whose program is taken as it is: then only the library is compiled here.
set(PCCSQL_WHEEL_PROGRAM "" CACHE PATH "A build folder whose program the Python package carries")
# A wheel has no links: the library is there once, under the name that Python looks for.
install(FILES $<TARGET_FILE:pccsql_library> DESTINATION . RENAME libpccsql.so COMPONENT wheel)
if(PCCSQL_PROGRAM)
  set(wheel_program $<TARGET_FILE:pccsql>)
  set(wheel_query $<TARGET_FILE:pccsql_query>)
  set(wheel_demo ${PROJECT_BINARY_DIR}/examples)
else()
  set(wheel_program ${PCCSQL_WHEEL_PROGRAM}/apps/pccsql)
  set(wheel_query ${PCCSQL_WHEEL_PROGRAM}/src/exec/pccsql-query)
  set(wheel_demo ${PCCSQL_WHEEL_PROGRAM}/examples)
endif()
install(PROGRAMS ${wheel_program} DESTINATION program/bin COMPONENT wheel)
install(PROGRAMS ${wheel_query} DESTINATION program/libexec/pccsql COMPONENT wheel)
install(FILES ${wheel_demo}/hr.sqlite ${wheel_demo}/policy.yaml DESTINATION program/share/pccsql/demo COMPONENT wheel)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION program/share/pccsql/models COMPONENT wheel)
# All that has to be built for it.
add_custom_target(pccsql_wheel DEPENDS pccsql_library)
if(PCCSQL_PROGRAM)
  add_dependencies(pccsql_wheel pccsql pccsql_query hr_database)
endif()
