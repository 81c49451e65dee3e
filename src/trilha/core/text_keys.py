"""Keys by which texts are compared."""

import hashlib
import unicodedata


def build_text_key(text: str, longest: int) -> str:
    """Returns one key for all spellings of a text. They differ in case, in spaces, or in characters that
    Unicode counts as equal (NFKC).

    A key of more than `longest` characters is replaced by its SHA-256 in hexadecimal, because NFKC turns some
    characters into as many as 18.
    """
    key = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return key if len(key) <= longest else hashlib.sha256(key.encode()).hexdigest()
