"""Builds SCORM packages of any size, and their files."""

import random
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

MIB = 1024 * 1024
_MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
 xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="o1"><organization identifier="o1"><title>Bench</title>
<item identifier="i1" identifierref="r1"><title>Part</title></item></organization></organizations>
<resources><resource identifier="r1" type="webcontent" adlcp:scormType="sco" href="index.html">
<file href="index.html"/></resource></resources></manifest>
"""
# The files that a course of an authoring tool loads when it opens, by size in bytes.
SERVED = {"index.html": 3_000, "lib/player.js": 120_000, "style.css": 24_000, "images/a.png": 60_000}


def make(path: Path, total: int) -> Path:
    """Builds a package. Half of its bytes are incompressible media in files of 4 MiB; the rest is scripts."""
    chance = random.Random(total)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("imsmanifest.xml", _MANIFEST)
        for name, size in SERVED.items():
            file.writestr(name, text(chance, size))
        left = total
        number = 0
        while left > 0:
            media = number % 20 == 0
            size = min(left, 4 * MIB if media else 200_000)
            name = f"media/{number}.mp4" if media else f"story/{number}.js"
            kind = ZIP_STORED if media else ZIP_DEFLATED
            file.writestr(name, chance.randbytes(size) if media else text(chance, size), kind)
            left -= size
            number += 1
    return path


def text(chance: random.Random, size: int) -> bytes:
    """Returns text that compresses like a script."""
    words = [chance.randbytes(6).hex().encode() for _ in range(400)]
    return b" ".join(chance.choices(words, k=size // 13 + 1))[:size]
