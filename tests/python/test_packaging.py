"""The statements of docs/packaging.md that can be tested quickly; `make dist` and `make try-dist` test the others."""

import json
import pathlib
import re
import subprocess
import sys
import tarfile

import kubernetes_validate
import pytest
import yaml

SOURCE = re.compile(r"^canopy_source\((\w+) ([\d.]+)\s+(\S+)\s+(\w+)\)$", re.MULTILINE)


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def cmake_files(root):
    return [root / "CMakeLists.txt", *root.glob("cmake/*.cmake"), *root.glob("src/*/CMakeLists.txt")]


def version_of(root):
    return re.search(r"^project\(canopy VERSION ([\d.]+)", read(root / "CMakeLists.txt"), re.MULTILINE)[1]


def test_every_source_is_pinned_by_its_sha256(root):
    text = read(root / "cmake/sources.cmake")
    sources = SOURCE.findall(text)
    assert len(sources) == len(re.findall(r"^canopy_source\(", text, re.MULTILINE)) > 0
    for name, version, url, sha256 in sources:
        assert url.startswith("https://"), name
        assert re.fullmatch(r"[0-9a-f]{64}", sha256), name
        numbers = [part for part in version.split(".") if part != "0"]
        assert all(number in url for number in numbers), f"{name} {version} is not {url}"
    assert len({name for name, *_ in sources}) == len({sha256 for *_, sha256 in sources}) == len(sources)


def test_only_what_is_pinned_is_fetched(root):
    names = {name for name, *_ in SOURCE.findall(read(root / "cmake/sources.cmake"))}
    texts = {path: read(path) for path in cmake_files(root)}
    fetched = {name for text in texts.values() for name in re.findall(r"canopy_fetch\((\w+)\)", text)}
    fetched |= {name for text in texts.values() for name in re.findall(r"canopy_find_headers\(\w+ \S+ (\w+) ", text)}
    assert fetched == names
    assert [path.name for path, text in texts.items() if "FetchContent_" in text] == ["sources.cmake"]


def test_everything_installed_belongs_to_a_package(root):
    for path in cmake_files(root):
        for call in re.findall(r"^\s*install\([^)]*\)", read(path), re.MULTILINE):
            assert re.search(r"COMPONENT (tool|mpi|development|python)\b", call), f"{path}: {call}"


def test_vcpkg_is_told_what_cmake_looks_for(root):
    manifest = json.loads(read(root / "vcpkg.json"))
    entries = [*manifest["dependencies"], *manifest["features"]["tool"]["dependencies"]]
    named = {entry if isinstance(entry, str) else entry["name"] for entry in entries}
    assert {"boost-crc", "boost-math", "boost-random", "fmt", "nlohmann-json", "random123", "sqlite3"} <= named
    used = set()
    for path in [*root.glob("src/**/*.cpp"), *root.glob("src/**/*.hpp")]:
        used |= {"boost-" + name for name in re.findall(r"#include <boost/(\w+)", read(path))}
    assert used <= named


