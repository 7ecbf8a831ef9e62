# Flags for builds of canopy itself. A project that includes canopy as a part gets none of them.
add_library(canopy_flags INTERFACE)
target_compile_options(canopy_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                              -Wsign-conversion -Wnon-virtual-dtor)
# errno is not used after a square root; without it, a square root is a single instruction.
target_compile_options(canopy_flags INTERFACE -fno-math-errno)
if(CANOPY_WARNINGS_AS_ERRORS)
  target_compile_options(canopy_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about its own std::string once it is inlined (GCC bug 105651).
  target_compile_options(canopy_flags INTERFACE -Wno-restrict)
  if(CANOPY_SANITIZE)  # the sanitizers cause false warnings about variants
    target_compile_options(canopy_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(CANOPY_SANITIZE)
  add_compile_options(-fsanitize=${CANOPY_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CANOPY_SANITIZE})
  if(CANOPY_SANITIZE MATCHES thread)  # the thread sanitizer does not support fences
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
