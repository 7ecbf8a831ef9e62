"""Checks CycloneDX documents against the schema: check_sbom.py FILE..."""

import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    if error := JsonStrictValidator(SchemaVersion.V1_5).validate_str(pathlib.Path(name).read_text()):
        sys.exit(f"{name}: {error}")
