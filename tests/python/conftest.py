"""What the tests share. They test the installed package: nothing here puts the sources on the path."""

import glob
import os
import pathlib
import pwd
import signal
import subprocess
import time

import matplotlib
import pytest
from hypothesis import settings

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).parents[2]

# The same examples every time, so that a failure is due to the change; other ones where more of them are asked for.
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
    """The path of a store that is not there yet."""
    return str(tmp_path / "canopy.db")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The address of an empty database of PostgreSQL, on a server of its own that ends with the tests."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs:
        pytest.skip("PostgreSQL is not installed")
    folder = tmp_path_factory.mktemp("postgres")
    user = {}
    if os.geteuid() == 0:  # the server refuses to be root
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        for above in (folder.parent, folder.parent.parent):
            os.chmod(above, above.stat().st_mode | 0o011)
    data = str(folder / "data")
    make = ["initdb", "-D", data, "-U", "canopy", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
    serve = ["postgres", "-D", data, "-k", str(folder), "-c", "listen_addresses="]
    subprocess.run([f"{programs[-1]}/{make[0]}", *make[1:]], check=True, cwd=folder, capture_output=True, **user)
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(
            [f"{programs[-1]}/{serve[0]}", *serve[1:]], cwd=folder, stdout=log, stderr=log, **user
        )
    try:
        ready = [f"{programs[-1]}/pg_isready", "-q", "-h", str(folder)]
        for _ in range(500):
            if subprocess.run(ready).returncode == 0:
                break
            time.sleep(0.02)
        yield f"postgresql:///postgres?user=canopy&host={folder}"
    finally:
        server.send_signal(signal.SIGQUIT)
        server.wait()


@pytest.fixture(autouse=True, scope="session")
def listen_to_ctrl_c():
    """A program that a shell has started in the background ignores it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
