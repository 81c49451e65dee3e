"""Tells the format of audio from its bytes."""


def detect_media_type(first: bytes) -> str | None:
    """Returns the media type by a file's first bytes; None if it is no audio of a browser or phone."""
    if first.startswith(b"\x1a\x45\xdf\xa3"):
        return "audio/webm"
    if first.startswith(b"OggS"):
        return "audio/ogg"
    if first[4:8] == b"ftyp":
        return "audio/mp4"
    if first.startswith(b"RIFF") and first[8:12] == b"WAVE":
        return "audio/wav"
    if first.startswith(b"ID3") or (len(first) > 1 and first[0] == 0xFF and first[1] & 0xE6 == 0xE2):
        return "audio/mpeg"
    return None
