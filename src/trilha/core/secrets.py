"""Encrypts personal documents, and hashes credentials. Passwords are hashed in `passwords`.

A master key outside the database is the source of a key for each purpose (HKDF-SHA-256, RFC 5869).
Ciphertext is AES-256-GCM: `key id (4 bytes) | nonce (12) | sealed text and tag`. The associated data binds
it to its tenant and member, so that a ciphertext copied to another row does not open.
"""

import contextlib
import errno
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
# the maximum length of a key file, which fits a hundred keys
_MAX_CHARACTERS = 6500
_FORM = "a master key is 64 hexadecimal digits, one key a line, the newest first"
_PROOF = b"the master key of this database"


class UnreadableSecret(Exception):
    """A ciphertext that cannot be opened: it has another master key, belongs to another row, or is
    damaged.
    """


class Keyring:
    """The master keys, newest first. Older ones still open what they sealed."""

    def __init__(self, masters: list[bytes]) -> None:
        self._ciphers = {_derive(m, "key-id")[:4]: AESGCM(_derive(m, "seal")) for m in masters}
        self._file_keys = {_derive(m, "key-id")[:4]: _derive(m, "files") for m in masters}
        self._current = next(iter(self._ciphers))
        # Precomputing the key's part saves a third of each call.
        self._fingerprint = hmac.new(_derive(masters[-1], "fingerprint"), digestmod=hashlib.sha256)
        self._mac = _derive(masters[-1], "mac")
        self._database = _derive(masters[-1], "database")

    def seal(self, text: str, *context: object) -> bytes:
        """Returns the ciphertext. It opens only with the same context."""
        nonce = os.urandom(12)
        sealed = self._ciphers[self._current].encrypt(nonce, text.encode(), _encode_context(context))
        return self._current + nonce + sealed

    def open(self, sealed: bytes, *context: object) -> str:
        """Returns the sealed text. Raises UnreadableSecret."""
        cipher = self._ciphers.get(sealed[:4])
        if cipher is None:
            raise UnreadableSecret("sealed with an unknown master key")
        try:
            return cipher.decrypt(sealed[4:16], sealed[16:], _encode_context(context)).decode()
        except InvalidTag as error:
            raise UnreadableSecret("sealed for another place, or damaged") from error

    def file_cipher(self, salt: bytes, name: str, key_id: bytes | None = None) -> tuple[bytes, AESGCM]:
        """Returns a file's cipher and the id of its master key: the newest one, or that of `key_id`.

        Raises UnreadableSecret.
        """
        chosen = key_id or self._current
        if chosen not in self._file_keys:
            raise UnreadableSecret("sealed with an unknown master key")
        derived = HKDF(SHA256(), KEY_BYTES, salt=salt, info=b"trilha/file/" + name.encode())
        return chosen, AESGCM(derived.derive(self._file_keys[chosen]))

    def proofs(self) -> list[bytes]:
        """Seals a known text with each key, oldest first. A database that stores them can recognize its
        keys.
        """
        return [
            key_id
            + (nonce := os.urandom(12))
            + cipher.encrypt(nonce, _PROOF, _encode_context(("master_keys",)))
            for key_id, cipher in reversed(self._ciphers.items())
        ]

    def proves(self, proofs: Sequence[bytes]) -> bool:
        """Returns whether all proofs open, and the first of them with the oldest key, which keys the
        hashes.
        """
        try:
            opened = all(self.open(each, "master_keys") == _PROOF.decode() for each in proofs)
        except UnreadableSecret:
            return False
        return opened and (not proofs or proofs[0][:4] == next(reversed(self._ciphers)))

    def fingerprint(self, secret: str) -> bytes:
        """Returns the keyed hash under which a bearer secret is stored. It is useless without the master key.

        The key derives from the oldest master key, so adding a key invalidates no secret.
        """
        mac = self._fingerprint.copy()
        mac.update(secret.encode())
        return mac.digest()

    def database_password(self, role: str) -> str:
        """Returns the database password of a role's login, derived from the oldest master key."""
        return hmac.digest(self._database, role.encode(), hashlib.sha256).hex()

    def mac(self, *parts: bytes) -> bytes:
        """Returns the HMAC-SHA-256 of these parts with the oldest master key, for cursors and request
        hashes.
        """
        framed = b"".join(len(part).to_bytes(4) + part for part in parts)
        return hmac.digest(self._mac, framed, hashlib.sha256)


def _derive(master: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"trilha/" + purpose.encode()).derive(master)


def _encode_context(context: tuple[object, ...]) -> bytes:
    return "\x1f".join(map(str, context)).encode()


def load_keyring(path: Path, *, make: bool = True) -> Keyring:
    """Loads the keyring from this file, which has one hexadecimal key on each line.

    Creates a missing file with mode 0600 if `make` is set; else raises FileNotFoundError.
    """
    if make and not path.is_symlink() and not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
        # A link never replaces a file: if several processes start at once, the first key is kept.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    # A link may point to the key, such as a mounted secret, but its target must belong to this user alone.
    with path.open(errors="replace") as file:
        status = os.fstat(file.fileno())
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise PermissionError(errno.EACCES, f"{path} can be written by another user")
        return parse_keyring(file.read(_MAX_CHARACTERS))


def parse_keyring(text: str) -> Keyring:
    """Raises ValueError unless every line is 64 hexadecimal digits."""
    if not text.strip():
        raise ValueError(f"it is empty, and {_FORM}")
    try:
        masters = [bytes.fromhex(line) for line in text.split()]
    except ValueError:
        raise ValueError(_FORM) from None
    if any(len(master) != KEY_BYTES for master in masters):
        raise ValueError(_FORM)
    return Keyring(masters)
