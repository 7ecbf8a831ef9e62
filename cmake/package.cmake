# What is installed: canopy::canopy, which needs the standard library alone, and, where the tool is built,
# canopy::experiments and canopy::studies. Each is made of rooms; users know nothing of these.
include(CMakePackageConfigHelpers)

# canopy_package(NAME ROOMS rooms USES packages LIBRARIES libraries to link)
function(canopy_package name)
  cmake_parse_arguments(PACKAGE "" "" "ROOMS;USES;LIBRARIES" ${ARGN})
  set(target canopy_package_${name})
  set(objects)
  set(views)
  foreach(room ${PACKAGE_ROOMS})
    list(APPEND objects $<TARGET_OBJECTS:canopy_${room}>)
    list(APPEND views $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/rooms/${room}>)
  endforeach()
  add_library(${target} STATIC ${objects})
  add_library(canopy::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  if(name STREQUAL canopy)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME canopy)
  else()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME canopy_${name})
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC ${views} $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM PACKAGE_USES PREPEND canopy_package_)
  target_link_libraries(${target} PUBLIC ${PACKAGE_USES} PRIVATE ${PACKAGE_LIBRARIES})
  install(TARGETS ${target} EXPORT canopy-${name}-targets COMPONENT development)
  install(EXPORT canopy-${name}-targets NAMESPACE canopy:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/canopy
          COMPONENT development)
endfunction()

canopy_package(canopy ROOMS core optimizers environments)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/rooms/all/canopy)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/canopy/canopy.hpp ${PROJECT_BINARY_DIR}/rooms/all/canopy/canopy.hpp SYMBOLIC)
target_include_directories(canopy_package_canopy PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/rooms/all>)
if(CANOPY_TOOL)
  canopy_package(files ROOMS files systems figures USES canopy LIBRARIES fmt::fmt tomlplusplus::tomlplusplus)
  canopy_package(experiments ROOMS experiments USES files LIBRARIES fmt::fmt TBB::tbb)
  canopy_package(studies ROOMS studies stores USES files LIBRARIES fmt::fmt ${SOCI_SQLITE3} ${SQLITE3}
                 ${SOCI_POSTGRESQL} ${SOCI_CORE} ${LIBPQ})
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/canopy-config.cmake.in canopy-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/canopy)
write_basic_package_version_file(canopy-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/canopy-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/canopy-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/canopy COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/canopy/canopy.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/canopy COMPONENT development)
