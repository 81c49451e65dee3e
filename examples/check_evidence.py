#!/usr/bin/env python3
"""Checks an evidence file of Trilha without Trilha: `python check_evidence.py evidence.json [DIGEST]`.

It needs nothing but Python 3.9 or newer. It tells whether the file is whole and unchanged: every entry
follows from the one before it, the times add up, and the certificate names an entry that is there. Who can
write a file can write a whole one that says something else: DIGEST is what the PDF shows, or what somebody
noted down, and with it the file is shown to be that very one.
"""

import hashlib
import json
import sys


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def link(before, value):
    return hashlib.sha256(f"{before}\n{canonical(value)}".encode()).hexdigest()


MEMBERS = ["format", "subject", "log", "summary", "digest"]


def problem_of(raw, wanted=None):
    """What is wrong with the file's bytes; None where nothing is."""
    try:
        file = json.loads(raw.decode("utf-8"))
        if list(file) != MEMBERS or file["format"] != "trilha-evidence/1":
            return "this is no evidence file of a form that is known"
        return broken_chain(file) or untrue(file) or unlike(raw, file, wanted)
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
    """What contradicts itself in it."""
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
    # Blanks and the order of members are no part of the chain; they are not to differ all the same.
    parts = ",".join(f"{canonical(name)}:{_written(name, value)}" for name, value in file.items())
    if raw != f"{{{parts}}}\n".encode():
        return "it is not written as it was"
    if wanted and wanted.lower() != file["digest"]:
        return "it is whole, but it is another file than the one with that digest"
    return None


def _written(name, value):
    return f"[{','.join(map(canonical, value))}]" if name == "log" else canonical(value)


def certificate_fits(file):
    certificate = file["subject"]["certificate"]
    if certificate is None or certificate["entry"] is None:
        return True
    named = [each for each in file["log"] if each["number"] == certificate["entry"]]
    return [each["hash"] for each in named] == [certificate["hash"]] and named[0]["kind"] == "completed"


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], "rb") as file:
        raw = file.read()
    problem = problem_of(raw, *arguments[1:])
    if problem:
        print(f"NOT as it was made: {problem}")
        return 1
    file = json.loads(raw)
    person, course = file["subject"]["person"], file["subject"]["course"]
    minutes = file["summary"]["credited_seconds"] / 60
    print(f"Whole and unchanged: {person['name']}, {course['title']}")
    print(f"{file['summary']['entries']} entries, {minutes:.1f} minutes credited")
    print(f"Digest: {file['digest']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
