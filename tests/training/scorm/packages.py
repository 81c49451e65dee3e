"""Builds packages for tests: ordinary, unusual and hostile ones."""

import io
import stat
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

NAMESPACES = {
    "1.2": 'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"'
    ' xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"',
    "2004": 'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"'
    ' xmlns:imsss="http://www.imsglobal.org/xsd/imsss" xmlns:adlseq="http://www.adlnet.org/xsd/adlseq_v1p3"'
    ' xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3"',
}
# The smallest page that can find its runtime.
PAGE = "<!doctype html><title>Page</title><script>var api = window.parent.API; api.LMSInitialize('')</script>"
Files = Sequence[tuple[str, str | bytes]]


def item(identifier: str, inner: str = "", *, title: str = "Part", ref: str | None = "", **given: str) -> str:
    """`ref` is the resource's identifier: `r-` and the item's own by default; None for a folder."""
    reference = "" if ref is None else f' identifierref="{ref or "r-" + identifier}"'
    more = "".join(f' {name}="{value}"' for name, value in given.items())
    return f'<item identifier="{identifier}"{reference}{more}><title>{title}</title>{inner}</item>'


def resource(
    identifier: str, href: str, *, sco: bool = True, more: str = "", files: Iterable[str] = ()
) -> str:
    kind = "sco" if sco else "asset"
    inner = "".join(f'<file href="{each}"/>' for each in files)
    return (
        f'<resource identifier="{identifier}" type="webcontent" adlcp:scormType="{kind}" href="{href}"{more}>'
        f"{inner}</resource>"
    )


def manifest(
    items: str | None = None,
    resources: str | None = None,
    *,
    version: str = "1.2",
    schemaversion: str | None = None,
    title: str = "Safety at height",
    head: str = '<?xml version="1.0" encoding="UTF-8"?>',
    organizations: str | None = None,
    more: str = "",
    bases: tuple[str, str] = ("", ""),
) -> str:
    """Builds a manifest, by default with one part that starts with index.html."""
    said = {"1.2": "1.2", "2004": "2004 4th Edition"}[version] if schemaversion is None else schemaversion
    whole = f'<organization identifier="o1"><title>{title}</title>{items or item("i1")}{more}</organization>'
    inner = f'<organizations default="o1">{whole}</organizations>' if organizations is None else organizations
    return (
        f'{head}<manifest identifier="m1" {NAMESPACES[version]}{bases[0]}>'
        f"<metadata><schema>ADL SCORM</schema><schemaversion>{said}</schemaversion></metadata>{inner}"
        f"<resources{bases[1]}>{resources or resource('r-i1', 'index.html')}</resources></manifest>"
    )


def zipped(files: Files, method: int = ZIP_DEFLATED) -> bytes:
    raw = io.BytesIO()
    with warnings.catch_warnings(), ZipFile(raw, "w", method) as file:
        warnings.simplefilter("ignore")  # names that already exist
        for name, content in files:
            file.writestr(name, content)
    return raw.getvalue()


def package(*more: tuple[str, str | bytes], xml: str | bytes | None = None) -> bytes:
    """Builds a good package with additional files."""
    return zipped([("imsmanifest.xml", xml or manifest()), ("index.html", PAGE), *more])


def with_entry(info: ZipInfo, content: bytes = b"x") -> bytes:
    raw = io.BytesIO(package())
    with ZipFile(raw, "a") as file:
        file.writestr(info, content)
    return raw.getvalue()


def unix_entry(name: str, kind: int) -> bytes:
    """Builds one with an entry of this Unix file type."""
    info = ZipInfo(name)
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    return with_entry(info, b"/etc/passwd")


def raw_name(name: bytes, xml: str) -> bytes:
    """Builds one with a file whose name is these bytes, without the UTF-8 flag."""
    stand_in = b"N" * len(name)
    return package((stand_in.decode(), "x"), xml=xml).replace(stand_in, name)


def encrypted() -> bytes:
    raw = bytearray(package(("secret.html", "x")))
    directory = raw.rindex(b"PK\x01\x02")
    (flags,) = struct.unpack_from("<H", raw, directory + 8)
    struct.pack_into("<H", raw, directory + 8, flags | 1)
    return bytes(raw)


def broken() -> bytes:
    """Builds one with a file that does not match its checksum."""
    return package(("a.bin", "x")).replace(zlib.crc32(b"x").to_bytes(4, "little"), bytes(4))


