#!/usr/bin/env python3
"""Writes the components of a program as a CycloneDX document (an SBOM), from the files that the build has read.

Headers come from the dependencies that ninja recorded for the program's objects, static libraries from its link
command, and their versions and licences from the Debian or Python packages that they belong to; libraries that are
compiled into the live page come from web/package-lock.json. Shared libraries of the program are listed with --shared.

usage: sbom.py --build FOLDER --target NAME [--shared] (--out FILE | --list)
"""

import argparse
import datetime
import email
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Debian's short names of licences, and the SPDX identifiers.
SPDX = {
    "apache-2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache-2": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsl-1.0": "BSL-1.0",
    "boost-1.0": "BSL-1.0",
    "expat": "MIT",
    "expat with embedded exception": "MIT",
    "isc": "ISC",
    "lgpl-2.1-or-later": "LGPL-2.1-or-later",
    "mit": "MIT",
    "mit/x11": "MIT",
    "ofl-1.1": "OFL-1.1",
    "postgresql": "PostgreSQL",
}
# Packages whose headers are used but whose libraries are not compiled in: shared libraries of the system, and libpq.
NOT_COMPILED_IN = re.compile(r"^(libc6(-dev)?|linux-libc-dev|libcrypt.*|libpq-dev|libtbb-dev|libopenmpi-dev)$")


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def files_of(build, target):
    """All third-party files that the target was compiled from or linked with."""
    inputs = set(run("ninja", "-C", build, "-t", "inputs", target).split("\n"))
    files, mine = set(), False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            mine = line.split(":")[0] in inputs
        elif mine and line.strip():
            files.add(line.strip())
    files |= {name for name in inputs if name.endswith(".a")}
    outside = set()
    for name in files:
        path = os.path.realpath(os.path.join(build, name))
        if not path.startswith(f"{ROOT}/") or "/site-packages/" in path:
            outside.add(path)
    return outside


@functools.cache
def debian_packages():
    """The Debian package of each file that dpkg knows."""
    found = {}
    for listing in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        package = listing.stem.split(":")[0]
        for line in listing.read_text().splitlines():
            found[line] = package
    return found


def package_of(path):
    known = debian_packages()
    usr_merged = path.removeprefix("/usr")
    return known.get(path) or known.get(usr_merged)


def debian_license(copyright_file):
    """The licence of `Files: *`, which covers most files, or else the first licence."""
    text = copyright_file.read_text(errors="replace")
    stanza = re.search(r"^Files: \*\n(?:.+\n)*?License: *(.+)$", text, re.MULTILINE)
    first = stanza or re.search(r"^License: *(.+)$", text, re.MULTILINE)
    return first[1].strip() if first else "see the copyright file"


def debian_component(package):
    version, source = run("dpkg-query", "-W", "-f=${Version}\t${source:Package}\n", package).splitlines()[0].split("\t")
    copyright_file = pathlib.Path("/usr/share/doc", package, "copyright")
    if package.startswith(("libstdc++", "libgcc", "gcc-")):  # with the exception for code that is linked into programs
        name = "GPL-3.0-or-later WITH GCC-exception-3.1"
    elif package == "libc6":
        name = "LGPL-2.1-or-later"
    else:
        name = debian_license(copyright_file)
    return {
        "name": package,
        "version": version,
        "license": name,
        "file": str(copyright_file.resolve()),
        "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}",
        "source": source,
    }


def python_component(path):
    """The distribution in whose folder a header is, such as nanobind's."""
    folder, _, rest = path.partition("/site-packages/")
    module = rest.split("/")[0]
    for metadata in pathlib.Path(folder, "site-packages").glob(f"{module}-*.dist-info/METADATA"):
        fields = email.message_from_string(metadata.read_text(errors="replace"))
        license_of = fields.get("License-Expression") or next(
            (text.split(" :: ")[-1] for text in fields.get_all("Classifier", []) if text.startswith("License")),
            "unknown",
        )
        licenses = [*metadata.parent.rglob("LICENSE*")]
        return {
            "name": fields["Name"],
            "version": fields["Version"],
            "license": "BSD-3-Clause" if license_of.startswith("BSD") else license_of,
            "file": str(licenses[0]) if licenses else str(metadata),
            "purl": f"pkg:pypi/{fields['Name'].lower()}@{fields['Version']}",
        }
    return None


