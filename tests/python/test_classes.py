"""The classes of optimizers, which are generated from the catalogue in C++."""

import importlib.util
import inspect

import canopy
import pytest
from canopy import _canopy

X = {"x": canopy.real(0, 1)}


@pytest.fixture
def script(root):
    """The script that generates the classes."""
    spec = importlib.util.spec_from_file_location("python_classes", root / "scripts/python_classes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_classes_are_those_of_the_catalogue(script, root):
    for name, text in script.of_module(_canopy).items():
        assert (root / "python/canopy" / name).read_text() == text, "the catalogue has changed: run `make classes`"


def test_the_document_has_a_table_of_all_of_them(script, root):
    written = (root / "docs/python.md").read_text()
    catalogue = _canopy.optimizer_catalogue()
    assert written == script.with_table(written, catalogue), "the catalogue has changed: run `make classes`"
    assert all(f"| `{script.class_name(entry['name'])}` | `{entry['name']}` | " in written for entry in catalogue)


def test_a_class_says_which_partitions_it_takes(script):
    for entry in _canopy.optimizer_catalogue():
        says = " ".join(getattr(canopy, script.class_name(entry["name"])).__doc__.split())
        assert ("- partition: how a cell is cut" in says and '"random_cut/2@7"' in says) == entry["has_tree"]
        assert ("a `Partition` of your own" in says) == entry["takes_partitions"]


def test_every_optimizer_of_the_catalogue_has_a_class_that_makes_it(script):
    for entry in _canopy.optimizer_catalogue():
        made = getattr(canopy, script.class_name(entry["name"]))
        opt = made(X)
        assert opt.optimizer_name == entry["name"] and type(opt.copy()) is made
        assert type(canopy.make_optimizer(entry["name"], X)) is made
        assert made.__name__ in canopy.__all__


def test_a_class_has_the_options_and_defaults_of_its_entry():
    for entry in _canopy.optimizer_catalogue():
        made = type(canopy.make_optimizer(entry["name"], X))
        arguments = inspect.signature(made).parameters
        assert all(arguments[field["name"]].kind is inspect.Parameter.KEYWORD_ONLY for field in entry["fields"])
        with_all = {field["name"]: arguments[field["name"]].default for field in entry["fields"]}
        assert made(X, **with_all).options == made(X).options
        assert all(f"- {field['name']}: {field['help']}" in " ".join(made.__doc__.split()) for field in entry["fields"])


def test_names_are_camel_case(script):
    for name, expected in [("hct", "Hct"), ("random", "RandomSearch"), ("kl-ucb", "KlUcb"), ("two_words", "TwoWords")]:
        assert script.class_name(name) == expected


def test_an_entry_becomes_types(script):
    word = {"name": "kind", "help": "which", "kind": "word", "range": "a number", "words": ["a", "b"]}
    whole = {"name": "horizon", "help": "pulls", "kind": "whole", "range": "a whole number from 1 to 9", "words": []}
    fields = [word | {"unset": "", "optional": False, "default": "b"}]
    fields.append(whole | {"unset": "doubling", "optional": True, "default": None})
    assert [script.type_of(field) for field in fields] == ['Literal["a", "b"]', 'int | Literal["doubling"]']
    assert [script.default_of(field) for field in fields] == ['"b"', '"doubling"']
    text = script.class_text({"name": "new-one", "line": "does it", "fields": fields, "has_tree": False})
    assert 'class NewOne(Optimizer):\n    """Does it.\n' in text
    assert "    - horizon: pulls; a whole number from 1 to 9.\n" in text
    assert "partition" not in text


def test_a_class_says_what_an_option_is_unless_it_is_given(script):
    assert 'nu1 rho^h in a cell at depth h; by default 4, or 1 with preset "paper".' in says(canopy.Hct)
    assert "- rho: see nu1; in (0, 1); by default 0.5 for one parameter, 0.7071 for two." in says(canopy.Poo) + says(
        canopy.Hoo
    )
    for entry in _canopy.optimizer_catalogue():
        made = getattr(canopy, script.class_name(entry["name"]))
        for field in entry["fields"]:
            if field["default"] is None and not field["unset"] and field["name"] != "seed":
                line = says(made).split(f"- {field['name']}: ")[1].split(". - ")[0]
                assert "; by default " in line, (entry["name"], field["name"])


def says(made):
    return " ".join(made.__doc__.split())
