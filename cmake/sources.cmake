# Sources of libraries that are neither installed nor available as Debian packages. They are fetched when needed, and
# checked by their SHA256.
#
# Without a network: set CANOPY_ARCHIVES to a folder with the archives, named like fmt-9.1.0.tar.gz; or set FETCHCONTENT_SOURCE_DIR_FMT and
# similar variables to folders with the unpacked sources.
include(FetchContent)
option(CANOPY_FETCH "Fetch the sources of libraries that are not installed" ${CANOPY_PYTHON})
set(CANOPY_ARCHIVES "" CACHE PATH "A folder with archives of sources that need not be fetched")

# canopy_source(NAME VERSION URL SHA256)
function(canopy_source name version url sha256)
  string(REGEX MATCH "\\.(tar\\.[a-z0-9]+|zip)$" ending ${url})
  set(archive ${CANOPY_ARCHIVES}/${name}-${version}${ending})
  if(CANOPY_ARCHIVES AND EXISTS ${archive})
    set(url ${archive})
  endif()
  # SOURCE_SUBDIR names a missing folder, so that the library's CMakeLists.txt is not added.
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR none)
endfunction()

canopy_source(boost 1.81.0
  https://archives.boost.io/release/1.81.0/source/boost_1_81_0.tar.bz2
  71feeed900fbccca04a3b4f2f84a7c217186f28a940ed8b7ed4725986baf99fa)
canopy_source(fmt 9.1.0
  https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
  5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
canopy_source(nlohmann_json 3.11.2
  https://github.com/nlohmann/json/archive/v3.11.2.tar.gz
  d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
canopy_source(random123 1.14.0
  https://github.com/DEShawResearch/random123/archive/refs/tags/v1.14.0.tar.gz
  effafd8656b18030b2a5b995cd3650c51a7c45052e6e1c21e48b9fa7a59d926e)
canopy_source(sqlite3 3.46.1
  https://sqlite.org/2024/sqlite-amalgamation-3460100.zip
  77823cb110929c2bcb0f5d48e4833b5c59a8a6e40cdea3936b99e199dbbe5784)
canopy_source(tomlplusplus 3.4.0
  https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
  8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155)

# Sets NAME_SOURCE_DIR.
macro(canopy_fetch name)
  if(NOT CANOPY_FETCH)
    message(FATAL_ERROR "${name} was not found. Install it, or fetch its sources with -DCANOPY_FETCH=ON")
  endif()
  FetchContent_MakeAvailable(${name})
  message(STATUS "${name} is not installed: using its sources in ${${name}_SOURCE_DIR}")
endmacro()

# Sets VARIABLE to the folder that contains a header: a folder of the system, or the folder of that name in the sources.
macro(canopy_find_headers variable header name folder)
  find_path(${variable} ${header})
  if(NOT ${variable})
    canopy_fetch(${name})
    set(${variable} ${${name}_SOURCE_DIR}/${folder})
  endif()
endmacro()
