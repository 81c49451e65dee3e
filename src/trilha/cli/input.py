"""Reads files that people pass to commands. Every problem becomes one sentence."""

from pathlib import Path
from typing import Any

import msgspec
import yaml

from trilha.cli.output import CommandError

# Far more than a course needs. PyYAML composes recursively in C, and 100,000 levels would crash the
# process.
_MAX_DEPTH = 100
_MAX_BYTES = 16 << 20
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_json(path: Path) -> Any:
    """Raises CommandError."""
    try:
        return msgspec.json.decode(read_bytes(path))
    except (ValueError, RecursionError):
        raise CommandError(f"{path} is not JSON.") from None


def read_yaml(path: Path) -> Any:
    """Reads YAML or JSON, each with its own parser, because their escapes differ. Raises CommandError."""
    raw = read_bytes(path)
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        pass
    try:
        _check_depth(raw)
        return msgspec.yaml.decode(raw)
    # PyYAML does not wrap the errors of values that look like a date, a number or a name.
    except Exception as error:
        said = " ".join(str(error).split())
        raise CommandError(f"{path} is neither YAML nor JSON: {said[:500]}") from None


def read_bytes(path: Path, limit: int = _MAX_BYTES) -> bytes:
    """Raises CommandError."""
    try:
        with path.open("rb") as file:
            raw = file.read(limit + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({error.strerror}).") from None
    if len(raw) > limit:
        raise CommandError(f"{path} is larger than {limit >> 20} MiB.")
    return raw


def _check_depth(raw: bytes) -> None:
    depth = 0
    for event in yaml.parse(raw, _Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise ValueError(f"it is nested deeper than {_MAX_DEPTH} levels")
