"""Decisions about imports of modules. No I/O, no clock."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Literal, get_args
from urllib.parse import unquote, urlsplit

from trilha.core.errors import CODES, ApiError, Invalid
from trilha.training.scorm.package.report import clean_text

FileType = Literal["SCORM", "CMI5", "DOCUMENT", "VIDEO"]
FILE_TYPES: tuple[str, ...] = get_args(FileType)
ImportStatus = Literal["PENDING", "RUNNING", "SUCCEEDED", "FAILED"]
# What is still to be done: fetching the file, or adding the parts of a package once it is unpacked.
Step = Literal["FETCH", "UNPACK"]
# The media types of the types that are shown as they are.
MEDIA_TYPES: Mapping[str, Sequence[str]] = {
    "DOCUMENT": ("application/pdf",),
    "VIDEO": ("video/mp4", "video/webm"),
}
_EXTENSION = re.compile(r"\.[a-z0-9]{1,5}", re.ASCII | re.IGNORECASE)
# How many imports of a tenant may wait or run at a time, each with a file of up to 2 GiB.
MAX_OPEN = 100
MAX_TRIES = 5
LEASE = timedelta(seconds=30)
# How long an import can be read after its end.
RETENTION = timedelta(days=30)

# The sentences of errors that only an import has. The other codes are those of the API's errors.
MESSAGES = {
    "timeout": "The server did not send the file in time.",
    "too_large": "The file is larger than 2 GiB.",
    "too_many_redirects": "The server redirects more than five times.",
    "unexpected_status": "The server did not answer with the file (status 200). Check the URL.",
    "dns_failed": "The name of the server was not found.",
    "tls_failed": "The certificate of the server is not valid.",
    "connection_failed": "The server cannot be reached, or it closed the connection.",
    "invalid_response": "The server's answer is damaged or incomplete.",
    "address_unreadable": "The stored address can no longer be decrypted. Send it again.",
    "storage_failed": "The file could not be stored. Try again, or contact your server administrator.",
    "tried_too_often": "The import was interrupted several times. Try again.",
    "package_refused": "The package was refused. Its report says why.",
    "package_failed": "The package could not be imported. Its report says why. Try again.",
}


def find_message(code: str) -> str:
    return MESSAGES[code] if code in MESSAGES else CODES[code].message


def find_code(error: ApiError) -> str:
    """Returns the code that says most about an error: that of the field, if it is about one."""
    return error.detail[0].code if isinstance(error, Invalid) else error.code


def name_of_url(url: str) -> str:
    """Returns the file's name in a URL, for people; empty if there is none. What has no extension may be a
    secret, such as the end of a share link.
    """
    path = PurePosixPath(unquote(urlsplit(url).path, errors="replace"))
    return clean_text(path.name) if _EXTENSION.fullmatch(path.suffix) else ""
