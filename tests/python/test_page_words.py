"""The live page knows by heart what options are unless somebody says otherwise; they must be those of the catalogue."""

import json
import re
from pathlib import Path

import canopy
import pytest
from canopy import _canopy

SETUP = Path(__file__).parents[2] / "web" / "src" / "words" / "setup.ts"


NAMES = [entry["name"] for entry in _canopy.optimizer_catalogue()]


def page_defaults():
    """{optimizer: {option: default}} as the page has it; None where it depends on the number of parameters."""
    table = re.search(r"const OPTIMIZER_DEFAULTS[^=]*= (\{.*?\n\});", SETUP.read_text(), re.DOTALL)
    quoted = re.sub(r"(?<=[{,\s])(\w+):", r'"\1":', table[1])
    return json.loads(re.sub(r",(\s*\})", r"\1", quoted))


def test_the_page_knows_every_optimizer():
    assert sorted(page_defaults()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_knows_the_defaults_of(name):
    space = canopy.Adaptive({"x": canopy.real(0, 1)}).space
    known = {option: value for option, value in page_defaults()[name].items() if option != "partition"}
    options = _canopy.checked_options(name, {}, space, 1000)
    assert sorted(known) == sorted(options)
    for option, value in known.items():
        if value is not None and (option, value) != ("horizon", "doubling"):  # which is None in Python
            assert options[option] == value, option
