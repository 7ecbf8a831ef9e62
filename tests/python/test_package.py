import doctest
import importlib
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import typing
import zipfile

import canopy
import pytest

HEAVY = ["matplotlib", "gymnasium", "optuna", "pandas", "numpy", "scipy", "sklearn"]


def test_it_is_the_installed_package_that_is_tested(root):
    assert root not in pathlib.Path(canopy.__file__).parents or "site-packages" in canopy.__file__


def test_importing_pulls_nothing_heavy_in():
    code = f"import canopy, sys; print([name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def test_searching_needs_no_other_library():
    code = (
        f"import sys\nfor name in {HEAVY}: sys.modules[name] = None\n"
        "import canopy\n"
        "result = canopy.maximize(lambda x: x, {'x': canopy.real(0, 1)}, pulls=50)\n"
        "canopy.simulate('garland', steps=100, runs=2)\n"
        "try: result.to_frame()\n"
        "except ImportError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown == "to_frame needs pandas: pip install pandas\n"


def test_what_a_bridge_needs_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['optuna'] = None\n"
        "import canopy\n"
        "for name in ('plot', 'optuna'):\n"
        "    try: getattr(canopy, name)\n"
        "    except ImportError as error: print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "canopy.plot needs matplotlib: pip install matplotlib" in shown
    assert "canopy.optuna needs optuna: pip install optuna" in shown


MODULES = [
    "",
    ".intervals",
    "._experiment",
    "._optimizers",
    "._partition",
    "._policy",
    "._remote",
    "._search",
    "._simulation",
    "._space",
    "._studies",
    ".gymnasium",
    ".optuna",
    ".plot",
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_tell_the_truth(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module("canopy" + name)
    failed, tried = doctest.testmod(module, extraglobs={"canopy": canopy}, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0 or name == ".plot"


def test_everything_public_has_a_docstring():
    for name in canopy.__all__:
        public = getattr(canopy, name)
        is_alias = typing.get_origin(public) is typing.Literal  # an alias cannot have a docstring
        assert is_alias or inspect.getdoc(public), name
        if inspect.isclass(public) and public.__module__.startswith("canopy"):
            for method, function in vars(public).items():
                if inspect.isfunction(function) and not method.startswith("_"):
                    assert inspect.getdoc(function), f"{name}.{method}"


def test_stubs_and_marker_are_installed():
    folder = pathlib.Path(canopy.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_canopy.pyi").exists()


def test_the_stub_lists_what_the_module_has():
    from canopy import _canopy

    stub = (pathlib.Path(canopy.__file__).parent / "_canopy.pyi").read_text()
    for name in dir(_canopy):
        if not name.startswith("__"):
            assert f" {name}(" in stub or f" {name}:" in stub or f"\n{name}:" in stub, name


def test_the_version_is_that_of_the_library(root):
    assert f"VERSION {canopy.__version__} " in (root / "CMakeLists.txt").read_text()


def test_an_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'plots'"):
        _ = canopy.plots
    assert "plot" in dir(canopy) and "optuna" in dir(canopy)


def blocks(page, language):
    """The blocks of a page in some language."""
    return [block.split("\n```")[0] for block in page.split(f"```{language}\n")[1:]]


def test_the_readme_prints_what_it_says(root):
    page = (root / "README.md").read_text()
    section = page.split("## Eight lines")[1].split("\n## ")[0]
    (code,), (shown,) = blocks(section, "python"), blocks(section, "text")
    assert (
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == shown + "\n"
    )


def test_the_first_steps_of_the_guide_run(root):
    page = (root / "docs/python.md").read_text()
    code = blocks(page.split("## Ask and tell")[1], "python")[0]
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.startswith("x = 0.3") and " at 95 %), " in shown


def test_the_contexts_of_the_guide_print_what_it_says(root):
    section = (root / "docs/python.md").read_text().split("## Contexts")[1].split("\n## ")[0]
    (code,), (shown,) = blocks(section, "python"), blocks(section, "text")
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == shown + "\n"


def test_the_experiments_of_the_guide_print_what_it_says(root):
    section = (root / "docs/python-experiments.md").read_text().split("## Experiments: experiment")[1].split("\n## ")[0]
    (code, own), (shown,) = blocks(section, "python"), blocks(section, "text")

    def printed(program):
        return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    def without_times(text):  # whose columns end where the parameters begin
        return [(line[:61] + line[79:]).rstrip() if line.startswith("  ") else line for line in text.splitlines()]

    assert without_times(printed(code)) == without_times(shown)
    assert "EpsilonGreedy" in printed(own)


def test_the_sdist_has_all_that_building_takes(root, tmp_path, monkeypatch):
    from scikit_build_core import build

    monkeypatch.chdir(root)
    archive = tmp_path / build.build_sdist(str(tmp_path))
    shutil.unpack_archive(archive, tmp_path)
    source = tmp_path / archive.name.removesuffix(".tar.gz")
    assert not (source / "tests").exists() and not (source / "examples").exists()
    words = ["cmake", "-S", source, "-B", tmp_path / "build", "-DCANOPY_PYTHON=ON", "-DCANOPY_TOOL=OFF"]
    subprocess.run([*words, f"-DPython_EXECUTABLE={sys.executable}"], check=True, capture_output=True)


def test_the_wheel_holds_the_package_and_nothing_else(root):
    folder = pathlib.Path(os.environ.get("CANOPY_WHEEL", root / "build/wheel"))
    (wheel,) = folder.glob("*.whl")
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert names == {"canopy", f"canopy_tune-{canopy.__version__}.dist-info"}
