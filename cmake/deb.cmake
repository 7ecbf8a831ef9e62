# Debian packages, by `make deb`: canopy (the tool and its service), canopy-mpi, and libcanopy-dev (headers, libraries and
# what find_package reads).
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The canopy authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL tool development)
if(TARGET canopy_mpi_tool)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # dependencies are read from the programs
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME canopy)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS gnuplot-nox)  # draws the figures of reports
set(CPACK_DEBIAN_MPI_PACKAGE_NAME canopy-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcanopy-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# canopy::canopy needs none of these; canopy::experiments and canopy::studies do.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS
    "libfmt-dev, libtomlplusplus-dev, libtbb-dev, libsqlite3-dev, libpq5")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "The command-line tool, and canopy.service for systemd.")
set(CPACK_COMPONENT_MPI_DESCRIPTION "Experiments and policy search on many machines.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "The C++ libraries and their headers.")
# libpq is loaded when a program opens a store in PostgreSQL, which dpkg-shlibdeps cannot see.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS libpq5)
include(CPack)

# Builds what the packages contain, without tests and benchmarks.
add_custom_target(canopy_packages
  DEPENDS canopy_tool canopy_package_canopy canopy_package_family canopy_package_files canopy_package_experiments canopy_package_studies)
if(TARGET canopy_mpi_tool)
  add_dependencies(canopy_packages canopy_mpi_tool)
endif()
