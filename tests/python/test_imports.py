"""The imports between modules of the package."""

import ast
import pathlib

import canopy

PACKAGE = pathlib.Path(canopy.__file__).parent


def imported_by(path, modules):
    """The modules of the package that a file imports: anywhere, including in functions and only for type checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("canopy.") for alias in node.names if alias.name.startswith("canopy"))
        elif isinstance(node, ast.ImportFrom) and (
            node.level == 1 or (node.module or "").partition(".")[0] == "canopy"
        ):
            module = node.module or "" if node.level else node.module.partition(".")[2]
            names = [module] if module else [alias.name for alias in node.names]
            yield from (name if name in modules else "__init__" for name in names)


def cycle_in(graph):
    """Modules with circular imports; empty if there are none."""
    finished = set()

    def visit(module, path):
        if module in path:
            return [*path[path.index(module) :], module]
        if module in finished:
            return []
        for other in graph[module]:
            if found := visit(other, [*path, module]):
                return found
        finished.add(module)
        return []

    return next((found for module in graph if (found := visit(module, []))), [])


def test_a_cycle_is_found():
    assert cycle_in({"a": ["b"], "b": ["c"], "c": []}) == []
    assert cycle_in({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]


def test_no_modules_import_each_other():
    modules = {path.stem: path for path in [*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi")]}
    graph = {name: sorted(set(imported_by(path, modules))) for name, path in modules.items()}
    assert "_canopy" in graph["_search"] and "_search" in graph["__init__"]
    assert cycle_in(graph) == []
