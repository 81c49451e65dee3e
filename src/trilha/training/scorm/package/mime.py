"""What a file is, by its name alone: browsers are told not to guess, and systems' own tables differ."""

import posixpath

from msgspec import Struct

UNKNOWN = "application/octet-stream"
_TYPES = {
    "text/html": "html htm xhtm",
    "application/xhtml+xml": "xhtml",
    "text/css": "css",
    "text/javascript": "js mjs cjs",
    "text/plain": "txt text log md",
    "text/csv": "csv",
    "text/vtt": "vtt",
    "application/x-subrip": "srt",
    "application/xml": "xml xsd dtd xsl xslt ttml dfxp",
    "application/json": "json map",
    "application/manifest+json": "webmanifest",
    "application/ld+json": "jsonld",
    "application/wasm": "wasm",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/rtf": "rtf",
    "application/epub+zip": "epub",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.apple.mpegurl": "m3u8",
    "application/dash+xml": "mpd",
    "application/x-shockwave-flash": "swf",
    "image/png": "png",
    "image/apng": "apng",
    "image/jpeg": "jpg jpeg jpe jfif",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/tiff": "tif tiff",
    "image/svg+xml": "svg",
    "image/x-icon": "ico cur",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/ogg": "oga ogg opus",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "audio/flac": "flac",
    "audio/midi": "mid midi",
    "video/mp4": "mp4 m4v",
    "video/webm": "webm",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "video/mp2t": "ts",
    "video/x-msvideo": "avi",
    "video/x-ms-wmv": "wmv",
    "video/x-flv": "flv f4v",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "font/ttf": "ttf",
    "font/otf": "otf",
    "font/collection": "ttc",
    "application/vnd.ms-fontobject": "eot",
    "model/gltf-binary": "glb",
    "model/gltf+json": "gltf",
}
_BY_EXTENSION = {extension: type for type, words in _TYPES.items() for extension in words.split()}
_ENCODINGS = {".br": "br", ".gz": "gzip"}
# The first bytes of Unity builds that were compressed beforehand.
_MAGIC = {b"\x1f\x8b": "gzip", b"\x6b\x8d\x00UnityWeb Compressed Content (brotli)": "br"}


class MediaType(Struct, frozen=True):
    """`encoding` is a Content-Encoding: the file is stored compressed, and the browser unpacks it."""

    type: str
    encoding: str = ""


def media_type(path: str, head: bytes = b"") -> MediaType:
    """`head` are the file's first bytes; they are asked only where its name leaves it open."""
    stem, extension = posixpath.splitext(path.lower())
    if extension == ".unityweb":
        packed = next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")
        return MediaType(_type(posixpath.splitext(stem)[1]), packed)
    inner = posixpath.splitext(stem)[1]
    # `data.tar.gz` is something to save; `build.wasm.gz` is meant to be loaded.
    if extension in _ENCODINGS and inner in (".js", ".wasm", ".data", ".json", ".css", ".symbols"):
        return MediaType(_type(inner), _ENCODINGS[extension])
    return MediaType(_type(extension))


def _type(extension: str) -> str:
    return _BY_EXTENSION.get(extension.removeprefix("."), UNKNOWN)
