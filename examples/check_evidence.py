#!/usr/bin/env python3
"""Verifies an evidence file of Trilha without Trilha: `check_evidence.py evidence.json [DIGEST] [--keys
FILE]`.

It needs only Python 3.9 or newer. It checks that the file is complete and unchanged: every entry contains the
hash of the one before it, the times add up, the certificate names an existing entry, and the signature
matches. An attacker could write a different complete file and sign it with their own key. To rule this out,
pass FILE, the company's published keys, which you download from the address that is printed, or DIGEST, which
the PDF shows.
"""

import argparse
import base64
import hashlib
import json
import sys


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def link(before, value):
    return hashlib.sha256(f"{before}\n{canonical(value)}".encode()).hexdigest()


MEMBERS = ["format", "subject", "log", "summary", "digest", "signature"]


def problem_of(raw, wanted=None, keys=None):
    """Returns what is wrong with the file; None if nothing is. `keys` are the bytes of a JWK Set."""
    try:
        file = json.loads(raw.decode("utf-8"))
        if list(file) != MEMBERS or file["format"] != "trilha-evidence/2":
            return "this is no evidence file of a form that is known"
        return broken_chain(file) or untrue(file) or unlike(raw, file, wanted) or forged(file, keys)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return f"this is no evidence file: {error}"


def broken_chain(file):
    last = link("", file["subject"])
    for number, entry in enumerate(file["log"], 1):
        bare = {name: value for name, value in entry.items() if name != "chain"}
        last = link(last, bare)
        if entry["number"] != number or entry["chain"] != last:
            return f"entry {number} does not follow from what is before it"
    if file["digest"] != link(last, file["summary"]):
        return "the digest is of another file"
    return None


def untrue(file):
    """Returns the first contradiction in the file."""
    summary = file["summary"]
    beats = [json.loads(entry["detail"]) for entry in file["log"] if entry["kind"] == "beat"]
    if summary["entries"] != len(file["log"]):
        return "entries are missing"
    if abs(summary["credited_seconds"] - sum(beat.get("credited", 0) for beat in beats)) > 0.5:
        return "the times do not add up"
    if not summary["whole"]:
        return "the server itself found that its log was changed"
    if not certificate_fits(file):
        return "the certificate names an entry that is not there"
    return None


def unlike(raw, file, wanted):
    # Whitespace and the order of members are not hashed, but must not differ either.
    parts = ",".join(f"{canonical(name)}:{_written(name, value)}" for name, value in file.items())
    if raw != f"{{{parts}}}\n".encode():
        return "it is not written as it was"
    if wanted and wanted.lower() != file["digest"]:
        return "it is whole, but it is another file than the one with that digest"
    return None


def _written(name, value):
    return f"[{','.join(map(canonical, value))}]" if name == "log" else canonical(value)


def forged(file, keys):
    signed = file["signature"]
    key, value = bytes.fromhex(signed["key"]), bytes.fromhex(signed["value"])
    message = "\n".join([file["format"], signed["keys"], file["digest"]]).encode()
    names = ["algorithm", "key", "keys", "value"]
    if (
        sorted(signed) != names
        or signed["algorithm"] != "Ed25519"
        or [key.hex(), value.hex()]
        != [
            signed["key"],
            signed["value"],
        ]
    ):
        return "the signature is not written as it was"
    if not is_signed(key, message, value):
        return "the signature is of another file, or by another key"
    if keys is not None:
        known = [base64.urlsafe_b64decode(each["x"] + "==") for each in json.loads(keys)["keys"]]
        if key not in known:
            return "it is signed with a key that is not among the company's"
    return None


# Ed25519 as in RFC 8032, section 5.1, with its names. A point is (X, Y, Z, T).
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def is_signed(key, message, signature):
    point, s = decoded(key), int.from_bytes(signature[32:], "little")
    if point is None or len(signature) != 64 or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return encoded(added(times(s, BASE), times(L - k, point))) == signature[:32]


def added(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * one[3] * other[3] * D, 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(number, point):
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = added(total, point)
        point, number = added(point, point), number >> 1
    return total


def decoded(raw):
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number % 2**255
    if len(raw) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x % 2 != sign else x
    return (x, y, 1, x * y % P)


def encoded(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def certificate_fits(file):
    certificate = file["subject"]["certificate"]
    if certificate is None or certificate["entry"] is None:
        return True
    named = [each for each in file["log"] if each["number"] == certificate["entry"]]
    return [each["hash"] for each in named] == [certificate["hash"]] and named[0]["kind"] == "completed"


def main():
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("file", type=argparse.FileType("rb"))
    asked.add_argument("digest", nargs="?", help="what the PDF shows, or what you noted down")
    asked.add_argument("--keys", type=argparse.FileType("rb"), help="the keys that the company publishes")
    arguments = asked.parse_args()
    raw, keys = arguments.file.read(), arguments.keys.read() if arguments.keys else None
    problem = problem_of(raw, arguments.digest, keys)
    if problem:
        print(f"NOT as it was made: {problem}")
        return 1
    file = json.loads(raw)
    person, course = file["subject"]["person"], file["subject"]["course"]
    minutes = file["summary"]["credited_seconds"] / 60
    print(f"Whole and unchanged: {person['name']}, {course['title']}")
    print(f"{file['summary']['entries']} entries, {minutes:.1f} minutes credited")
    print(f"Digest: {file['digest']}")
    signed = file["signature"]
    if keys:
        print(f"Signed with a key that is published at {signed['keys']}")
    else:
        print(
            f"Signed with the key {signed['key']}. Whose it is was not checked: get {signed['keys']}"
            " from the company and name the file with --keys."
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
