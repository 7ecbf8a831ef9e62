"""pandas, which is imported only when it is used."""

from __future__ import annotations

from typing import Any


def import_pandas() -> Any:
    """pandas, if it is installed."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pandas
