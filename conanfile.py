"""Builds canopy for programs that take their libraries from Conan 2: docs/packaging.md."""

import pathlib
import re
from typing import ClassVar

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Canopy(ConanFile):
    name = "canopy"
    description = "Finds and holds the best setting of a knob while the system runs"
    license = "MIT"
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    options: ClassVar = {
        "tool": [True, False],  # with the command-line tool, canopy::experiments and canopy::studies
        "system_libs": [True, False],  # libraries from the system instead of Conan
    }
    default_options: ClassVar = {
        "tool": False,
        "system_libs": False,
        "boost/*:header_only": True,
    }
    exports = "CMakeLists.txt"
    exports_sources = (
        "CMakeLists.txt",
        "LICENSE",
        "cmake/*",
        "include/*",
        "packaging/*",
        "src/*",
        "web/*",
        "!web/node_modules/*",
        "!web/dist/*",
    )

    def set_version(self):
        project = pathlib.Path(self.recipe_folder, "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(canopy VERSION ([0-9.]+)", project)[1]

    def requirements(self):
        """Random123, which Conan does not have, is fetched where it is not installed: cmake/sources.cmake."""
        if not self.options.system_libs:
            self.requires("boost/1.81.0")

    def validate(self):
        if self.options.tool and not self.options.system_libs:
            raise ConanInvalidConfiguration("tool=True takes its libraries from the system: add system_libs=True")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CANOPY_TOOL"] = bool(self.options.tool)
        toolchain.cache_variables["CANOPY_FETCH"] = True
        toolchain.cache_variables["CMAKE_UNITY_BUILD"] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        """Programs use the CMake package that canopy itself installs."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/canopy"]
