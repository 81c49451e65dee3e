"""Finds the surface that handles a URL."""

from collections.abc import Sequence

from trilha.core.web.surface import Surface

Mount = tuple[str, Surface]  # a path prefix and its surface


class Mounts:
    """Surfaces by prefix. The longest prefix wins, and surfaces with a host come before those without."""

    def __init__(self, surfaces: Sequence[Surface]) -> None:
        mounts: list[Mount] = sorted(
            ((prefix, surface) for surface in surfaces for prefix in surface.prefixes),
            key=lambda mount: (mount[1].host is None, -len(mount[0])),
        )
        # Indexed by the first segment: one look-up is quicker than comparing a path with every prefix.
        self._usual = [mount for mount in mounts if not mount[0]]
        self._by_segment = {
            segment: [mount for mount in mounts if not mount[0] or _first_segment(mount[0]) == segment]
            for segment in {_first_segment(prefix) for prefix, _ in mounts if prefix}
        }

    def find(self, path: str, host: str) -> tuple[Surface, str]:
        """Returns the surface and the path within it. Raises LookupError if there is no fallback surface."""
        for prefix, surface in self._by_segment.get(_first_segment(path), self._usual):
            if surface.host is not None and not surface.host(host):
                continue
            if not prefix or path == prefix or path.startswith(f"{prefix}/"):
                return surface, path[len(prefix) :]
        raise LookupError(path)


def _first_segment(path: str) -> str:
    return path[1:].partition("/")[0]
