# A room is a folder of src with its public headers and one target. The rule of docs/design.md is enforced by include
# paths: a target sees only its own headers and those of the rooms it uses. Therefore each room has a folder rooms/NAME in
# the build folder, with links to its folder and to its public headers.
#
#   canopy_room(NAME
#     HEADERS  public headers, in include/canopy; may be patterns
#     SOURCES  in this folder; default: all in it and its subfolders
#     EXCEPT   sources to leave out, such as main.cpp
#     USES     rooms above it
#     PRIVATE  libraries)
function(canopy_room name)
  cmake_parse_arguments(ROOM "" "" "HEADERS;SOURCES;EXCEPT;USES;PRIVATE" ${ARGN})
  set(public ${PROJECT_SOURCE_DIR}/include/canopy)
  set(view ${PROJECT_BINARY_DIR}/rooms/${name})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  set(headers)
  if(ROOM_HEADERS)
    list(TRANSFORM ROOM_HEADERS PREPEND ${public}/)
    file(GLOB headers RELATIVE ${public} CONFIGURE_DEPENDS ${ROOM_HEADERS})
  endif()
  foreach(header ${headers})
    get_filename_component(folder canopy/${header} DIRECTORY)
    file(MAKE_DIRECTORY ${view}/${folder})
    file(CREATE_LINK ${public}/${header} ${view}/canopy/${header} SYMBOLIC)
    install(FILES ${public}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
  endforeach()

  if(NOT ROOM_SOURCES)
    file(GLOB_RECURSE ROOM_SOURCES RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.cpp)
  endif()
  if(ROOM_EXCEPT)
    list(REMOVE_ITEM ROOM_SOURCES ${ROOM_EXCEPT})
  endif()
  add_library(canopy_${name} STATIC ${ROOM_SOURCES})
  target_compile_features(canopy_${name} PUBLIC cxx_std_20)
  target_include_directories(canopy_${name} PUBLIC ${view})
  # Traces and replays must not depend on the processor's support of fused multiply-add.
  target_compile_options(canopy_${name} PRIVATE -ffp-contract=off)
  list(TRANSFORM ROOM_USES PREPEND canopy_)
  target_link_libraries(canopy_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_PRIVATE})
  if(PROJECT_IS_TOP_LEVEL)
    target_link_libraries(canopy_${name} PRIVATE canopy_flags)
  endif()
endfunction()

# Generates a public header from include/canopy/NAME.hpp.in, where @CANOPY_INCLUDES@ are all headers of the folder
# include/canopy/NAME.
function(canopy_made_header room name)
  set(include ${PROJECT_SOURCE_DIR}/include)
  set(made ${PROJECT_BINARY_DIR}/made/canopy/${name}.hpp)
  file(GLOB headers RELATIVE ${include} CONFIGURE_DEPENDS ${include}/canopy/${name}/*.hpp)
  set(CANOPY_INCLUDES)
  foreach(header ${headers})
    string(APPEND CANOPY_INCLUDES "#include \"${header}\"\n")
  endforeach()
  configure_file(${include}/canopy/${name}.hpp.in ${made} @ONLY)  # does not touch an unchanged file
  file(CREATE_LINK ${made} ${PROJECT_BINARY_DIR}/rooms/${room}/canopy/${name}.hpp SYMBOLIC)
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/canopy COMPONENT development)
endfunction()
