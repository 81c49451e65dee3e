"""Addresses inside a package: how `xml:base`, `href` and `parameters` make one (RFC 3986, section 5)."""

import posixpath
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote, urljoin

from msgspec import Struct

from trilha.training.scorm.package.paths import normal

# urljoin needs an origin, and this one cannot exist (RFC 2606).
_ROOT = "http://package.invalid/"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# Characters that a URL may have unquoted in its path, and after it (RFC 3986, section 3). Quotes are
# quoted.
_IN_PATH = "/!$()*,;=:@~+"
_BEHIND = _IN_PATH + "?&%[]|"
# The limit for all parts of an address together, because a part that is once in a manifest may apply to each
# of its files.
_LONGEST = 4096


class NotInside(ValueError):
    """The address does not lead into the package: it has a scheme or a host, or leaves the root."""


class Launch(Struct, frozen=True):
    """Where an item begins. `path` is that of a file; `query` and `fragment` come without `?` and `#`."""

    path: str
    query: str = ""
    fragment: str = ""

    @property
    def url(self) -> str:
        """The address relative to the package's root, quoted."""
        query = f"?{self.query}" if self.query else ""
        return quote(self.path, safe=_IN_PATH) + query + (f"#{self.fragment}" if self.fragment else "")


def resolve(bases: Sequence[str], href: str, parameters: str = "") -> Launch:
    """Resolves an href below these bases, the outermost first. Raises NotInside.

    The parameters go before a fragment, joined by `?` or `&`. The path stays as written, quoted or not:
    `candidates` tells which file it means.
    """
    if sum(map(len, (*bases, href, parameters))) > _LONGEST:
        raise NotInside("an address of such a length")
    address = ""
    for part in (*bases, href):
        address = _below(address, part.strip().replace("\\", "/"))
    address, _, fragment = address.partition("#")
    path, _, query = address.partition("?")
    added, _, added_fragment = parameters.strip().lstrip("?&").partition("#")
    return Launch(
        path,
        quote("&".join(each for each in (query, added) if each), safe=_BEHIND),
        quote(fragment or added_fragment, safe=_BEHIND),
    )


def candidates(path: str) -> list[str]:
    """The files that the path of an address may mean, the most likely first."""
    return [normal(unquote(path)), normal(path)]


def _below(base: str, part: str) -> str:
    control = any(ord(each) < 32 for each in part)
    if control or part.startswith("//") or _SCHEME.match(part) or _leaves(base, part):
        raise NotInside(part)
    return urljoin(_ROOT + base, part).removeprefix(_ROOT)


def _leaves(base: str, part: str) -> bool:
    """Whether the part goes above the root, where urljoin would silently stay."""
    path = unquote(re.split("[?#]", part)[0])
    folder = "" if path.startswith("/") else posixpath.dirname(unquote(re.split("[?#]", base)[0]))
    return posixpath.normpath(posixpath.join(folder, path.lstrip("/"))).split("/")[0] == ".."