def overlapping() -> bytes:
    """Builds one with two entries that share the same bytes."""
    raw = bytearray(package(("a.bin", "same"), ("b.bin", "same")))
    last = raw.rindex(b"PK\x01\x02")
    earlier = raw.rindex(b"PK\x01\x02", 0, last)
    raw[last + 42 : last + 46] = raw[earlier + 42 : earlier + 46]
    return bytes(raw)


def bomb(megabytes: int) -> bytes:
    raw = io.BytesIO(package())
    with ZipFile(raw, "a", ZIP_DEFLATED) as file, file.open("zeros.bin", "w", force_zip64=True) as zeros:
        for _ in range(megabytes):
            zeros.write(bytes(1 << 20))
    return raw.getvalue()


def lying(content: bytes, says: int) -> bytes:
    """Builds one with a file whose stated size is wrong."""
    raw = bytearray(package(("liar.bin", content)))
    struct.pack_into("<I", raw, raw.rindex(b"PK\x01\x02") + 24, says)
    return bytes(raw)


def crowd(count: int) -> bytes:
    return zipped([("imsmanifest.xml", manifest()), *((f"d/{n}", b"") for n in range(count))], ZIP_STORED)


def laughs() -> str:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return manifest(title="&l9;", head=f'<?xml version="1.0"?><!DOCTYPE m [<!ENTITY l0 "ha">{levels}]>')


def outside() -> str:
    return manifest(title="&x;", head='<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>')


SERVICE_WORKER = "<script>navigator.serviceWorker.register('sw.js')</script>"
LINK = stat.S_IFLNK
PIPE = stat.S_IFIFO
DEVICE = stat.S_IFCHR

# By the error code of each. They are built on demand, because every process imports this module.
HOSTILE: Mapping[str, Callable[[], bytes]] = {
    "not_a_zip": lambda: b"<html>This is no zip</html>",
    "damaged": broken,
    "encrypted": encrypted,
    "compression_unknown": lambda: zipped(
        [("imsmanifest.xml", manifest()), ("index.html", PAGE)], zipfile.ZIP_BZIP2
    ),
    "too_many_entries": lambda: crowd(20_001),
    "bomb": lambda: bomb(12),
    "overlap": overlapping,
    "symbolic_link": lambda: unix_entry("link", LINK),
    "not_a_file": lambda: unix_entry("pipe", PIPE),
    "name_leaves_package": lambda: package(("a/../../evil.txt", "x")),
    "absolute_name": lambda: package(("/evil.txt", "x")),
    "reserved_name": lambda: package(("css/aux.css", "x")),
    "control_character_in_name": lambda: package(("a\x01b.html", "x")),
    "too_deep": lambda: package(("d/" * 31 + "x.html", "x")),
    "name_too_long": lambda: package(("é" * 121, "x")),
    "duplicate_name": lambda: package(("a.html", "1"), ("a.html", "2")),
    "names_differ_in_case": lambda: package(("a.html", "1"), ("A.html", "2")),
    "file_and_folder": lambda: package(("a", "1"), ("a/b.html", "2")),
    "no_manifest": lambda: zipped([("index.html", PAGE)]),
    "another_standard": lambda: zipped([("tincan.xml", "<tincan/>")]),
    "zip_in_zip": lambda: zipped([("course.zip", package())]),
    "several_manifests": lambda: zipped(
        [("a/imsmanifest.xml", manifest()), ("b/imsmanifest.xml", manifest())]
    ),
    "manifest_too_large": lambda: package(xml=b"<manifest>" + b" " * (8 << 20) + b"</manifest>"),
    "too_many_items": lambda: package(xml=manifest(item("same") * 1501)),
    "manifest_has_dtd": lambda: package(xml=outside()),
    "manifest_broken": lambda: package(xml="<manifest><title></manifest>"),
    "nothing_to_launch": lambda: package(xml=manifest(resources=resource("r-i1", ""))),
    "launch_outside": lambda: package(xml=manifest(resources=resource("r-i1", "javascript:alert(1)"))),
    "launch_missing": lambda: package(xml=manifest(resources=resource("r-i1", "lost.html"))),
    "service_worker": lambda: zipped([("imsmanifest.xml", manifest()), ("index.html", SERVICE_WORKER)]),
}


def written(folder: Path, raw: bytes, name: str = "course.zip") -> Path:
    path = folder / name
    path.write_bytes(raw)
    return path
