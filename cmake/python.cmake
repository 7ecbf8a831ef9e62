# Additional settings for building the Python module.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
add_link_options(-Wl,--as-needed)  # do not link the libraries of the tool to the module

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)

# Libraries that are not installed are unpacked from Debian packages for this build; on other systems they are built from
# their sources (sources.cmake).
set(CANOPY_UNPACKED ${CMAKE_BINARY_DIR}/packages)
execute_process(
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/setup.sh unpack ${CANOPY_UNPACKED} ${Python_EXECUTABLE})
if(EXISTS ${CANOPY_UNPACKED}/usr)
  list(PREPEND CMAKE_PREFIX_PATH ${CANOPY_UNPACKED}/usr)
  include_directories(SYSTEM ${CANOPY_UNPACKED}/usr/include)
endif()
if(NOT Python_Development.Module_FOUND)
  set(Python_INCLUDE_DIR
      ${CANOPY_UNPACKED}/usr/include/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
endif()

execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT
                COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)
