"""Shared fixtures. The tests use the installed package: the sources are not on the path."""

import os
import pathlib
import signal

import matplotlib
import pytest
from hypothesis import settings

from service import new_database

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).parents[2]

# The same examples in every run, so that a failure is due to a change; random ones if more examples are requested.
settings.register_profile(
    "default",
    deadline=None,
    max_examples=int(os.environ.get("CANOPY_EXAMPLES", "60")),
    derandomize="CANOPY_EXAMPLES" not in os.environ,
    print_blob=True,
)
settings.load_profile("default")


@pytest.fixture
def root():
    """The root of the project."""
    return ROOT


@pytest.fixture
def store(tmp_path):
    """The path of a store that does not exist yet."""
    return str(tmp_path / "canopy.db")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The address of an empty PostgreSQL database, on a private server that ends with the tests."""
    with new_database(tmp_path_factory.mktemp("postgres")) as address:
        yield address


@pytest.fixture(autouse=True, scope="session")
def listen_to_ctrl_c():
    """Restores SIGINT, which programs started in the background of a shell ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
