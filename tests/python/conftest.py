"""What the tests share. They test the installed package: nothing here puts the sources on the path."""

import os
import pathlib
import signal

import matplotlib
import pytest
from hypothesis import settings

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).parents[2]

settings.register_profile(
    "default", deadline=None, max_examples=int(os.environ.get("CANOPY_EXAMPLES", "60")), print_blob=True
)
settings.load_profile("default")


@pytest.fixture
def root():
    """The root of the project."""
    return ROOT


@pytest.fixture
def store(tmp_path):
    """The path of a store that is not there yet."""
    return str(tmp_path / "canopy.db")


@pytest.fixture(autouse=True, scope="session")
def listen_to_ctrl_c():
    """A program that a shell has started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
