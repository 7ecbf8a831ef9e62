# The live page in `web`, built by Node.js. CANOPY_PAGE is the source file that embeds it in the service; without Node.js,
# an empty replacement.
find_program(NODE_EXECUTABLE node)
find_program(NPM_EXECUTABLE npm)
set(web ${PROJECT_SOURCE_DIR}/web)
if(NODE_EXECUTABLE AND NPM_EXECUTABLE)
  set(CANOPY_PAGE ${PROJECT_BINARY_DIR}/page/page_files.cpp)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${web}/src/* ${web}/public/* ${web}/scripts/*)
  add_custom_command(
    OUTPUT ${CANOPY_PAGE}
    COMMAND ${web}/scripts/build.sh ${PROJECT_BINARY_DIR}/page
    DEPENDS ${page_sources} ${web}/index.html ${web}/vite.config.ts ${web}/tsconfig.json ${web}/.npmrc ${web}/package.json ${web}/package-lock.json
    COMMENT "Building the live page"
    VERBATIM)
else()
  set(CANOPY_PAGE ${PROJECT_SOURCE_DIR}/src/service/no_page.cpp)
  message(WARNING "Node.js and npm were not found: `canopy serve` and `canopy report` will have no page. Everything else "
                  "is built. Install them (apt-get install nodejs npm) and configure again.")
endif()
set_source_files_properties(${CANOPY_PAGE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
