# A room is a folder of src, the public headers that are its, and one target. Its links are the rule of docs/design.md:
# a target sees its own headers and those of the rooms it uses, and no others. For that each room has a view of its own
# in the build folder, rooms/NAME, with links to its folder and to its public headers.
#
#   canopy_room(NAME
#     HEADERS  public headers, in include/canopy
#     SOURCES  in this folder
#     USES     rooms above it
#     PRIVATE  libraries)
function(canopy_room name)
  cmake_parse_arguments(ROOM "" "" "HEADERS;SOURCES;USES;PRIVATE" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view}/canopy/detail)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  foreach(header ${ROOM_HEADERS})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/canopy/${header} ${view}/canopy/${header} SYMBOLIC)
    get_filename_component(folder canopy/${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/include/canopy/${header}
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
  endforeach()

  add_library(canopy_${name} STATIC ${ROOM_SOURCES})
  target_compile_features(canopy_${name} PUBLIC cxx_std_20)
  target_include_directories(canopy_${name} PUBLIC ${view})
  # Traces and replays must not depend on whether the processor has fused multiply-add.
  target_compile_options(canopy_${name} PRIVATE -ffp-contract=off)
  list(TRANSFORM ROOM_USES PREPEND canopy_)
  target_link_libraries(canopy_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_PRIVATE})
  if(PROJECT_IS_TOP_LEVEL)
    target_link_libraries(canopy_${name} PRIVATE canopy_flags)
  endif()
endfunction()
