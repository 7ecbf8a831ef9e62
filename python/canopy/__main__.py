"""The command line: `canopy` once the package is installed, or `python -m canopy`."""

from __future__ import annotations

import os
import pathlib
import sys

TOOL = pathlib.Path(__file__).with_name("_tool")


def main() -> None:
    """Replaces this process by the command-line tool, a separate program in the package."""
    if not TOOL.exists():
        sys.exit(
            f"canopy: the command-line tool is missing from this installation ({TOOL}); "
            "`make build` in a clone of canopy builds it as build/canopy"
        )
    os.execv(TOOL, [str(TOOL), *sys.argv[1:]])


if __name__ == "__main__":
    main()
