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
from collections.abc import Mapping, Sequence
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
# the beginning of each ciphertext, which names its master key
KEY_ID_BYTES = 4
# the maximum length of a key file, which fits a hundred keys
_MAX_CHARACTERS = 6500
_FORM = "a master key is 64 hexadecimal digits, one key a line, the newest first"
_PROOF = b"the master key of this database"
_HASH_KEYS = "hash_keys"
_HASH_PURPOSES = ("fingerprint", "mac")


class UnreadableSecret(Exception):
    """A ciphertext that cannot be opened: it has another master key, belongs to another row, or is
    damaged.
    """


class Keyring:
    """The master keys, newest first. The newest encrypts; older ones still open what they sealed.

    Hashes are keyed by two keys of their own, which a database stores sealed. They derive from the first
    master key that the database had, and stay the same when the master key changes.
    """

    def __init__(self, masters: Sequence[bytes]) -> None:
        ids = [_derive(each, "key-id")[:KEY_ID_BYTES] for each in masters]
        by_id = dict(zip(ids, masters, strict=True))
        self._ciphers = {id: AESGCM(_derive(master, "seal")) for id, master in by_id.items()}
        self._file_keys = {id: _derive(master, "files") for id, master in by_id.items()}
        self._link_keys = {id: _derive(master, "links") for id, master in by_id.items()}
        self._database_keys = {id: _derive(master, "database") for id, master in by_id.items()}
        self._first_hash_keys = {id: _derive_hash_keys(master) for id, master in by_id.items()}
        self.current = ids[0]
        self._use(self._first_hash_keys[ids[-1]])

    @property
    def ids(self) -> list[bytes]:
        """The ids of the master keys, newest first."""
        return list(self._ciphers)

    def seal(self, text: str, *context: object) -> bytes:
        """Returns the ciphertext. It opens only with the same context."""
        nonce = os.urandom(12)
        sealed = self._ciphers[self.current].encrypt(nonce, text.encode(), _encode_context(context))
        return self.current + nonce + sealed

    def open(self, sealed: bytes, *context: object) -> str:
        """Returns the sealed text. Raises UnreadableSecret."""
        cipher = self._ciphers.get(sealed[:KEY_ID_BYTES])
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
        chosen = key_id or self.current
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
        """Returns whether all proofs open."""
        try:
            return all(self.open(each, "master_keys") == _PROOF.decode() for each in proofs)
        except UnreadableSecret:
            return False

    def seal_hash_keys(self, first: bytes | None = None) -> dict[str, bytes]:
        """Returns the keys of hashes by purpose, sealed with the newest master key.

        With the id of a master key, they are first derived from that one.
        """
        if first is not None:
            self._use(self._first_hash_keys[first])
        return {
            purpose: self.seal(key.hex(), _HASH_KEYS, purpose) for purpose, key in self._hash_keys.items()
        }

    def use_hash_keys(self, sealed: Mapping[str, bytes]) -> None:
        """Uses the keys of hashes that a database stores. Raises UnreadableSecret."""
        self._use(
            {
                purpose: bytes.fromhex(self.open(sealed[purpose], _HASH_KEYS, purpose))
                for purpose in _HASH_PURPOSES
            }
        )

    def _use(self, hash_keys: Mapping[str, bytes]) -> None:
        self._hash_keys = hash_keys
        # Precomputing the key's part saves a third of each call.
        self._fingerprint = hmac.new(hash_keys["fingerprint"], digestmod=hashlib.sha256)
        self._mac = hash_keys["mac"]

    def fingerprint(self, secret: str) -> bytes:
        """Returns the keyed hash under which a bearer secret is stored. It is useless without its key."""
        mac = self._fingerprint.copy()
        mac.update(secret.encode())
        return mac.digest()

    def mac(self, *parts: bytes) -> bytes:
        """Returns a keyed hash (HMAC-SHA-256) of these parts, for cursors and stored hashes."""
        return hmac.digest(self._mac, _frame(parts), hashlib.sha256)

    def sign(self, *parts: bytes) -> bytes:
        """Signs something that lasts for minutes, such as a link, with the newest master key."""
        return hmac.digest(self._link_keys[self.current], _frame(parts), hashlib.sha256)

    def is_signed(self, signature: bytes, *parts: bytes) -> bool:
        """Returns whether one of the master keys signed these parts."""
        framed = _frame(parts)
        return any(
            hmac.compare_digest(signature, hmac.digest(key, framed, hashlib.sha256))
            for key in self._link_keys.values()
        )

    def database_passwords(self, role: str) -> dict[bytes, str]:
        """Returns the passwords of a role's login by the id of their master key, the newest first.

        The login has one of them; `trilha keys reseal` changes it to the first.
        """
        return {
            id: hmac.digest(key, role.encode(), hashlib.sha256).hex()
            for id, key in self._database_keys.items()
        }


def _frame(parts: Sequence[bytes]) -> bytes:
    """Joins parts so that their borders count."""
    return b"".join(len(part).to_bytes(4) + part for part in parts)


def _derive_hash_keys(master: bytes) -> dict[str, bytes]:
    return {purpose: _derive(master, purpose) for purpose in _HASH_PURPOSES}


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