def fetch_fmt(root, folder, *settings):
    """A project that needs fmt and does not have it."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(wants_fmt LANGUAGES NONE)\nset(CANOPY_PYTHON ON)\n"
        f'include({root}/cmake/sources.cmake)\ncanopy_fetch(fmt)\nmessage(STATUS "fmt: ${{fmt_SOURCE_DIR}}")\n'
    )
    return subprocess.run(
        ["cmake", "-S", folder, "-B", folder / "build", *settings], capture_output=True, text=True, timeout=300
    )


def test_sources_can_be_given_instead_of_fetched(root, tmp_path):
    done = fetch_fmt(root, tmp_path, f"-DFETCHCONTENT_SOURCE_DIR_FMT={root}/docs")
    assert done.returncode == 0, done.stderr
    assert f"-- fmt: {root}/docs\n" in done.stdout


def test_an_archive_that_is_not_the_pinned_one_is_refused(root, tmp_path):
    version = next(version for name, version, *_ in SOURCE.findall(read(root / "cmake/sources.cmake")) if name == "fmt")
    with tarfile.open(tmp_path / f"fmt-{version}.tar.gz", "w:gz") as archive:
        archive.add(root / "LICENSE", "fmt/LICENSE")
    done = fetch_fmt(root, tmp_path, f"-DCANOPY_ARCHIVES={tmp_path}")
    assert done.returncode != 0
    assert "hash" in (done.stdout + done.stderr).lower()


def test_nothing_is_fetched_unless_it_may_be(root, tmp_path):
    done = fetch_fmt(root, tmp_path, "-DCANOPY_FETCH=OFF")
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "fmt was not found. Install it, or fetch its sources with -DCANOPY_FETCH=ON" in said


def test_the_sdist_has_all_that_cmake_needs(root, tmp_path):
    backend = pytest.importorskip("scikit_build_core.build")
    code = f"import {backend.__name__} as b; print(b.build_sdist({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, capture_output=True, timeout=300)
    (archive,) = tmp_path.glob("*.tar.gz")
    assert archive.name == f"canopy_tune-{version_of(root)}.tar.gz"
    with tarfile.open(archive) as files:
        files.extractall(tmp_path)
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    settings = ["-DCANOPY_PYTHON=ON", "-DCANOPY_TOOL=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", folder, "-B", tmp_path / "build", *settings],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_package_without_the_libraries_of_a_server_is_built_without_it(root, tmp_path):
    for without, has_server in (([], True), (["-DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON"], False)):
        settings = ["-DCANOPY_PYTHON=ON", "-DCANOPY_TOOL=OFF", f"-DPython_EXECUTABLE={sys.executable}", *without]
        folder = tmp_path / str(has_server)
        words = ["cmake", "-G", "Ninja", "-S", root, "-B", folder, *settings]
        shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=300).stdout
        assert ("the tool of this package has no server" in shown) != has_server
        assert ("/without_service.cpp" in read(folder / "build.ninja")) != has_server


def test_the_sbom_names_what_is_compiled_in(root):
    if not (root / "build/build.ninja").exists():
        pytest.skip("the tool was not built in build")
    words = [sys.executable, root / "scripts/sbom.py", "--build", root / "build", "--target", "canopy", "--list"]
    shown = subprocess.run(words, check=True, capture_output=True, text=True, timeout=300).stdout
    lines = [line.split("\t") for line in shown.splitlines()]
    licenses = {name: license for name, _, license, _ in lines}
    assert licenses["libcli11-dev"] == "BSD-3-clause"
    assert licenses["librandom123-dev"] == "BSD-3-clause"
    assert licenses["nlohmann-json3-dev"] == "Expat"
    assert licenses["preact"] == "MIT"
    assert licenses["internmap"] == "ISC"  # a dependency of d3-array
    assert not {"vite", "libgtest-dev", "libc6-dev"} & set(licenses)
    for name, version, license, file in lines:
        assert version and license and pathlib.Path(file).is_file(), name


def test_kubernetes_takes_the_manifests(root):
    objects = {}
    for path in (root / "packaging/kubernetes").glob("*.yaml"):
        for each in yaml.safe_load_all(read(path)):
            kubernetes_validate.validate(each, "1.31", strict=True)
            objects[each["kind"], each["metadata"]["name"]] = each
    for name, kind in {"canopy": "Deployment", "postgres": "StatefulSet"}.items():
        template = objects[kind, name]["spec"]["template"]
        service = objects["Service", name]["spec"]
        assert service["selector"].items() <= template["metadata"]["labels"].items()
        (container,) = template["spec"]["containers"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        assert [ports[port["targetPort"]] for port in service["ports"]] == [port["port"] for port in service["ports"]]
    version = objects["Deployment", "canopy"]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert version == f"canopy:{version_of(root)}"