def page_components():
    """The npm packages that the page imports, with their dependencies."""
    lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    imported = set()
    for source in (ROOT / "web/src").rglob("*"):
        if source.suffix in (".ts", ".tsx", ".css"):
            for name in re.findall(r"""(?:from |import |url\()"((?:@[^/"]+/)?[^./"][^/"]*)""", source.read_text()):
                imported.add(name)
    todo = [name for name in imported if f"node_modules/{name}" in lock]
    seen = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += lock[f"node_modules/{name}"].get("dependencies", {})
    components = []
    for name in sorted(seen):
        entry = lock[f"node_modules/{name}"]
        licenses = [*(ROOT / "web/node_modules" / name).glob("LICENSE*"), ROOT / "web/package-lock.json"]
        components.append(
            {
                "name": name,
                "version": entry["version"],
                "license": entry["license"],
                "file": str(licenses[0]),
                "purl": f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}",
            }
        )
    return components


def shared_libraries(program):
    """The packages of the libraries that the dynamic linker loads with a program."""
    names = {package_of(os.path.realpath(path)) for path in re.findall(r"=> (/\S+)", run("ldd", program))}
    return [debian_component(name) for name in sorted(names - {None})]


def components_of(build, target):
    """The Debian, Python and npm packages whose files were compiled or linked in."""
    packages, found = set(), {}
    for path in files_of(build, target):
        if "/site-packages/" in path:
            component = python_component(path)
            found[component["name"]] = component
        elif name := package_of(path):
            packages.add(name)
    compiled_in = [name for name in sorted(packages) if not NOT_COMPILED_IN.match(name)]
    return [*map(debian_component, compiled_in), *found.values(), *page_components()]


def cyclonedx(component, scope="required"):
    name = component["license"]
    if " WITH " in name:
        licenses = [{"expression": name}]
    elif identifier := SPDX.get(name.lower()) or (name if name in SPDX.values() else None):
        licenses = [{"license": {"id": identifier}}]
    else:
        licenses = [{"license": {"name": name}}]
    return {
        "type": "library",
        "bom-ref": component["purl"],
        "name": component["name"],
        "version": component["version"],
        "scope": scope,
        "licenses": licenses,
        "purl": component["purl"],
    }


def document(name, version, components):
    now = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT))
    main = f"pkg:generic/{name}@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, main + json.dumps(components))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(now, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": main,
                "name": name,
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
                "purl": main,
            },
        },
        "components": components,
        "dependencies": [
            {"ref": main, "dependsOn": [component["bom-ref"] for component in components]},
            *({"ref": component["bom-ref"]} for component in components),
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="folder of a build by ninja")
    parser.add_argument("--target", required=True, action="append", help="ninja target of the program or module")
    parser.add_argument("--name", default="canopy")
    parser.add_argument("--shared", action="store_true", help="also list the shared libraries that it loads")
    parser.add_argument("--out", help="the file to write")
    parser.add_argument("--list", action="store_true", help="print name, version, licence and licence file instead")
    arguments = parser.parse_args()
    found = {}
    for target in arguments.target:
        found |= {component["purl"]: component for component in components_of(arguments.build, target)}
    if arguments.list:
        for component in found.values():
            print(*(component[key] for key in ("name", "version", "license", "file")), sep="\t")
        return
    components = [cyclonedx(component) for component in found.values()]
    if arguments.shared:
        for target in arguments.target:
            for component in shared_libraries(os.path.join(arguments.build, target)):
                if component["purl"] not in found:
                    found[component["purl"]] = component
                    components.append(cyclonedx(component, scope="required"))
    version = re.search(r"^project\(canopy VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    text = json.dumps(document(arguments.name, version, components), indent=2) + "\n"
    pathlib.Path(arguments.out).write_text(text)
    print(f"{arguments.out}: {len(components)} components", file=sys.stderr)


if __name__ == "__main__":
    main()
